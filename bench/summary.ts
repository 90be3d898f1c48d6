/** Medians over the rounds, and what they are beside client-node's. */
import type { Entrant, LibraryName, Workload } from './contenders/index.ts';
import { FIGURES, type FigureName } from './figures.ts';
import type { RunResult } from './run.ts';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** All rounds of one entrant. */
export interface SummaryRow extends Entrant {
  readonly rounds: number;
  readonly figures: { readonly [Name in FigureName]?: Spread };
}

/** The order of the rows is that of the first round. */
export function summarise(runs: readonly RunResult[]): SummaryRow[] {
  const groups = Map.groupBy(runs, ({ library, workload }) => `${library} ${workload}`);
  return [...groups.values()].map((group) => {
    const { library, workload } = group[0]!;
    const figures: { [Name in FigureName]?: Spread } = {};
    for (const { name } of FIGURES) {
      const values = group.map((run) => run.figures[name]).filter((value) => value !== undefined);
      if (values.length > 0) figures[name] = spreadOf(values);
    }
    return { library, workload, rounds: group.length, figures };
  });
}

/** @param values - at least one */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle]!;
  const median = sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** The row of a library at a workload. */
export function rowOf(
  rows: readonly SummaryRow[],
  library: LibraryName,
  workload: Workload,
): SummaryRow | undefined {
  return rows.find((row) => row.library === library && row.workload === workload);
}

/** One median divided by another; undefined when either is missing or nothing can be said. */
export function ratioOf(
  row: SummaryRow | undefined,
  base: SummaryRow | undefined,
  name: FigureName,
): number | undefined {
  const value = row?.figures[name]?.median;
  const other = base?.figures[name]?.median;
  return value === undefined || other === undefined || other === 0 ? undefined : value / other;
}
