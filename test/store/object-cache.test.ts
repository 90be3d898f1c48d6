import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BlockRef } from '../../src/store/block-ref.ts';
import { ObjectCache } from '../../src/store/object-cache.ts';

const SEED = Number(process.env.KUBERING_SEED ?? 20_261_202);

describe('the cache of decoded objects', () => {
  it('drops what was not looked at for the longest time', () => {
    const cache = new ObjectCache(1000, 3);
    for (const stamp of [1, 2, 3]) cache.set(block(stamp), { stamp });
    cache.get(block(1));
    cache.set(block(4), { stamp: 4 });
    assert.deepEqual(present(cache, [1, 2, 3, 4]), [1, 3, 4]);

    cache.name(block(3), 'a/three', 7);
    cache.get(block(1));
    cache.get(block(4));
    cache.use(cache.atKey('a/three')!);
    cache.set(block(5), { stamp: 5 });
    assert.deepEqual(present(cache, [1, 3, 4, 5]), [3, 4, 5]);
  });

  it('finds by key what was found by it last, and nothing once that has gone', () => {
    const cache = new ObjectCache(1000, 2);
    cache.set(block(1), { stamp: 1 });
    cache.name(block(1), 'a/x', 7);
    cache.set(block(2), { stamp: 2 });
    cache.name(block(2), 'a/x', 7);
    assert.deepEqual(cache.atKey('a/x')!.object, { stamp: 2 });

    cache.delete(block(1));
    assert.deepEqual(cache.atKey('a/x')!.object, { stamp: 2 }, 'the version before takes nothing with it');
    cache.set(block(3), { stamp: 3 });
    cache.set(block(4), { stamp: 4 });
    assert.equal(cache.atKey('a/x'), undefined);
    cache.name(block(2), 'a/x', 7);
    assert.equal(cache.atKey('a/x'), undefined, 'what is not here can not be found');
  });

  it('takes no block for another one: of a later use of its place, or of another worker', () => {
    const cache = new ObjectCache(1000, 10);
    cache.set(block(1), { stamp: 1 });
    const { segment, offset8 } = block(1);
    assert.equal(cache.get(new BlockRef(segment, offset8, 10, 2, 0, 0)), undefined);
    assert.equal(cache.get(new BlockRef(segment + (1 << 16), offset8, 10, 1, 0, 0)), undefined);
    assert.equal(cache.get(new BlockRef(segment, offset8 + 1, 10, 1, 0, 0)), undefined);
    assert.deepEqual(cache.get(block(1)), { stamp: 1 });
  });

  it('is empty after it was cleared', () => {
    const cache = new ObjectCache(1000, 10);
    for (const stamp of [1, 2, 3]) cache.set(block(stamp), { stamp });
    cache.name(block(2), 'a/x', 0);
    cache.clear();
    assert.deepEqual([cache.bytes, cache.entries, cache.atKey('a/x')], [0, 0, undefined]);
  });

  it(`holds after any steps what an ordered list of its uses says (seed ${SEED})`, () => {
    const random = generator(SEED);
    const limitBytes = 500;
    const limitEntries = 40;
    const cache = new ObjectCache(limitBytes, limitEntries);
    // The oldest use first.
    let model: number[] = [];
    for (let step = 0; step < 20_000; step++) {
      const stamp = 1 + (random() % 150);
      const isHere = model.includes(stamp);
      const rest = model.filter((other) => other !== stamp);
      if (random() % 10 === 0) {
        cache.delete(block(stamp));
        model = rest;
      } else if (isHere || random() % 2 === 0) {
        assert.equal(cache.get(block(stamp)) !== undefined, isHere);
        model = isHere ? [...rest, stamp] : model;
      } else {
        cache.set(block(stamp), { stamp });
        model = [...rest, stamp];
        while (model.length > limitEntries || bytesOf(model) > limitBytes) model.shift();
      }
      assert.equal(cache.entries, model.length);
      assert.equal(cache.bytes, bytesOf(model));
    }
  });
});

/** Each of its own length, between 10 and 19 bytes. */
function block(stamp: number): BlockRef {
  return new BlockRef(3, stamp * 4, 10 + (stamp % 10), stamp, 0, 0);
}

function bytesOf(stamps: readonly number[]): number {
  return stamps.reduce((sum, stamp) => sum + block(stamp).lengthBytes, 0);
}

function present(cache: ObjectCache, stamps: readonly number[]): number[] {
  return stamps.filter((stamp) => cache.get(block(stamp)) !== undefined);
}

/** xorshift32 */
function generator(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
