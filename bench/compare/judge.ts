/** Says of each figure whether one version is faster, slower, or whether nobody can tell. */
import { type FigureName, figureOf } from '../report/figures.ts';
import { chanceOfNoDifference, medianOf, ratioInterval } from '../statistics.ts';
import type { SampleFigures } from '../suite/results.ts';

export interface Judgement {
  readonly figure: FigureName;
  /** Medians. */
  readonly before: number;
  readonly after: number;
  /** After divided by before, with an interval. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: 'faster' | 'slower' | 'smaller' | 'larger' | 'undecided';
  /** How sure it is that there is a difference at all, from 0 to 1. */
  readonly confidence: number;
}

/** One in twenty figures that do not differ is said to. */
export const WANTED_CONFIDENCE = 0.95;

/** Figures of memory: these are not faster or slower. */
const SIZES: readonly FigureName[] = ['rssMb', 'rssPeakMb', 'heapMb', 'sharedMb', 'bytesPerObject'];

/** @returns one for each figure that all samples have some of: CPU is counted in ticks, so there can be none */
export function judge(
  before: readonly SampleFigures[],
  after: readonly SampleFigures[],
  figures: readonly FigureName[],
  seed: number,
): Judgement[] {
  return figures.flatMap((figure) => {
    const [a, b] = [valuesOf(before, figure), valuesOf(after, figure)];
    const hasAll = a.length > 0 && b.length > 0 && [...a, ...b].every((value) => value > 0);
    return hasAll ? [judgeFigure(figure, a, b, seed)] : [];
  });
}

function judgeFigure(
  figure: FigureName,
  before: readonly number[],
  after: readonly number[],
  seed: number,
): Judgement {
  const { ratio, low, high } = ratioInterval(after, before, { seed });
  const confidence = 1 - chanceOfNoDifference(after, before, { seed });
  const verdict = confidence < WANTED_CONFIDENCE ? 'undecided' : wordFor(figure, ratio);
  return { figure, before: medianOf(before), after: medianOf(after), ratio, low, high, verdict, confidence };
}

function wordFor(figure: FigureName, ratio: number): Judgement['verdict'] {
  if (SIZES.includes(figure)) return ratio < 1 ? 'smaller' : 'larger';
  return ratio < 1 === (figureOf(figure).better === 'less') ? 'faster' : 'slower';
}

function valuesOf(samples: readonly SampleFigures[], figure: FigureName): number[] {
  const { of } = figureOf(figure);
  return samples.map((figures) => of(figures)).filter((value) => value !== undefined);
}
