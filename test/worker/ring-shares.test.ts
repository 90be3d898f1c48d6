import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RingShares } from '../../src/worker/ring-shares.ts';

describe('ring shares', () => {
  it('let a single reflector have the whole ring', () => {
    const ring = makeRing(64, [1]);

    assert.equal(ring.fill(1), 64);
  });

  it('keep a share free for a reflector that is quiet', () => {
    const ring = makeRing(64, [1, 2]);
    assert.equal(ring.fill(1), 56);

    assert.equal(ring.fill(2), 8);
  });

  it('keep a share free for a third when two are flooded, however they alternate', () => {
    const ring = makeRing(96, [1, 2, 3]);
    for (let i = 0; i < 200; i++) ring.put(1 + (i % 2));
    assert.equal(ring.free, 8);

    assert.equal(ring.fill(3), 8);
  });

  it('give a flooded reflector room again as its records come back', () => {
    const ring = makeRing(64, [1, 2]);
    ring.fill(1);
    ring.giveBack(1, 10);

    assert.equal(ring.fill(1), 10);
    assert.equal(ring.fill(2), 8);
  });

  it('forget a reflector that was stopped', () => {
    const ring = makeRing(64, [1, 2]);
    ring.shares.remove(2);

    assert.equal(ring.fill(1), 64);
  });
});

function makeRing(capacity: number, sources: number[]) {
  const shares = new RingShares(capacity);
  for (const source of sources) shares.add(source);
  const ring = {
    shares,
    free: capacity,
    put(source: number): boolean {
      if (!shares.mayPut(source, ring.free)) return false;
      shares.put(source);
      ring.free--;
      return true;
    },
    fill(source: number): number {
      let put = 0;
      while (ring.put(source)) put++;
      return put;
    },
    giveBack(source: number, count: number): void {
      for (let i = 0; i < count; i++) shares.givenBack(source);
      ring.free += count;
    },
  };
  return ring;
}
