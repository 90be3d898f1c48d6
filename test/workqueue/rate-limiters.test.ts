import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';

const REFUSED = { code: 'KUBERING_QUEUE_ARGUMENT' };

describe('ItemExponentialFailureRateLimiter', () => {
  it('doubles the delay of an item with each failure, and of no other', () => {
    const limiter = new ItemExponentialFailureRateLimiter({ baseDelayMs: 1, maxDelayMs: 1_000 });

    assert.deepEqual(delays(limiter, 'a', 5), [1, 2, 4, 8, 16]);
    assert.deepEqual(delays(limiter, 'b', 2), [1, 2]);
    assert.equal(limiter.numRequeues('a'), 5);
    assert.equal(limiter.numRequeues('b'), 2);
  });

  it('begins anew with an item that was forgotten', () => {
    const limiter = new ItemExponentialFailureRateLimiter({ baseDelayMs: 1, maxDelayMs: 1_000 });
    delays(limiter, 'a', 5);
    limiter.forget('a');
    assert.equal(limiter.numRequeues('a'), 0);

    assert.deepEqual(delays(limiter, 'a', 2), [1, 2]);
  });

  it('never exceeds the longest delay, however often an item fails', () => {
    const limiter = new ItemExponentialFailureRateLimiter({ baseDelayMs: 1, maxDelayMs: 1_000 });
    const all = delays(limiter, 'a', 2_000);

    assert.deepEqual(all.slice(8, 12), [256, 512, 1_000, 1_000]);
    assert.equal(all.at(-1), 1_000);
    assert.equal(limiter.numRequeues('a'), 2_000);
  });

  it('goes from 5 ms to 1,000 s when nothing else is said', () => {
    const all = delays(new ItemExponentialFailureRateLimiter(), 'a', 19);

    assert.deepEqual([all[0], all[1], all[17], all[18]], [5, 10, 655_360, 1_000_000]);
  });

  it('makes a part of each delay random when that is wanted, also of the longest', () => {
    const options = { baseDelayMs: 100, maxDelayMs: 200, jitter: 0.5 };

    assert.deepEqual(
      delays(new ItemExponentialFailureRateLimiter({ ...options, random: () => 0 }), 'a', 3),
      [100, 200, 200],
    );
    assert.deepEqual(
      delays(new ItemExponentialFailureRateLimiter({ ...options, random: () => 0.5 }), 'a', 3),
      [75, 150, 150],
    );
  });

  it('tells items apart by the key function', () => {
    const limiter = new ItemExponentialFailureRateLimiter<{ key: string }>({ keyFunction: ({ key }) => key });
    limiter.when({ key: 'a' });
    limiter.when({ key: 'a' });
    assert.equal(limiter.numRequeues({ key: 'a' }), 2);

    limiter.forget({ key: 'a' });
    assert.equal(limiter.numRequeues({ key: 'a' }), 0);
  });

  it('refuses options that are out of range', () => {
    for (const options of [
      { baseDelayMs: 0 },
      { baseDelayMs: Number.NaN },
      { maxDelayMs: -1 },
      { maxDelayMs: Number.POSITIVE_INFINITY },
      { jitter: 1.1 },
      { jitter: -0.1 },
    ]) {
      assert.throws(() => new ItemExponentialFailureRateLimiter(options), REFUSED, JSON.stringify(options));
    }
  });
});

describe('ItemFastSlowRateLimiter', () => {
  const OPTIONS = { fastDelayMs: 5, slowDelayMs: 10_000, maxFastAttempts: 3 };

  it('is fast for the first failures of an item and slow for the others', () => {
    const limiter = new ItemFastSlowRateLimiter(OPTIONS);

    assert.deepEqual(delays(limiter, 'a', 5), [5, 5, 5, 10_000, 10_000]);
    assert.deepEqual(delays(limiter, 'b', 1), [5]);
    assert.equal(limiter.numRequeues('a'), 5);
  });

  it('is fast again for an item that was forgotten', () => {
    const limiter = new ItemFastSlowRateLimiter(OPTIONS);
    delays(limiter, 'a', 5);
    limiter.forget('a');

    assert.deepEqual(delays(limiter, 'a', 4), [5, 5, 5, 10_000]);
  });

  it('makes a part of each delay random when that is wanted', () => {
    const limiter = new ItemFastSlowRateLimiter({ ...OPTIONS, jitter: 1, random: () => 0.25 });

    assert.deepEqual(delays(limiter, 'a', 4), [3.75, 3.75, 3.75, 7_500]);
  });

  it('refuses options that are out of range', () => {
    for (const wrong of [{ fastDelayMs: -1 }, { slowDelayMs: Number.NaN }, { maxFastAttempts: 1.5 }]) {
      assert.throws(
        () => new ItemFastSlowRateLimiter({ ...OPTIONS, ...wrong }),
        REFUSED,
        JSON.stringify(wrong),
      );
    }
  });
});

describe('BucketRateLimiter', () => {
  it('lets a burst through and then reserves one token after the other', () => {
    const limiter = new BucketRateLimiter({ qps: 10, burst: 3, clock: new FakeClock() });

    assert.deepEqual(delays(limiter, 'a', 3), [0, 0, 0]);
    assert.deepEqual(rounded(delays(limiter, 'b', 3)), [100, 200, 300]);
  });

  it('gives tokens back with time, up to the burst', () => {
    const clock = new FakeClock();
    const limiter = new BucketRateLimiter({ qps: 10, burst: 3, clock });
    delays(limiter, 'a', 5);
    clock.advance(250);
    assert.deepEqual(rounded(delays(limiter, 'a', 1)), [50]);

    clock.advance(1_000_000);
    assert.deepEqual(rounded(delays(limiter, 'a', 4)), [0, 0, 0, 100]);
  });

  it('allows 10 a second after a burst of 100 when nothing else is said', () => {
    const all = rounded(delays(new BucketRateLimiter({ clock: new FakeClock() }), 'a', 102));

    assert.deepEqual(all.slice(98), [0, 0, 100, 200]);
  });

  it('knows no items', () => {
    const limiter = new BucketRateLimiter({ burst: 1, clock: new FakeClock() });
    delays(limiter, 'a', 2);
    limiter.forget('a');

    assert.equal(limiter.numRequeues('a'), 0);
    assert.deepEqual(rounded(delays(limiter, 'a', 1)), [200]);
  });

  it('refuses options that are out of range', () => {
    for (const options of [{ qps: 0 }, { qps: Number.NaN }, { burst: 0 }, { burst: 1.5 }]) {
      assert.throws(() => new BucketRateLimiter(options), REFUSED, JSON.stringify(options));
    }
  });
});

describe('MaxOfRateLimiter', () => {
  it('wants the longest delay of its limiters, each of which counts', () => {
    const limiter = new MaxOfRateLimiter(
      new ItemFastSlowRateLimiter({ fastDelayMs: 5, slowDelayMs: 3_000, maxFastAttempts: 3 }),
      new ItemExponentialFailureRateLimiter({ baseDelayMs: 1, maxDelayMs: 1_000 }),
    );

    assert.deepEqual(delays(limiter, 'a', 5), [5, 5, 5, 3_000, 3_000]);
    assert.deepEqual(delays(limiter, 'b', 2), [5, 5]);
    assert.equal(limiter.numRequeues('a'), 5);
  });

  it('forgets in each of them', () => {
    const parts = [
      new ItemExponentialFailureRateLimiter(),
      new ItemFastSlowRateLimiter({ fastDelayMs: 1, slowDelayMs: 2, maxFastAttempts: 1 }),
    ];
    const limiter = new MaxOfRateLimiter(...parts);
    limiter.when('a');
    limiter.forget('a');

    assert.deepEqual(
      parts.map((part) => part.numRequeues('a')),
      [0, 0],
    );
    assert.equal(limiter.numRequeues('a'), 0);
  });

  it('refuses to be made of nothing', () => {
    assert.throws(() => new MaxOfRateLimiter(), REFUSED);
  });
});

describe('WithMaxWaitRateLimiter', () => {
  it('cuts the delays of another limiter, which goes on counting', () => {
    const limiter = new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter({ baseDelayMs: 1 }), 5);

    assert.deepEqual(delays(limiter, 'a', 5), [1, 2, 4, 5, 5]);
    assert.equal(limiter.numRequeues('a'), 5);
    limiter.forget('a');
    assert.deepEqual(delays(limiter, 'a', 1), [1]);
  });

  it('refuses a longest delay that is negative', () => {
    assert.throws(() => new WithMaxWaitRateLimiter(new BucketRateLimiter(), -1), REFUSED);
  });
});

describe('the default of controllers', () => {
  it('is the longer of an exponential delay per item and a bucket for all', () => {
    const limiter = defaultControllerRateLimiter({ clock: new FakeClock() });
    assert.deepEqual(delays(limiter, 'a', 3), [5, 10, 20]);

    for (let i = 0; i < 97; i++) limiter.when(`item-${i}`);
    assert.deepEqual(rounded(delays(limiter, 'b', 2)), [100, 200]);
    assert.equal(limiter.numRequeues('b'), 2);
  });

  it('has no bucket, and begins with 1 ms, when items alone are limited', () => {
    const limiter = defaultItemBasedRateLimiter();
    for (let i = 0; i < 200; i++) limiter.when(`item-${i}`);

    assert.deepEqual(delays(limiter, 'a', 3), [1, 2, 4]);
  });

  it('has no jitter unless it is wanted', () => {
    const limiter = defaultControllerRateLimiter({ clock: new FakeClock(), jitter: 0.5, random: () => 0.5 });

    assert.deepEqual(delays(limiter, 'a', 2), [3.75, 7.5]);
  });
});

function delays(limiter: RateLimiter, item: string, count: number): number[] {
  return Array.from({ length: count }, () => limiter.when(item));
}

/** Tokens are fractions. */
function rounded(values: readonly number[]): number[] {
  return values.map((value) => Math.round(value * 1e6) / 1e6);
}
