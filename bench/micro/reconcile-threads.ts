/**
 * What a reconcile that computes does to the event loop, on the home thread and in worker threads. What the figures
 * mean is in bench/README.md.
 *
 *     npm run bench:reconcile -- [--keys N] [--threads N] [--work-ms N] [--rounds N] [--json] [--save]
 *
 * The work is a fixed number of rounds of a hash, in native code, that take so many milliseconds when nothing else runs, so
 * it is the same for all; each reconcile reads its object from the cache. It is checked that each key was done exactly
 * once, and of every fiftieth also what came out. Each run has a fresh process and a fake API
 * server in another one, which rests while keys are reconciled. Starting the threads is a phase of its own.
 * The longest stall of a second in which nothing happens says what the machine itself does.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../machine.ts';
import { resultFiles, saveResults } from '../save.ts';
import { spreadOf } from '../summary.ts';
import type { Table } from '../tables.ts';
import type { ThreadsFigures, ThreadsTask } from './reconcile-threads/run.ts';
import { compute } from './reconcile-threads/work.ts';

const LEGEND =
  'median (min–max) of the rounds; the last row is what all keys would take, in one thread that is never interrupted, divided by what they took';

/** What was promised of reconciles in threads. */
const STALL_GOAL_MS = 20;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '2000' },
    threads: { type: 'string', default: '2' },
    'work-ms': { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
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

const rounds = Math.max(1, Math.round(roundsPerMs() * sizes.workMs));
const header = describeRun('reconcile-threads', { ...sizes, roundsOfWork: rounds });
const files = values.save ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

const saved: object[] = [];
const runs = new Map<number, ThreadsFigures[]>([
  [0, []],
  [sizes.threads, []],
]);
for (let round = 0; round < sizes.rounds; round++) {
  for (const [threads, figures] of runs) {
    const observed = observe({ threads, keys: sizes.keys, rounds });
    figures.push(observed);
    saved.push({ threads, round, ...observed });
    if (values.json) console.log(JSON.stringify({ type: 'run', ...saved.at(-1) }));
  }
}
const table = tableOf(runs);
if (!values.json) {
  console.log(table.title);
  console.table(table.lines);
  console.log(LEGEND);
  console.log(goal(runs.get(sizes.threads)!));
}
if (files !== undefined) {
  saveResults(files, header, saved, [table], `${LEGEND}\n\n${goal(runs.get(sizes.threads)!)}`);
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
function roundsPerMs(): number {
  const tried = 500;
  let bestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 500; i++) {
    const startMs = performance.now();
    compute(i, tried);
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return tried / bestMs;
}

function goal(inThreads: readonly ThreadsFigures[]): string {
  const { median } = spreadOf(inThreads.map(({ work }) => work.longestStallMs));
  const verdict = median < STALL_GOAL_MS ? 'met' : 'missed';
  return `goal: the home thread is never longer than ${STALL_GOAL_MS} ms away while threads reconcile: ${verdict}, ${median.toFixed(1)} ms`;
}

function tableOf(byThreads: ReadonlyMap<number, readonly ThreadsFigures[]>): Table {
  const rows: Record<string, (figures: ThreadsFigures) => number | undefined> = {
    'longest stall of the home thread, ms': ({ work }) => work.longestStallMs,
    'longest stall of a second without work, ms': ({ rest }) => rest.longestStallMs,
    'keys/s': ({ keysPerSecond }) => keysPerSecond,
    'a reconcile on the clock, ms': ({ keyWallMs }) => keyWallMs,
    'CPU of a reconcile, ms': ({ keyCpuMs }) => keyCpuMs,
    'CPU of the home thread, µs/key': ({ work }) => work.mainCpuUs && work.mainCpuUs / sizes.keys,
    'start, ms': ({ start }) => start.wallMs,
    'start: longest stall, ms': ({ start }) => start.longestStallMs,
    'times as fast as one thread could be': ({ work }) => (sizes.keys * sizes.workMs) / work.wallMs,
  };
  const lines = Object.entries(rows).map(([name, read]) => {
    const cells = [...byThreads].map(([threads, figures]) => [
      threads === 0 ? 'home thread' : `${threads} threads`,
      cell(figures.map(read)),
    ]);
    return [name, Object.fromEntries(cells)];
  });
  const title = `${sizes.keys} keys, ${sizes.workMs} ms of work each`;
  return { title, lines: Object.fromEntries(lines) };
}

function cell(observed: readonly (number | undefined)[]): string {
  const known = observed.filter((value) => value !== undefined);
  if (known.length === 0) return '–';
  const { median, min, max } = spreadOf(known);
  const [middle, low, high] = [median, min, max].map((value) => value.toFixed(median < 100 ? 1 : 0));
  return `${middle} (${low}–${high})`;
}
