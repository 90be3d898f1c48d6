import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ledger } from '../../src/worker/ledger.ts';

const SEED = 20261130;

describe('ledger', () => {
  it('knows the version that was put last, and no other', () => {
    const ledger = new Ledger();
    ledger.set(1, 2, 10, 20);

    assert.equal(ledger.isSame(1, 2, 10, 20), true);
    assert.equal(ledger.isSame(1, 2, 10, 21), false);
    assert.equal(ledger.isSame(1, 3, 10, 20), false);
    ledger.set(1, 2, 11, 20);
    assert.equal(ledger.isSame(1, 2, 10, 20), false);
    assert.equal(ledger.isSame(1, 2, 11, 20), true);
  });

  it('forgets what a Replace did not see, and keeps what it saw as a mark or as a body', () => {
    const ledger = new Ledger();
    for (const key of [1, 2, 3]) ledger.set(key, key, key, key);
    ledger.beginSweep();
    assert.equal(ledger.isSame(1, 1, 1, 1), true);
    ledger.set(2, 2, 7, 7);
    ledger.endSweep();

    assert.equal(ledger.size, 2);
    assert.equal(ledger.isSame(1, 1, 1, 1), true);
    assert.equal(ledger.isSame(2, 2, 7, 7), true);
    assert.equal(ledger.isSame(3, 3, 3, 3), false);
  });

  it(`does what a Map does, through growth and deletes, with keys that collide (seed ${SEED})`, () => {
    const random = seeded(SEED);
    const ledger = new Ledger();
    const model = new Map<string, [number, number, number, number]>();
    for (let step = 0; step < 20_000; step++) {
      // Few lower halves: long probes, rows that wrap around the end of the table.
      const keyLo = random(64) - 32;
      const keyHi = random(200);
      const id = `${keyLo},${keyHi}`;
      const action = random(10);
      if (action < 5) {
        const version: [number, number] = [random(5), random(5)];
        ledger.set(keyLo, keyHi, ...version);
        model.set(id, [keyLo, keyHi, ...version]);
      } else if (action < 8) {
        ledger.delete(keyLo, keyHi);
        model.delete(id);
      } else {
        const known = model.get(id);
        assert.equal(ledger.isSame(keyLo, keyHi, 3, 3), known?.[2] === 3 && known[3] === 3);
      }
    }

    assert.equal(ledger.size, model.size);
    for (const [keyLo, keyHi, versionLo, versionHi] of model.values()) {
      assert.equal(ledger.isSame(keyLo, keyHi, versionLo, versionHi), true);
    }
  });
});

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return ((state >>> 8) * below) >>> 24;
  };
}
