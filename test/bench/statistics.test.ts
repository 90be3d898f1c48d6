import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chanceOfNoDifference, medianOf, randomFrom, ratioInterval } from '../../bench/statistics.ts';

const SEED = 1;

describe('bench statistics', () => {
  it('draws the same numbers from the same seed, spread over 0 to 1', () => {
    const numbers = (seed: number) => Array.from({ length: 1000 }, randomFrom(seed));

    assert.deepEqual(numbers(7), numbers(7));
    assert.notDeepEqual(numbers(7), numbers(8));
    assert.ok(numbers(7).every((x) => x >= 0 && x < 1));
    assert.ok(Math.abs(medianOf(numbers(7)) - 0.5) < 0.05);
  });

  it('gives the ratio of medians, and an interval around it', () => {
    const { ratio, low, high } = ratioInterval([20, 22, 18, 21, 19], [10, 11, 9, 10, 10], { seed: SEED });

    assert.equal(ratio, 2);
    assert.ok(low > 1.6 && low < 2, `${low}`);
    assert.ok(high > 2 && high < 2.5, `${high}`);
  });

  it('gives an interval without width when samples do not differ', () => {
    assert.deepEqual(ratioInterval([6, 6], [3, 3, 3], { seed: SEED }), { ratio: 2, low: 2, high: 2 });
  });

  it('gives a wider interval when it is to be surer', () => {
    const [a, b] = [noisy(10, 1, 9), noisy(10, 1, 9, 5)];
    const width = (confidence: number) => {
      const { low, high } = ratioInterval(a, b, { seed: SEED, confidence });
      return high - low;
    };

    assert.ok(width(0.99) > width(0.5));
  });

  it('finds the true ratio inside of the interval about as often as promised', () => {
    const trials = 200;
    let inside = 0;
    for (let trial = 0; trial < trials; trial++) {
      const { low, high } = ratioInterval(noisy(30, 3, 15, trial), noisy(10, 1, 15, trial + 1000), {
        seed: trial,
        resamples: 300,
      });
      if (low <= 3 && high >= 3) inside++;
    }

    assert.ok(inside / trials > 0.9, `${inside} of ${trials}`);
  });

  it('counts exactly how many ways to deal out few samples are as far apart', () => {
    // Of the 20 ways, two have all low ones on one side, and two more have the same medians.
    assert.equal(chanceOfNoDifference([1, 2, 3], [10, 11, 12], { seed: SEED }), 4 / 20);
    assert.equal(chanceOfNoDifference([5, 5, 5], [5, 5, 5], { seed: SEED }), 1);
  });

  it('draws some of the ways when there are too many, and is never sure', () => {
    const chance = chanceOfNoDifference(noisy(10, 1, 12), noisy(100, 1, 12, 5), {
      seed: SEED,
      resamples: 500,
    });

    assert.ok(chance > 0 && chance < 0.01, `${chance}`);
  });

  it('rarely takes noise for a difference', () => {
    const trials = 200;
    let wrong = 0;
    for (let trial = 0; trial < trials; trial++) {
      const chance = chanceOfNoDifference(noisy(10, 2, 5, trial), noisy(10, 2, 5, trial + 1000), {
        seed: trial,
      });
      if (chance <= 0.05) wrong++;
    }

    assert.ok(wrong / trials < 0.1, `${wrong} of ${trials}`);
  });
});

/** Samples around a middle, as far as `reach` to both sides. */
function noisy(middle: number, reach: number, count: number, seed = SEED): number[] {
  const random = randomFrom(seed * 7919);
  return Array.from({ length: count }, () => middle + (random() * 2 - 1) * reach);
}
