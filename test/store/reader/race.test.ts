import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { hashKey } from '../../../src/layout/key-hash.ts';
import { STORE_CONTROL_BYTES } from '../../../src/layout/store.ts';
import { encodeBlock, writeBlock } from '../../../src/store/block-encode.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { StoreAnnouncer } from '../../../src/store/reader/announcer.ts';
import type { StoreHandle } from '../../../src/store/reader/handle.ts';
import { openSegment, type Segment, SegmentTable } from '../../../src/store/segments.ts';
import { randomOf, SEED } from '../indexer-support.ts';
import { KEYS, type Outcomes, type RaceData, VALUES } from './race-reader.ts';

const READERS = 3;

/** Changes of the store; a hundred times as many in the long run of the tests. */
const ROUNDS = Number(process.env.KUBERING_RACE_ROUNDS ?? 100_000);

/** A broken protocol shows long before: only the one that holds needs every round. */
const BROKEN_ROUNDS = Math.min(Math.ceil(ROUNDS / 5), 100_000);

/** Each object has two places in turn, so the bytes of one that was replaced are overwritten at the next change. */
const PLACE_BYTES = 1024;

describe('a store that several threads read while it is written', () => {
  it(`gives each reader whole objects, never an older one, and nothing that was not asked for (${ROUNDS} changes)`, async () => {
    const outcomes = await race(new Writer(7), ROUNDS, (handle) => handle);
    for (const { absent, same, newer, ...illegal } of outcomes) {
      assert.deepEqual(illegal, { torn: 0, older: 0, other: 0 });
      assert.ok(
        newer > 100 && absent > 0 && same > 0,
        `a reader raced with nobody: ${newer} newer, ${absent} absent`,
      );
    }
  });

  it('is caught when versions stand still: readers then see what is half written', async () => {
    // Readers look at a copy of the control words, so nothing tells them of a change.
    const outcomes = await race(new Writer(8), BROKEN_ROUNDS, (handle) => ({
      ...handle,
      state: {
        ...handle.state,
        shards: handle.state.shards.map((shard) => ({ ...shard, control: copyOf(shard.control) })),
      },
    }));
    assert.ok(
      outcomes.some(({ torn, older, other }) => torn + older + other > 0),
      JSON.stringify(outcomes),
    );
  });

  it('is caught when stamps stand still: readers then see two bodies mixed', async () => {
    const outcomes = await race(new Writer(9, { stamps: false }), BROKEN_ROUNDS, (handle) => handle);
    assert.ok(
      outcomes.some(({ torn, older, other }) => torn + older + other > 0),
      JSON.stringify(outcomes),
    );
  });
});

async function race(
  writer: Writer,
  rounds: number,
  change: (handle: StoreHandle) => StoreHandle,
): Promise<Outcomes[]> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const workerData: RaceData = { handle: change(writer.announcer.handle()), stop };
  const readers = Array.from(
    { length: READERS },
    () => new Worker(new URL('./race-reader.ts', import.meta.url), { workerData }),
  );
  const results = readers.map(async (reader) => {
    const [ready] = (await once(reader, 'message')) as [string];
    assert.equal(ready, 'ready');
    return async () => ((await once(reader, 'message')) as [Outcomes])[0];
  });
  const finals = (await Promise.all(results)).map((final) => final());
  // In slices, so that readers which attach get their answer.
  for (let round = 0; round < rounds; round++) {
    writer.change();
    if (round % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  Atomics.store(stop, 0, 1);
  const outcomes = await Promise.all(finals);
  writer.announcer.close();
  return outcomes;
}

class Writer {
  readonly announcer: StoreAnnouncer;
  readonly #indexer: Indexer;
  readonly #segment: Segment;
  readonly #random: (limit: number) => number;
  readonly #versions = KEYS.map(() => 0);
  readonly #present = KEYS.map(() => false);
  /** Which of its two places each object is at. */
  readonly #sides = KEYS.map(() => 0);
  readonly #stamps: boolean;
  #stamp = 0;
  #extra = 0;

  constructor(seed: number, { stamps = true } = {}) {
    this.#random = randomOf(seed);
    this.#stamps = stamps;
    const segments = new SegmentTable();
    this.#segment = openSegment(1, new SharedArrayBuffer(1 << 20));
    segments.add(this.#segment);
    const indexer = new Indexer({
      segments,
      seed: SEED,
      shards: 2,
      indexes: [{ name: 'byValue', fieldId: 0 }],
    });
    this.#indexer = indexer;
    this.announcer = new StoreAnnouncer({
      channel: `race-${process.pid}-${seed}`,
      control: new SharedArrayBuffer(STORE_CONTROL_BYTES),
      seed: SEED,
      segments,
      state: () => ({
        shards: indexer.shards.map(({ memory }) => memory),
        indexes: [['byValue', 0]],
        unready: [],
        typeMeta: undefined,
      }),
    });
  }

  change(): void {
    const which = this.#random(KEYS.length);
    const choice = this.#random(10);
    if (choice === 0 && this.#present[which]) this.#remove(which);
    else if (choice === 1) this.#disturb();
    else if (choice <= 4 && this.#present[which]) this.#move(which);
    else this.#put(which);
  }

  #put(which: number): void {
    const n = ++this.#versions[which]!;
    this.#sides[which]! ^= 1;
    const place = this.#placeOf(which);
    const key = KEYS[which]!;
    const body = JSON.stringify({ key, n, again: n, padding: 'x'.repeat(this.#random(300)) });
    this.#upsert(key, place, String(n % VALUES.length), body);
    this.#present[which] = true;
  }

  #remove(which: number): void {
    const place = this.#placeOf(which);
    const hash = hashOf(KEYS[which]!);
    assert.ok(this.#indexer.remove(hash.lo, hash.hi, this.#segment.id, place / 8));
    this.#present[which] = false;
  }

  /** A copy takes the place of the object's block, as when the arena is compacted. */
  #move(which: number): void {
    const from = this.#placeOf(which);
    const slot = this.#indexer.findByBlock(this.#segment.id, from / 8);
    const lengthBytes = this.#indexer.lengthOf(slot);
    const block = Buffer.from(this.#segment.bytes.subarray(from, from + lengthBytes));
    this.#sides[which]! ^= 1;
    const to = this.#placeOf(which);
    const stamp = this.#stamps ? ++this.#stamp : 1;
    writeBlock(this.#segment, to, block, stamp);
    this.#indexer.move(slot, { segment: this.#segment.id, offset8: to / 8, lengthBytes, stamp });
  }

  #placeOf(which: number): number {
    return (2 * which + this.#sides[which]!) * PLACE_BYTES;
  }

  /** Other objects come and go, so that cells move and tables grow. */
  #disturb(): void {
    const key = `other/${this.#extra++ % 200}`;
    const place = 2 * KEYS.length * PLACE_BYTES + (this.#extra % 200) * PLACE_BYTES;
    const body = JSON.stringify({ key, n: 0, again: 0, padding: '' });
    this.#upsert(key, place, '0', body);
    const hash = hashOf(key);
    this.#indexer.remove(hash.lo, hash.hi, this.#segment.id, place / 8);
  }

  #upsert(key: string, place: number, value: string, body: string): void {
    const [namespace, name] = key.split('/') as [string, string];
    const block = encodeBlock({ namespace, name, fields: [{ id: 0, value }], body: Buffer.from(body) });
    const stamp = this.#stamps ? ++this.#stamp : 1;
    writeBlock(this.#segment, place, block, stamp);
    const { lo, hi } = hashOf(key);
    this.#indexer.upsert(lo, hi, this.#segment.id, place / 8, block.length, stamp, 0);
  }
}

function hashOf(key: string): { lo: number; hi: number } {
  const hash = { lo: 0, hi: 0 };
  hashKey(key, SEED, hash);
  return hash;
}

function copyOf(memory: SharedArrayBuffer): SharedArrayBuffer {
  const copy = new SharedArrayBuffer(memory.byteLength);
  new Uint8Array(copy).set(new Uint8Array(memory));
  return copy;
}
