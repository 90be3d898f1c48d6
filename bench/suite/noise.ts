/** What the pair that differs in nothing says: ratios nearer to 1 than its own mean nothing. */
import { spreadOf } from '../summary.ts';
import type { ResultLine, SampleLine } from './results.ts';

export interface Noise {
  readonly a: number;
  readonly b: number;
  /** From 0: how much larger one median is than the other. */
  readonly apart: number;
  /** Largest of all divided by smallest. */
  readonly spread: number;
}

/** @returns undefined without samples of both */
export function noiseOf(lines: readonly ResultLine[]): Noise | undefined {
  const wall = (name: 'A' | 'B') =>
    lines
      .filter((line): line is SampleLine => line.kind === 'sample' && line.aa === name)
      .flatMap(({ figures }) => (figures === undefined ? [] : [figures.wallMs]));
  const [as, bs] = [wall('A'), wall('B')];
  if (as.length === 0 || bs.length === 0) return undefined;
  const [a, b, all] = [spreadOf(as), spreadOf(bs), spreadOf([...as, ...bs])];
  const [less, more] = [Math.min(a.median, b.median), Math.max(a.median, b.median)];
  return { a: a.median, b: b.median, apart: more / less - 1, spread: all.max / all.min };
}

export function describeNoise({ a, b, apart, spread }: Noise): string {
  return (
    `the same program measured twice (A/A): ${a.toFixed(0)} and ${b.toFixed(0)} ms, ${(apart * 100).toFixed(1)} % apart; ` +
    `slowest sample ${spread.toFixed(2)} times the fastest. Smaller differences than these say nothing.`
  );
}
