/** Finds few of the steps of a failing seed that fail as well, by leaving out ever smaller parts of them (ddmin). */
import { type Outcome, simulate } from './simulate.ts';

/** A seed needs some tens of milliseconds: this ends within a minute. */
const MAX_RUNS = 500;

export interface Shrunk {
  /** The run of the steps that are left. */
  readonly outcome: Outcome;
  readonly runs: number;
}

/** @param failed - a run that failed; whatever fails with fewer steps counts, also when it says something else */
export async function shrink(failed: Outcome, run = simulate): Promise<Shrunk> {
  let best = failed;
  let runs = 0;
  let parts = 2;
  while (best.steps.length > 0 && runs < MAX_RUNS) {
    const length = Math.ceil(best.steps.length / parts);
    let isSmaller = false;
    for (let start = 0; start < best.steps.length && runs < MAX_RUNS; ) {
      const only = best.steps.toSpliced(start, length);
      runs++;
      const outcome = await run(failed.seed, { only });
      if (outcome.failure === undefined) {
        start += length;
      } else {
        // What follows has moved to where this part was.
        best = outcome;
        isSmaller = true;
      }
    }
    if (!isSmaller && length === 1) break;
    parts = isSmaller ? Math.max(2, parts - 1) : Math.min(parts * 2, best.steps.length);
  }
  return { outcome: best, runs };
}
