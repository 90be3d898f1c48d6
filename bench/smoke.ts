/**
 * kubering beside client-node's informer in one run: a list of Pods and a stream of updates. Each contender
 * has a fresh process and a fresh server with the same data, contenders take turns, and every answer is
 * compared with the server. What the figures mean is in bench/README.md.
 */
import type { Entrant } from './contenders/index.ts';
import { describeRun, loadWarning, type RunHeader } from './machine.ts';
import { readOptions, type SmokeOptions, USAGE } from './options.ts';
import { type RunResult, runOnce } from './run.ts';
import { resultFiles, saveResults } from './save.ts';
import { type SummaryRow, summarise } from './summary.ts';
import { LEGEND, tablesOf } from './tables.ts';

const ENTRANTS: readonly Entrant[] = [
  { library: 'client-node', workload: 'keys' },
  { library: 'kubering', workload: 'keys' },
  { library: 'client-node', workload: 'decode' },
  { library: 'kubering', workload: 'decode-new' },
  { library: 'kubering', workload: 'decode' },
  { library: 'kubering', workload: 'decode-drop' },
];

const options = optionsOrExit();
process.exitCode = await smoke(options);

/** @returns the exit code: 1 when an answer is wrong */
async function smoke({ json, save, ...sizes }: SmokeOptions): Promise<number> {
  const header = describeRun('smoke', sizes);
  const files = save ? resultFiles(header) : undefined;
  const warning = loadWarning(header);
  if (warning !== undefined) console.error(`warning: ${warning}`);

  const runs: RunResult[] = [];
  for (let round = 1; round <= sizes.rounds; round++) {
    // Every other round goes backwards, so that nobody always comes after the same neighbour.
    const order = round % 2 === 1 ? ENTRANTS : ENTRANTS.toReversed();
    for (const entrant of order) {
      const run = await runOnce(entrant, round, sizes);
      runs.push(run);
      report(run, json);
    }
  }

  const rows = summarise(runs);
  if (json) console.log(JSON.stringify({ header, rows, runs }));
  else printSummary(header, runs, rows);
  const wrong = runs.filter((run) => run.problems.length > 0);
  if (wrong.length > 0) {
    console.error(`${wrong.length} of ${runs.length} answers are WRONG: their figures mean nothing`);
    return 1;
  }
  if (files !== undefined) saveResults(files, header, runs, tablesOf(rows), LEGEND);
  return 0;
}

function report({ library, workload, round, figures, checksum, problems }: RunResult, isJson: boolean): void {
  const who = `round ${round}, ${library}, ${workload}`;
  for (const problem of problems) console.error(`${who}: WRONG: ${problem}`);
  if (isJson) return;
  const { listMs = Number.NaN, eventsPerSecond = Number.NaN } = figures;
  const took = `list ${listMs.toFixed(0)} ms, ${eventsPerSecond.toFixed(0)} events/s`;
  console.log(`${who}: ${took}, checksum ${checksum}`);
}

function printSummary(header: RunHeader, runs: readonly RunResult[], rows: readonly SummaryRow[]): void {
  for (const { title, lines } of tablesOf(rows)) {
    console.log(`\n${title}`);
    console.table(lines);
  }
  console.log(LEGEND);
  const { cpu, cores } = header.machine;
  console.log(`${cpu}, ${cores} cores; Node ${header.node}; load average at the start ${header.loadavg[0]}`);
  const right = runs.filter((run) => run.problems.length === 0).length;
  console.log(`${right} of ${runs.length} answers are right`);
}

function optionsOrExit(): SmokeOptions {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options !== undefined) return options;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}
