import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBlock, writeBlock } from '../../src/store/block-encode.ts';
import { BlockRef, Bodies, openSegment, SegmentTable } from '../../src/store/index.ts';
import { HostRecords } from '../../src/worker/host-records.ts';
import type { RecordBody } from '../../src/worker/record-body.ts';

const SEED = { lo: 3, hi: 4 };
const WIDGETS = { group: 'example.com', version: 'v1', resource: 'widgets' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };

const BLOCK_BYTES = 128 * 1024;

describe('records of a worker', () => {
  it('keep their epoch until the last of them is freed', () => {
    const shop = new Shop();
    const body = shop.open(1, WIDGETS);
    const blocks = [shop.put(body, { a: 'first' }), shop.put(body, { a: 'second' })];
    shop.turnEpoch(body);
    assert.deepEqual(shop.gone, []);

    shop.records.freed(shop.segment, blocks[0]!);
    assert.deepEqual(shop.gone, []);
    assert.deepEqual(shop.decode(blocks[1]!), { a: 'second' });
    shop.records.freed(shop.segment, blocks[1]!);
    assert.deepEqual(shop.gone, [shop.firstEpoch]);
    assert.deepEqual(shop.decode(shop.put(body, { b: 'of the next epoch' })), { b: 'of the next epoch' });
    assert.throws(() => shop.decode(blocks[1]!), { name: 'ReleasedObjectError' });
  });

  it('keep their epoch when they are copied as they are', () => {
    const shop = new Shop();
    const body = shop.open(1, WIDGETS);
    const block = shop.put(body, { a: 'first' });
    shop.records.copied(shop.segment, block);
    shop.turnEpoch(body);

    shop.records.freed(shop.segment, block);
    assert.deepEqual(shop.gone, []);
    shop.records.freed(shop.segment, block);
    assert.deepEqual(shop.gone, [shop.firstEpoch]);
  });

  it('are made anew when few of an old epoch are left, so that it can end, and are equal', () => {
    const shop = new Shop();
    const body = shop.open(1, WIDGETS);
    const json = '{"big":9007199254740993,"text":"Ελλάδα \\ud800 \\u0000","twice":1,"twice":2}';
    const block = shop.putJson(body, json);
    const text = shop.text(block);
    shop.turnEpoch(body);
    assert.equal(shop.records.wantsRewrites, false, 'the epoch before the current one is left alone');
    assert.equal(shop.records.rewrite(1, shop.segment, block), undefined);
    shop.turnEpoch(body);
    assert.equal(shop.records.wantsRewrites, true);

    const anew = shop.records.rewrite(1, shop.segment, block);
    const copy = shop.place(anew!);
    shop.records.freed(shop.segment, block);
    assert.ok(shop.gone.includes(shop.firstEpoch));
    assert.equal(shop.records.wantsRewrites, false);
    assert.equal(shop.text(copy), text);
    assert.match(text, /"big":9007199254740993,/);
    assert.equal(shop.records.rewrite(1, shop.segment, copy), undefined);
  });

  it('are made anew when their reflector has ended, too, and then teach the dictionary nothing', () => {
    const shop = new Shop();
    const body = shop.open(1, WIDGETS);
    const blocks = [1, 2, 3].map(() => shop.put(body, { a: 'of an informer that has stopped' }));
    shop.turnEpoch(body);
    shop.turnEpoch(body);
    const isHeld = () => shop.dictionariesHold('of an informer that has stopped', { from: 1 });
    shop.records.close(1);
    for (const block of blocks) {
      const copy = shop.place(shop.records.rewrite(1, shop.segment, block)!);
      assert.deepEqual(shop.decode(copy), { a: 'of an informer that has stopped' });
    }

    assert.ok(!isHeld());
  });

  it('are told from other bodies, which are left alone', () => {
    const shop = new Shop();
    const body = shop.open(1, WIDGETS);
    const json = shop.placeBytes(Buffer.from('{"a":1}'));
    shop.turnEpoch(body);
    shop.turnEpoch(body);

    assert.equal(shop.records.rewrite(1, shop.segment, json), undefined);
    shop.records.copied(shop.segment, json);
    shop.records.freed(shop.segment, json);
    assert.deepEqual(shop.decode(json), { a: 1 });
  });

  it('put no value of a Secret into a dictionary, also when they are made anew', () => {
    const shop = new Shop();
    const secrets = shop.open(1, SECRETS);
    const widgets = shop.open(2, WIDGETS);
    const blocks = [1, 2, 3].map(() => shop.put(secrets, { data: { password: 'aHVudGVyMg==' } }));
    shop.turnEpoch(widgets);
    shop.turnEpoch(widgets);
    for (const block of blocks) {
      const anew = shop.records.rewrite(1, shop.segment, block);
      assert.deepEqual(shop.decode(shop.place(anew!)), { data: { password: 'aHVudGVyMg==' } });
    }
    for (let i = 0; i < 3; i++) shop.put(widgets, { text: 'not a secret' });

    assert.ok(shop.dictionariesHold('not a secret'));
    assert.ok(shop.dictionariesHold('password'), 'keys are no secrets');
    assert.ok(!shop.dictionariesHold('aHVudGVyMg=='));
  });

  it('are JSON where the transcoder refuses the object, and that is told', () => {
    const shop = new Shop();
    const body = shop.open(1, WIDGETS);
    const at = body.reserve(4);
    body.bytes.write('{"a"', at);
    assert.equal(body.make(4, 1), false);
    assert.equal(body.isMade, false);
    assert.equal(body.reserve(5 * 1024 * 1024), 0);
    body.fellBack();

    assert.equal(shop.fallbacks, 1);
  });
});

/** A worker's records, with room for blocks, and the store of a home thread. */
class Shop {
  readonly records: HostRecords;
  readonly segment = openSegment(1 << 16, new SharedArrayBuffer(8 * 1024 * 1024));
  readonly gone: number[] = [];
  fallbacks = 0;
  readonly #segments = new SegmentTable();
  readonly #bodies = new Bodies({ segments: this.#segments, cacheBytes: 0, freeze: false });
  readonly #memories: Buffer[] = [];
  readonly #lengths = new Map<number, number>();
  #end = 0;
  #tag = 0;
  #turns = 0;

  constructor() {
    this.#segments.add(this.segment);
    this.records = new HostRecords({
      worker: 1,
      seed: SEED,
      module: undefined,
      recordsPerEpoch: 1,
      onEpoch: (memory) => {
        this.#segments.addDictionary(memory);
        this.#memories.push(Buffer.from(memory));
      },
      onEpochFree: (epoch) => {
        this.#segments.deleteDictionary(epoch);
        this.gone.push(epoch);
      },
    });
  }

  readonly firstEpoch = 1 << 16;

  open(source: number, resource: typeof WIDGETS): RecordBody {
    return this.records.open(source, resource, () => {
      this.fallbacks++;
    });
  }

  put(body: RecordBody, object: object): number {
    return this.putJson(body, JSON.stringify(object));
  }

  putJson(body: RecordBody, json: string): number {
    this.#make(body, json);
    return this.place(body);
  }

  place(body: RecordBody): number {
    const bytes = Buffer.alloc(body.lengthBytes);
    body.write(bytes, 0);
    return this.placeBytes(bytes);
  }

  placeBytes(bytes: Buffer): number {
    const block = encodeBlock({ name: 'thing', body: bytes });
    const at = this.#end;
    writeBlock(this.segment, at, block, 1);
    this.#lengths.set(at, block.length);
    this.#end += BLOCK_BYTES;
    return at;
  }

  decode(block: number): object {
    return this.#bodies.decode(this.#ref(block));
  }

  text(block: number): string {
    return this.#bodies.text(this.#ref(block));
  }

  /** Fills the dictionary, and makes one more record, which begins the next epoch. */
  turnEpoch(body: RecordBody): void {
    const turn = ++this.#turns;
    for (let from = 0; from < 18_000; from += 2000) {
      const json = JSON.stringify(Array.from({ length: 2000 }, (_, i) => `turn ${turn}: ${from + i}`));
      // A string of two objects is one for the dictionary.
      this.#make(body, json);
      this.#make(body, json);
    }
    this.#make(body, '{}');
  }

  /** @param from - the first epoch that is looked into */
  dictionariesHold(text: string, { from = 0 } = {}): boolean {
    return this.#memories.slice(from).some((memory) => memory.includes(text));
  }

  #make(body: RecordBody, json: string): void {
    const lengthBytes = Buffer.byteLength(json);
    const at = body.reserve(lengthBytes);
    body.bytes.write(json, at);
    assert.ok(body.make(lengthBytes, ++this.#tag));
  }

  #ref(block: number): BlockRef {
    return new BlockRef(this.segment.id, block / 8, this.#lengths.get(block)!, 1, 0, 0);
  }
}
