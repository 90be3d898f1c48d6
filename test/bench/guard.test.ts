import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { differences, type GuardRecord } from '../../bench/guard/check.ts';

const RECORDED = { heapBytesPerObject: 200, sharedBytesPerObject: 10_000 };

describe('memory guard', () => {
  it('accepts what is within a tenth of the record, on both sides', () => {
    assert.deepEqual(differences({ heapBytesPerObject: 220, sharedBytesPerObject: 9_000 }, RECORDED), []);
  });

  it('names each figure that is more, with both values', () => {
    assert.deepEqual(differences({ heapBytesPerObject: 221, sharedBytesPerObject: 12_000 }, RECORDED), [
      'heap after a collection: 221 bytes an object, recorded were 200 (+11 %)',
      'shared memory: 12000 bytes an object, recorded were 10000 (+20 %)',
    ]);
  });

  it('has what became less recorded, so that it can not grow back unseen', () => {
    const [less] = differences({ ...RECORDED, sharedBytesPerObject: 5_000 }, RECORDED);

    assert.match(
      less!,
      /5000 bytes an object, recorded were 10000 \(-50 %\); if that is meant to stay, record it/,
    );
  });

  it('has a record of both figures, with what it was made of', () => {
    const text = readFileSync(new URL('../../bench/guard.json', import.meta.url), 'utf8');
    const { pods, seed, node, heapBytesPerObject, sharedBytesPerObject } = JSON.parse(text) as GuardRecord;

    for (const value of [pods, seed, node, heapBytesPerObject, sharedBytesPerObject]) {
      assert.ok(Number.isSafeInteger(value) && value > 0);
    }
  });
});
