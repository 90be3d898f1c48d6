/**
 * What a reconcile that computes does to the event loop, on the home thread and in worker threads.
 *
 *     node bench/micro/reconcile-threads.ts [--keys N] [--threads N] [--work-ms N] [--rounds N] [--json]
 *
 * The work is a fixed number of steps that take so many milliseconds when nothing else runs, so it is the same for all;
 * each reconcile reads its object from the cache, and each answer is checked. Each run has a fresh process and a fake API
 * server in another one, which rests while keys are reconciled. Starting the threads is a phase of its own.
 * The longest stall of a second in which nothing happens says what the machine itself does.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../machine.ts';
import { spreadOf } from '../summary.ts';
import type { ThreadsFigures, ThreadsTask } from './reconcile-threads/run.ts';
import { walk } from './reconcile-threads/work.ts';

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '2000' },
    threads: { type: 'string', default: '2' },
    'work-ms': { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = {
  keys: Number(values.keys),
  threads: Number(values.threads),
  workMs: Number(values['work-ms']),
  rounds: Number(values.rounds),
};
for (const [name, value] of Object.entries(sizes)) {
  if (!(Number.isSafeInteger(value) && value > 0)) throw new Error(`${name} is a whole number from 1 on`);
}

const steps = Math.round(stepsPerMs() * sizes.workMs);
const header = describeRun('reconcile-threads', { ...sizes, steps });
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

const runs = new Map<number, ThreadsFigures[]>([
  [0, []],
  [sizes.threads, []],
]);
for (let round = 0; round < sizes.rounds; round++) {
  for (const [threads, figures] of runs) {
    const observed = observe({ threads, keys: sizes.keys, steps });
    figures.push(observed);
    if (values.json) console.log(JSON.stringify({ type: 'run', threads, round, ...observed }));
  }
}
if (!values.json) {
  console.log(`${sizes.keys} keys, ${steps} steps each (${sizes.workMs} ms); all answers are right`);
  const rows = [...runs].map(([threads, figures]) => [
    threads === 0 ? 'home thread' : `${threads} threads`,
    rowOf(figures),
  ]);
  console.table(Object.fromEntries(rows));
}

function observe(task: ThreadsTask): ThreadsFigures {
  const script = fileURLToPath(new URL('./reconcile-threads/run.ts', import.meta.url));
  const output = execFileSync(process.execPath, [script, JSON.stringify(task)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as ThreadsFigures;
}

/** The fastest of many short tries: whatever else runs makes a try slower, but not all of them. */
function stepsPerMs(): number {
  const tried = 200_000;
  let bestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 500; i++) {
    const startMs = performance.now();
    walk(i, tried);
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return tried / bestMs;
}

function rowOf(figures: readonly ThreadsFigures[]): Record<string, string> {
  const cpuMs = figures.map(({ work }) => work.mainCpuUs).filter((us) => us !== undefined);
  return {
    'longest stall ms': cell(figures.map(({ work }) => work.longestStallMs)),
    'keys/s': cell(
      figures.map(({ keysPerSecond }) => keysPerSecond),
      0,
    ),
    'at rest ms': cell(figures.map(({ rest }) => rest.longestStallMs)),
    ...(cpuMs.length > 0 && { 'home-thread CPU ms': cell(cpuMs.map((us) => us / 1000)) }),
    'start ms': cell(figures.map(({ start }) => start.wallMs)),
    'its longest stall ms': cell(figures.map(({ start }) => start.longestStallMs)),
  };
}

function cell(values: readonly number[], digits = 1): string {
  const { median, min, max } = spreadOf(values);
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
