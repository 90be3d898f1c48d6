import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Indexer, Upserted } from '../../src/store/indexer.ts';
import { allKeys, remove, SEED, TestArena, touch, upsert } from './indexer-support.ts';

describe('indexer', () => {
  it('finds an object by its key once it is in', () => {
    const { arena, indexer } = make();
    assert.equal(indexer.find('ns/a'), -1);

    const placed = arena.put({ namespace: 'ns', name: 'a' });
    assert.equal(upsert(indexer, placed), Upserted.added);

    const slot = indexer.find('ns/a');
    assert.equal(slot, indexer.slot);
    assert.equal(indexer.keyOf(slot), 'ns/a');
    assert.equal(indexer.segmentOf(slot), placed.segment);
    assert.equal(indexer.offset8Of(slot), placed.offset8);
    assert.equal(indexer.lengthOf(slot), placed.lengthBytes);
    assert.equal(indexer.stampOf(slot), placed.stamp);
    assert.equal(indexer.size, 1);
  });

  it('says which block an update replaced, and keeps the slot', () => {
    const { arena, indexer } = make();
    const before = arena.put({ namespace: 'ns', name: 'a', resourceVersion: '1' });
    const after = arena.put({ namespace: 'ns', name: 'a', resourceVersion: '2' });
    upsert(indexer, before);
    const slot = indexer.find('ns/a');

    assert.equal(upsert(indexer, after), Upserted.updated);
    assert.deepEqual(previousOf(indexer), addressOf(before));
    assert.equal(indexer.find('ns/a'), slot);
    assert.equal(indexer.offset8Of(slot), after.offset8);
    assert.equal(indexer.size, 1);
  });

  it('removes by any block with the same key, and says which block was in place', () => {
    const { arena, indexer } = make();
    const inPlace = arena.put({ namespace: 'ns', name: 'a', resourceVersion: '1' });
    const lastState = arena.put({ namespace: 'ns', name: 'a', resourceVersion: '2' });
    upsert(indexer, inPlace);

    assert.equal(remove(indexer, lastState), true);
    assert.deepEqual(previousOf(indexer), addressOf(inPlace));
    assert.equal(indexer.find('ns/a'), -1);
    assert.equal(indexer.size, 0);
    assert.equal(remove(indexer, lastState), false);
  });

  it('uses the slot of a removed object again', () => {
    const { arena, indexer } = make({ shards: 1 });
    upsert(indexer, arena.put({ name: 'a' }));
    upsert(indexer, arena.put({ name: 'b' }));
    const slot = indexer.find('a');
    indexer.removeSlot(slot);

    upsert(indexer, arena.put({ name: 'c' }));
    assert.equal(indexer.find('c'), slot);
    assert.deepEqual(allKeys(indexer), ['b', 'c']);
  });

  it('tells objects with the same hash apart by their keys', () => {
    const { arena, indexer } = make();
    const hash = { lo: 0xffffffff, hi: 0x80000001 };
    const a = arena.put({ namespace: 'ns', name: 'a' }, hash);
    const b = arena.put({ namespace: 'ns', name: 'b' }, hash);
    const c = arena.put({ namespace: 'ns', name: 'c' }, hash);
    upsert(indexer, a);

    assert.equal(upsert(indexer, b), Upserted.added);
    assert.equal(touch(indexer, c, 1), false);
    assert.equal(indexer.findByHash(hash.lo, hash.hi, c.segment, c.offset8), -1);
    assert.equal(remove(indexer, a), true);
    assert.deepEqual(allKeys(indexer), ['ns/b']);
    assert.equal(indexer.keyOf(indexer.findByHash(hash.lo, hash.hi, b.segment, b.offset8)), 'ns/b');
  });

  it('tells objects apart whose hashes have only one half in common', () => {
    const { arena, indexer } = make();
    upsert(indexer, arena.put({ name: 'a' }, { lo: 1, hi: 16 }));
    upsert(indexer, arena.put({ name: 'b' }, { lo: 1, hi: 32 }));
    upsert(indexer, arena.put({ name: 'c' }, { lo: 2, hi: 16 }));

    assert.deepEqual(allKeys(indexer), ['a', 'b', 'c']);
  });

  for (const key of ['käse/brötchen', '日本/東京', '\u{1f600}', 'x'.repeat(400), 'ä'.repeat(30_000)]) {
    it(`finds the key ${key.slice(0, 12)} with ${key.length} characters`, () => {
      const { arena, indexer } = make();
      const [first, second] = key.split('/');
      upsert(
        indexer,
        arena.put(second === undefined ? { name: first! } : { namespace: first!, name: second }),
      );

      assert.equal(indexer.keyOf(indexer.find(key)), key);
      assert.equal(indexer.find(`${key}x`), -1);
    });
  }

  it('does not find a key that has no UTF-8 form, or that is longer than any object can have', () => {
    const { arena, indexer } = make();
    upsert(indexer, arena.put({ name: '\ufffd' }));

    assert.equal(indexer.find('\ud800'), -1);
    assert.equal(indexer.find('x'.repeat(200_000)), -1);
  });

  for (const shards of [1, 2, 16, 256]) {
    it(`keeps every object reachable while ${shards} shards grow`, () => {
      const { arena, indexer } = make({ shards });
      const keys = Array.from({ length: 2000 }, (_, i) => `ns-${i % 7}/name-${i}`);
      for (const key of keys) {
        const [namespace, name] = key.split('/') as [string, string];
        upsert(indexer, arena.put({ namespace, name }));
      }

      assert.equal(indexer.size, keys.length);
      assert.ok(keys.every((key) => indexer.keyOf(indexer.find(key)) === key));
      assert.deepEqual(allKeys(indexer), keys.sort());
    });
  }

  it('goes on with a walk after the object it stopped at was removed', () => {
    const { arena, indexer } = make();
    for (let i = 0; i < 50; i++) upsert(indexer, arena.put({ name: `name-${i}` }));

    indexer.forEach((slot) => {
      indexer.removeSlot(slot);
    });
    assert.equal(indexer.size, 0);
    assert.equal(indexer.nextSlot(-1), -1);
  });

  it('finds in slices what a sweep did not see', () => {
    const { arena, indexer } = make();
    const placed = Array.from({ length: 100 }, (_, i) => arena.put({ name: `name-${i}` }));
    for (const one of placed) upsert(indexer, one, 1);
    for (const one of placed.slice(0, 30)) touch(indexer, one, 2);
    for (const one of placed.slice(30, 60)) upsert(indexer, one, 2);

    const unseen: string[] = [];
    let slices = 0;
    for (let cursor = 0; cursor !== -1; slices++) {
      cursor = indexer.sweepUnseen(2, cursor, 7, (slot) => {
        unseen.push(indexer.keyOf(slot));
        indexer.removeSlot(slot);
      });
      upsert(indexer, arena.put({ name: `new-${slices}` }), 2);
    }

    assert.ok(slices >= 100 / 7);
    assert.deepEqual(unseen.sort(), Array.from({ length: 40 }, (_, i) => `name-${i + 60}`).sort());
    assert.equal(indexer.size, 60 + slices);
  });

  for (const key of ['a/b/c', '/a', 'a/', '/', '', 'a//b', undefined, null, 7, {}]) {
    it(`says that ${JSON.stringify(key)} is no key`, () => {
      const { arena, indexer } = make();
      upsert(indexer, arena.put({ namespace: 'a', name: 'b' }));

      assert.throws(() => indexer.find(key as string), {
        name: 'KeyError',
        code: 'KEY',
        message:
          /is no key of an object: allowed are namespace\/name, and name for an object without namespace/,
      });
    });
  }

  for (const shards of [0, 3, 512, 1.5]) {
    it(`refuses ${shards} shards and says what is allowed`, () => {
      assert.throws(() => make({ shards }), { name: 'RangeError', message: /power of two from 1 to 256/ });
    });
  }

  it('refuses a field id that no block can have', () => {
    const options = { segments: new TestArena().segments, seed: SEED };
    assert.throws(() => new Indexer({ ...options, indexes: [{ name: 'byNode', fieldId: 256 }] }), {
      name: 'RangeError',
      message: /field id 256 of 'byNode'/,
    });
  });
});

function make({ shards = 16 } = {}) {
  const arena = new TestArena();
  const indexer = new Indexer({ segments: arena.segments, seed: SEED, shards, indexes: [] });
  return { arena, indexer };
}

function addressOf({ segment, offset8, lengthBytes, stamp }: ReturnType<TestArena['put']>) {
  return { segment, offset8, lengthBytes, stamp };
}

function previousOf(indexer: Indexer): ReturnType<typeof addressOf> {
  return {
    segment: indexer.previousSegment,
    offset8: indexer.previousOffset8,
    lengthBytes: indexer.previousLengthBytes,
    stamp: indexer.previousStamp,
  };
}
