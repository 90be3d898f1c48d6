import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { hashKey } from '../../../src/layout/key-hash.ts';
import { STORE_CONTROL_BYTES } from '../../../src/layout/store.ts';
import { Arena } from '../../../src/store/arena.ts';
import { encodeBlock, writeBlock } from '../../../src/store/block-encode.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { StoreAnnouncer } from '../../../src/store/reader/announcer.ts';
import { SegmentTable } from '../../../src/store/segments.ts';
import { HostRecords } from '../../../src/worker/host-records.ts';
import type { RecordBody } from '../../../src/worker/record-body.ts';
import { SEED } from '../indexer-support.ts';
import { numbered, type RecordOutcomes, type RecordRaceData } from './record-race-reader.ts';

const READERS = 2;

/** Records that are made; a hundred times as many in the long run of the tests. */
const ROUNDS = Math.ceil(Number(process.env.KUBERING_RACE_ROUNDS ?? 100_000) / 12);

const HOT = ['a/one', 'a/two', 'b/three'];
/** These never change: their records are made anew when their epochs get old. */
const COLD = ['c/one', 'c/two', 'd/three', 'd/four'];

describe('records that several threads read while they are written', () => {
  it(`are whole, through all epochs of the dictionary, also those that are made anew (${ROUNDS} records)`, async () => {
    const writer = new Writer();
    for (const key of [...COLD, ...HOT]) writer.put(key);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const workerData: RecordRaceData = { handle: writer.announcer.handle(), keys: [...HOT, ...COLD], stop };
    const readers = Array.from(
      { length: READERS },
      () => new Worker(new URL('./record-race-reader.ts', import.meta.url), { workerData }),
    );
    await Promise.all(readers.map((reader) => once(reader, 'message')));
    const finals = readers.map((reader) => once(reader, 'message') as Promise<[RecordOutcomes]>);
    for (let round = 0; round < ROUNDS; round++) {
      writer.put(HOT[round % HOT.length]!);
      if (round % 50 === 0) writer.makeAnew();
      // In slices, so that readers which attach get their answer.
      if (round % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    Atomics.store(stop, 0, 1);
    for (const [outcomes] of await Promise.all(finals)) {
      const { same, newer, released, ...illegal } = outcomes;
      assert.deepEqual(illegal, { torn: 0, older: 0, other: 0, failures: [] });
      assert.ok(newer > 10 && same > 0, `a reader raced with nobody: ${newer} newer, ${same} same`);
    }
    writer.announcer.close();

    assert.ok(writer.epochs > 5, `${writer.epochs} epochs`);
    assert.ok(writer.madeAnew >= COLD.length, `${writer.madeAnew} records were made anew`);
    assert.ok(writer.segments.dictionaries.size <= 4, `${writer.segments.dictionaries.size} are in memory`);
  });
});

/** A worker and its home thread in one. */
class Writer {
  readonly announcer: StoreAnnouncer;
  readonly segments = new SegmentTable();
  epochs = 0;
  madeAnew = 0;
  readonly #records: HostRecords;
  readonly #body: RecordBody;
  readonly #arena: Arena;
  readonly #indexer: Indexer;
  /** Where the current block of a key lies. */
  readonly #blocks = new Map<string, { segment: number; offset: number }>();
  #n = 0;

  constructor() {
    const { segments } = this;
    this.#records = new HostRecords({
      worker: 1,
      seed: SEED,
      module: undefined,
      recordsPerEpoch: 200,
      onEpoch: (memory) => {
        this.epochs++;
        segments.addDictionary(memory);
      },
      onEpochFree: (epoch) => segments.deleteDictionary(epoch),
    });
    const things = { group: 'example.com', version: 'v1', resource: 'things' };
    this.#body = this.#records.open(1, things, () => assert.fail('a body was not made a record'));
    this.#arena = new Arena({
      worker: 1,
      limitBytes: 64 * 1024 * 1024,
      onSegment: (segment) => segments.add(segment),
      onSegmentGone: (id) => segments.delete(id),
    });
    const indexer = new Indexer({ segments, seed: SEED, shards: 2, indexes: [] });
    this.#indexer = indexer;
    this.announcer = new StoreAnnouncer({
      channel: `record-race-${process.pid}`,
      control: new SharedArrayBuffer(STORE_CONTROL_BYTES),
      seed: SEED,
      segments,
      state: () => ({
        shards: indexer.shards.map(({ memory }) => memory),
        indexes: [],
        unready: [],
        typeMeta: undefined,
      }),
    });
  }

  put(key: string): void {
    const json = JSON.stringify(numbered(key, ++this.#n));
    const at = this.#body.reserve(json.length);
    this.#body.bytes.write(json, at);
    assert.ok(this.#body.make(json.length, hashOf(key).lo));
    this.#place(key, this.#body);
  }

  /** As compaction does. */
  makeAnew(): void {
    if (!this.#records.wantsRewrites) return;
    for (const [key, { segment, offset }] of this.#blocks) {
      const body = this.#records.rewrite(1, this.segments.get(segment), offset);
      if (body === undefined) continue;
      this.madeAnew++;
      this.#place(key, body);
    }
  }

  #place(key: string, made: RecordBody): void {
    const [namespace, name] = key.split('/') as [string, string];
    const body = Buffer.alloc(made.lengthBytes);
    made.write(body, 0);
    const block = encodeBlock({ namespace, name, body });
    assert.ok(this.#arena.allocate(block.length, 1));
    const { segment, offset, stamp } = this.#arena;
    writeBlock(segment!, offset, block, stamp);
    const { lo, hi } = hashOf(key);
    this.#indexer.upsert(lo, hi, segment!.id, offset / 8, block.length, stamp, 0);
    const before = this.#blocks.get(key);
    this.#blocks.set(key, { segment: segment!.id, offset });
    if (before === undefined) return;
    this.#records.freed(this.segments.get(before.segment), before.offset);
    this.#arena.free(before.segment, before.offset);
  }
}

function hashOf(key: string): { lo: number; hi: number } {
  const hash = { lo: 0, hi: 0 };
  hashKey(key, SEED, hash);
  return hash;
}
