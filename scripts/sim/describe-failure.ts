/** What people read of a seed that failed. */
import type { Outcome, Shrunk } from '../../test/sim/index.ts';

const TRACE_LINES = 25;
/** Steps that write many keys would fill the screen. */
const MAX_LINE_CHARS = 200;

export function describeFailure(outcome: Outcome, shrunk: Shrunk | undefined): string {
  const told = shrunk?.outcome ?? outcome;
  const trace = told.trace.slice(-TRACE_LINES).map((line) => `  ${line.slice(0, MAX_LINE_CHARS)}`);
  const replay = `npm run sim -- --seed ${outcome.seed}`;
  return [
    `seed ${outcome.seed} fails: ${outcome.failure!.message}`,
    ...(shrunk === undefined ? [] : describeShrunk(outcome, shrunk)),
    'its end:',
    ...trace,
    told.failure!.stack,
    `replay: ${replay}`,
    ...(shrunk === undefined ? [] : [`shrunk: ${replay} --only ${told.steps.join(',')}`]),
  ].join('\n');
}

function describeShrunk({ steps }: Outcome, { outcome, runs }: Shrunk): string[] {
  const line = `${outcome.steps.length} of its ${steps.length} steps suffice (after ${runs} runs)`;
  return [`${line}: ${outcome.failure!.message}`];
}
