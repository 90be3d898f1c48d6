/** What can be said of few, skewed samples: ratios of medians, how sure they are, and whether two programs differ. */
import { spreadOf } from './summary.ts';

/** A ratio of two medians, and where it lies as far as the samples can tell. */
export interface RatioInterval {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export interface ResampleOptions {
  /** The same seed gives the same interval. */
  readonly seed: number;
  /** @default 2,000 */
  readonly resamples?: number;
}

export interface IntervalOptions extends ResampleOptions {
  /** How sure the interval is, from 0 to 1. @default 0.95 */
  readonly confidence?: number;
}

const DEFAULT_RESAMPLES = 2_000;
const DEFAULT_CONFIDENCE = 0.95;

/** Up to so many ways to deal samples out, all of them are looked at; else some are drawn. */
const MOST_DEALS = 20_000;

export function medianOf(values: readonly number[]): number {
  return spreadOf(values).median;
}

/** Numbers from 0 to 1 (mulberry32 by Tommy Ettinger), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Median of `values` divided by that of `base`, with a percentile bootstrap interval (Efron 1979).
 *
 * @param values - at least one, as `base`; all above 0
 */
export function ratioInterval(
  values: readonly number[],
  base: readonly number[],
  { seed, resamples = DEFAULT_RESAMPLES, confidence = DEFAULT_CONFIDENCE }: IntervalOptions,
): RatioInterval {
  const random = randomFrom(seed);
  const ratios = Float64Array.from({ length: resamples }, () => {
    return medianOf(drawn(values, random)) / medianOf(drawn(base, random));
  }).sort();
  const outside = (1 - confidence) / 2;
  return {
    ratio: medianOf(values) / medianOf(base),
    low: ratios[Math.floor(outside * (resamples - 1))]!,
    high: ratios[Math.ceil((1 - outside) * (resamples - 1))]!,
  };
}

/**
 * How likely medians would be at least so far apart if the two did not differ: a permutation test on the ratio of
 * medians. With few samples all ways to deal them out are looked at, so the answer is exact.
 *
 * @param a - at least one, as `b`; all above 0
 */
export function chanceOfNoDifference(
  a: readonly number[],
  b: readonly number[],
  { seed, resamples = DEFAULT_RESAMPLES }: ResampleOptions,
): number {
  const all = [...a, ...b];
  const observed = distance(a, b);
  let deals = 0;
  let asFar = 0;
  for (const chosen of dealsOf(all.length, a.length, resamples, randomFrom(seed))) {
    const [ours, others]: [number[], number[]] = [[], []];
    all.forEach((value, i) => {
      (chosen.has(i) ? ours : others).push(value);
    });
    deals++;
    // What is as far apart but for rounding is as far apart.
    if (distance(ours, others) >= observed * (1 - 1e-12)) asFar++;
  }
  return asFar / deals;
}

/** Of medians, by their ratio: twice as much is as far as half. */
function distance(a: readonly number[], b: readonly number[]): number {
  return Math.abs(Math.log(medianOf(a) / medianOf(b)));
}

function* dealsOf(
  all: number,
  take: number,
  resamples: number,
  random: () => number,
): Generator<ReadonlySet<number>> {
  if (binomial(all, take) <= MOST_DEALS) {
    yield* combinations(all, take);
    return;
  }
  // The deal that was observed is one of them, so that the chance is never 0.
  yield new Set(Array.from({ length: take }, (_, i) => i));
  for (let i = 0; i < resamples; i++) {
    const left = Array.from({ length: all }, (_, index) => index);
    yield new Set(Array.from({ length: take }, () => left.splice(Math.floor(random() * left.length), 1)[0]!));
  }
}

function* combinations(all: number, take: number, from = 0): Generator<Set<number>> {
  if (take === 0) {
    yield new Set();
    return;
  }
  for (let first = from; first <= all - take; first++) {
    for (const rest of combinations(all, take - 1, first + 1)) yield rest.add(first);
  }
}

function binomial(all: number, take: number): number {
  let ways = 1;
  for (let i = 1; i <= take; i++) ways = (ways * (all - take + i)) / i;
  return Math.round(ways);
}

function drawn(values: readonly number[], random: () => number): number[] {
  return values.map(() => values[Math.floor(random() * values.length)]!);
}
