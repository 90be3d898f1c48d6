/** Whether what must stay flat did. */
import type { Table } from '../../bench/tables.ts';
import { FLAT, type Sample } from './sample.ts';

/** The first part of a run, in which caches, pools and compiled code come to their size. */
const WARM_UP_PART = 1 / 5;

/** Fewer samples say nothing of a slope. */
const LEAST_SAMPLES = 8;

/** How much a figure may grow between the warm-up and the end: a part of its median, and so much besides. */
const ALLOWED: Readonly<Record<(typeof FLAT)[number], { readonly part: number; readonly more: number }>> = {
  rssMb: { part: 0.1, more: 24 },
  heapMb: { part: 0.1, more: 6 },
  // The number of objects wanders, and a relist needs room for the old and the new state at a time.
  sharedMb: { part: 0.15, more: 16 },
  sockets: { part: 0, more: 4 },
  fds: { part: 0, more: 6 },
  timers: { part: 0, more: 4 },
  listeners: { part: 0, more: 0.5 },
};

export interface Comparison {
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
}

export interface Verdict {
  readonly figures: readonly {
    readonly name: string;
    readonly median: number;
    readonly least: number;
    readonly most: number;
    readonly growth: number;
    readonly allowance: number;
  }[];
  /** What went wrong, for people; none when all is well. */
  readonly problems: readonly string[];
}

export function judge(samples: readonly Sample[], comparisons: readonly Comparison[]): Verdict {
  const steady = samples.slice(Math.floor(samples.length * WARM_UP_PART));
  const problems: string[] = [];
  if (steady.length < LEAST_SAMPLES)
    problems.push(`only ${steady.length} samples after the warm-up: run it longer`);
  const figures = FLAT.map((name) => {
    const values = steady.map((sample) => sample[name]);
    const middle = medianOf(values);
    const growth = growthOf(
      steady.map(({ seconds }) => seconds),
      values,
    );
    const { part, more } = ALLOWED[name];
    const allowance = middle * part + more;
    if (growth > allowance) {
      problems.push(
        `${name} grew by ${growth.toFixed(1)} (allowed: ${allowance.toFixed(1)}), its median is ${middle}`,
      );
    }
    return { name, median: middle, least: Math.min(...values), most: Math.max(...values), growth, allowance };
  });
  comparisons.forEach(({ missing, extra, different }, n) => {
    if (missing + extra + different === 0) return;
    problems.push(
      `comparison ${n + 1}: ${missing} objects missing, ${extra} too many, ${different} different`,
    );
  });
  if (comparisons.length === 0) problems.push('the cache was never compared: run it longer');
  return { figures, problems };
}

export function tableOf({ figures }: Verdict): Table {
  const cells = figures.map(({ name, median, least, most, growth, allowance }) => [
    name,
    {
      median: median.toFixed(1),
      least: least.toFixed(1),
      most: most.toFixed(1),
      growth: growth.toFixed(2),
      allowance: allowance.toFixed(1),
    },
  ]);
  return { title: 'After the warm-up', lines: Object.fromEntries(cells) };
}

/** The median of the slopes between all pairs (Theil and Sen), times the duration: a peak or two change nothing. */
function growthOf(at: readonly number[], values: readonly number[]): number {
  const slopes: number[] = [];
  for (let i = 0; i < at.length; i++) {
    for (let j = i + 1; j < at.length; j++) {
      if (at[j]! > at[i]!) slopes.push((values[j]! - values[i]!) / (at[j]! - at[i]!));
    }
  }
  return slopes.length === 0 ? 0 : medianOf(slopes) * (at.at(-1)! - at[0]!);
}

function medianOf(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
