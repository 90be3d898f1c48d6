import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parallelizeUntil } from '../../src/workqueue/index.ts';
import { settle } from './helpers.ts';

describe('parallelizeUntil', () => {
  for (const { pieces, workers, chunkSize } of [
    { pieces: 1000, workers: 10, chunkSize: 1 },
    { pieces: 1000, workers: 10, chunkSize: 10 },
    { pieces: 1000, workers: 10, chunkSize: 100 },
    { pieces: 999, workers: 10, chunkSize: 13 },
    { pieces: 3, workers: 10, chunkSize: 2 },
    { pieces: 0, workers: 1, chunkSize: 1 },
  ]) {
    it(`works on each of ${pieces} pieces once, with ${workers} workers and ${chunkSize} at a time`, async () => {
      const seen: number[] = [];
      let running = 0;
      let most = 0;
      const work = async (piece: number) => {
        running++;
        most = Math.max(most, running);
        await Promise.resolve();
        running--;
        seen.push(piece);
      };
      await parallelizeUntil(pieces, work, { workers, chunkSize });

      assert.deepEqual(
        seen.toSorted((a, b) => a - b),
        Array.from({ length: pieces }, (_, i) => i),
      );
      assert.equal(most, Math.min(workers, Math.ceil(pieces / chunkSize)));
    });
  }

  it('starts no piece after an abort, and waits for those that run', async () => {
    const controller = new AbortController();
    const ended: number[] = [];
    const work = async (piece: number) => {
      if (piece === 3) controller.abort();
      await settle();
      ended.push(piece);
    };
    await parallelizeUntil(100, work, { workers: 2, chunkSize: 50, signal: controller.signal });

    assert.deepEqual(
      ended.toSorted((a, b) => a - b),
      [0, 1, 2, 3, 50, 51, 52],
    );
  });

  it('starts no piece after an error, and throws it when the others have ended', async () => {
    let ended = 0;
    const work = async (piece: number) => {
      if (piece === 1) throw new Error('broken piece');
      await settle();
      ended++;
    };

    await assert.rejects(parallelizeUntil(100, work, { workers: 3 }), /broken piece/);
    assert.equal(ended, 2);
  });

  it('refuses numbers that are out of range', async () => {
    for (const [pieces, options] of [
      [-1, { workers: 1 }],
      [1, { workers: 0 }],
      [1, { workers: 1, chunkSize: 0 }],
    ] as const) {
      await assert.rejects(
        parallelizeUntil(pieces, () => {}, options),
        { code: 'KUBERING_QUEUE_ARGUMENT' },
      );
    }
  });
});
