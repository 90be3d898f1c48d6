import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sample } from '../../scripts/soak/sample.ts';
import { judge, tableOf } from '../../scripts/soak/verdict.ts';

const EQUAL = { missing: 0, extra: 0, different: 0 };

describe('the verdict of a soak', () => {
  it('is good when figures go up and down and come back', () => {
    const samples = run((n) => ({ rssMb: 200 + 40 * Math.sin(n), sockets: n % 3, timers: n % 2 }));
    assert.deepEqual(judge(samples, [EQUAL]).problems, []);
  });

  it('lets figures grow while it warms up', () => {
    const samples = run((n) => ({ rssMb: n < 20 ? 100 + 10 * n : 300 }));
    assert.deepEqual(judge(samples, [EQUAL]).problems, []);
  });

  it('is not misled by a peak at the end', () => {
    const samples = run((n) => ({ heapMb: n > 95 ? 400 : 50 }));
    assert.deepEqual(judge(samples, [EQUAL]).problems, []);
  });

  for (const [what, figures] of [
    ['memory', (n: number) => ({ rssMb: 200 + n, heapMb: 40 })],
    ['the heap', (n: number) => ({ heapMb: 40 + n / 4 })],
    ['shared memory', (n: number) => ({ sharedMb: 100 + n })],
    ['sockets', (n: number) => ({ sockets: 1 + Math.floor(n / 10) })],
    ['file descriptors', (n: number) => ({ fds: 30 + Math.floor(n / 8) })],
    ['timers', (n: number) => ({ timers: 1 + Math.floor(n / 10) })],
    ['listeners', (n: number) => ({ listeners: 4 + Math.floor(n / 30) })],
  ] as const) {
    it(`notices leaks of ${what}, and says how much`, () => {
      const { problems } = judge(run(figures), [EQUAL]);
      assert.equal(problems.length, 1);
      assert.match(problems[0]!, /grew by \d/);
    });
  }

  it('is bad when the cache was wrong, or was never compared', () => {
    const samples = run(() => ({}));
    assert.match(
      judge(samples, [EQUAL, { ...EQUAL, missing: 2 }]).problems[0]!,
      /comparison 2: 2 objects missing/,
    );
    assert.match(judge(samples, []).problems[0]!, /never compared/);
  });

  it('says nothing of a run that was too short', () => {
    assert.match(judge(run(() => ({})).slice(0, 5), [EQUAL]).problems[0]!, /run it longer/);
  });

  it('has a line for each figure', () => {
    const { lines } = tableOf(
      judge(
        run(() => ({})),
        [EQUAL],
      ),
    );
    assert.deepEqual(lines.fds, {
      median: '30.0',
      least: '30.0',
      most: '30.0',
      growth: '0.00',
      allowance: '6.0',
    });
  });
});

/** A hundred samples, five seconds apart. */
function run(figures: (n: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 100 }, (_, n) => ({
    seconds: 5 * n,
    rssMb: 200,
    heapMb: 40,
    sharedMb: 100,
    sockets: 1,
    fds: 30,
    timers: 1,
    listeners: 4,
    objects: 1000,
    ...figures(n),
  }));
}
