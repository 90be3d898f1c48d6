/** Samples by table and by row. */
import { type RatioInterval, ratioInterval } from '../statistics.ts';
import { isOurs } from '../suite/contender.ts';
import { type Mode, SCENARIOS } from '../suite/protocol.ts';
import type { Cell, SampleLine } from '../suite/results.ts';
import { type Spread, spreadOf } from '../summary.ts';
import { type FigureName, figureOf } from './figures.ts';

/** All samples of one contender in one way to read objects, under the same conditions. */
export interface Row {
  readonly contender: string;
  readonly mode: Mode;
  readonly samples: readonly SampleLine[];
  /** What was wrong with an answer: then no figure of this row is shown. */
  readonly problem?: string;
}

/** What can be compared: one table. */
export interface Group extends Pick<Cell, 'scenario' | 'objects' | 'objectKind' | 'rate' | 'transport'> {
  readonly rows: readonly Row[];
}

/** How much better kubering is: above 1 it is, by so much. */
export interface Comparison extends RatioInterval {
  readonly figure: FigureName;
  readonly ours: Row;
  readonly theirs: Row;
}

/** So that a report of the same samples is always the same. */
const SEED = 20_261_201;

/** In the order of scenarios, then of sizes and rates. */
export function groupsOf(samples: readonly SampleLine[]): Group[] {
  const groups = Map.groupBy(samples, ({ scenario, objects, objectKind, rate, transport }) =>
    [scenario, objects, objectKind, rate, transport].join(' '),
  );
  return [...groups.values()].map(groupOf).toSorted((a, b) => {
    return (
      SCENARIOS.indexOf(a.scenario) - SCENARIOS.indexOf(b.scenario) ||
      a.objects - b.objects ||
      (a.rate ?? 0) - (b.rate ?? 0)
    );
  });
}

/** @param samples - at least one, all of the same conditions */
function groupOf(samples: readonly SampleLine[]): Group {
  const { scenario, objects, objectKind, rate, transport } = samples[0]!;
  const rows = Map.groupBy(samples, ({ contender, mode }) => `${contender} ${mode}`);
  return {
    scenario,
    objects,
    objectKind,
    ...(rate !== undefined && { rate }),
    transport,
    rows: [...rows.values()].map(rowOf).toSorted((a, b) => rank(a) - rank(b)),
  };
}

function rowOf(samples: readonly SampleLine[]): Row {
  const { contender, mode } = samples[0]!;
  const wrong = samples.find(({ answer }) => !answer.right);
  const problem = wrong && (wrong.answer.problems[0] ?? 'no reason is given');
  return { contender, mode, samples, ...(problem !== undefined && { problem }) };
}

/** kubering first, with the way that costs least; the others as they came. */
function rank({ contender, mode }: Row): number {
  return (isOurs(contender) ? 0 : MODES.length) + MODES.indexOf(mode);
}

const MODES: readonly Mode[] = ['keys', 'two-fields', 'decode-all'];

/** @returns nothing of a row with a wrong answer, nor of what its contender can't tell */
export function valuesOf(row: Row | undefined, figure: FigureName): number[] {
  if (row === undefined || row.problem !== undefined) return [];
  const { of } = figureOf(figure);
  return row.samples.map(({ figures }) => figures && of(figures)).filter((value) => value !== undefined);
}

export function spreadIn(row: Row | undefined, figure: FigureName): Spread | undefined {
  const values = valuesOf(row, figure);
  return values.length === 0 ? undefined : spreadOf(values);
}

/** kubering's row of a mode, and each other contender's of the same mode, or else its only one. */
export function pairsOf({ rows }: Pick<Group, 'rows'>): { ours: Row; theirs: Row }[] {
  const others = new Set(rows.map(({ contender }) => contender).filter((contender) => !isOurs(contender)));
  return rows
    .filter(({ contender }) => isOurs(contender))
    .flatMap((ours) => {
      return [...others].map((contender) => ({ ours, theirs: rivalOf(rows, contender, ours.mode)! }));
    });
}

/** @returns undefined when the contender was not measured */
export function rivalOf(rows: readonly Row[], contender: string, mode: Mode): Row | undefined {
  const theirs = rows.filter((row) => row.contender === contender);
  return theirs.find((row) => row.mode === mode) ?? theirs.find((row) => row.mode === 'keys') ?? theirs[0];
}

/** @returns undefined when one of the two does not have the figure, or has none of it: CPU is counted in ticks */
export function compare(
  ours: Row | undefined,
  theirs: Row | undefined,
  figure: FigureName,
): Comparison | undefined {
  const [a, b] = [valuesOf(ours, figure), valuesOf(theirs, figure)];
  // Nothing can be said of how many times less than nothing.
  if (![...a, ...b].every((value) => value > 0) || a.length === 0 || b.length === 0) return undefined;
  const interval =
    figureOf(figure).better === 'more'
      ? ratioInterval(a, b, { seed: SEED })
      : ratioInterval(b, a, { seed: SEED });
  return { ...interval, figure, ours: ours!, theirs: theirs! };
}

/** Better or worse only when the interval leaves no doubt, and the difference is more than that of a program to itself. */
export function verdictOf(
  { ratio, low, high }: RatioInterval,
  noise: number,
): 'better' | 'worse' | 'undecided' {
  if (low > 1 && ratio > 1 + noise) return 'better';
  if (high < 1 && 1 / ratio > 1 + noise) return 'worse';
  return 'undecided';
}
