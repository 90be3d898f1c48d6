/**
 * What a relist of unchanged objects costs, beside the first list of the same objects. Each observation has a
 * fresh process and a fresh server. What the figures mean is in bench/README.md.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from './machine.ts';
import type { RelistFigures } from './relist/run.ts';
import { resultFiles, saveResults } from './save.ts';
import { spreadOf } from './summary.ts';
import type { Table } from './tables.ts';

const LEGEND = 'median (min–max) of the rounds; ratio: relist ÷ first list';
const SEED = 20261130;

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    save: { type: 'boolean', default: false },
  },
});
const sizes = { pods: Number(values.pods), rounds: Number(values.rounds), seed: SEED };
const header = describeRun('relist', sizes);
const files = values.save ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);

const runs: RelistFigures[] = [];
for (let round = 1; round <= sizes.rounds; round++) {
  const run = observe();
  runs.push(run);
  console.log(`round ${round}: ${JSON.stringify(run)}`);
}
const table = tableOf(runs);
console.log(table.title);
console.table(table.lines);
console.log(LEGEND);
if (runs.some(isWrong)) {
  console.error('an answer is WRONG: a handler was called, or objects are missing');
  process.exitCode = 1;
} else if (files !== undefined) {
  saveResults(files, header, runs, [table], LEGEND);
}

function observe(): RelistFigures {
  const script = fileURLToPath(new URL('./relist/run.ts', import.meta.url));
  const args = [script, String(sizes.pods), String(sizes.seed)];
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as RelistFigures;
}

function isWrong({ handlerCalls, objects }: RelistFigures): boolean {
  return handlerCalls !== 0 || objects !== sizes.pods;
}

function tableOf(all: readonly RelistFigures[]): Table {
  const line = (first: keyof RelistFigures, relist: keyof RelistFigures) => ({
    'first list': cell(all.map((run) => run[first])),
    relist: cell(all.map((run) => run[relist])),
    ratio: (
      spreadOf(all.map((run) => run[relist])).median / spreadOf(all.map((run) => run[first])).median
    ).toFixed(2),
  });
  return {
    title: `${sizes.pods} unchanged Pods`,
    lines: {
      'home thread, CPU ms': line('firstHomeCpuMs', 'relistHomeCpuMs'),
      'other threads, CPU ms': line('firstOtherCpuMs', 'relistOtherCpuMs'),
    },
  };
}

function cell(values: readonly number[]): string {
  const { median, min, max } = spreadOf(values);
  return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
}
