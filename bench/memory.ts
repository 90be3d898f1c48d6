/**
 * What a cached Pod costs in memory, with and without managedFields, and what loading the Pods does to the event loop.
 * What the figures mean is in bench/README.md.
 *
 *     npm run bench:memory -- [--objects N] [--rounds N] [--projected] [--json] [--save]
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from './machine.ts';
import type { MemoryFigures, MemoryTask } from './memory/run.ts';
import { resultFiles, saveResults } from './save.ts';
import { spreadOf } from './summary.ts';
import type { Table } from './tables.ts';

const SEED = 20261130;
const LEGEND =
  'median (min–max) of the rounds; nothing is decoded; the server makes the Pods while it writes them';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    projected: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const sizes = { objects: Number(values.objects), rounds: Number(values.rounds), seed: SEED };
for (const [name, value] of Object.entries(sizes)) {
  if (!(Number.isSafeInteger(value) && value > 0)) throw new Error(`--${name} is a whole number from 1 on`);
}
const header = describeRun('memory', sizes);
const files = values.save ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

type Run = MemoryFigures & Pick<MemoryTask, 'isProjected'>;

const runs: Run[] = [];
for (let round = 0; round < sizes.rounds; round++) {
  for (const isProjected of values.projected ? [true] : [false, true]) {
    const run = { isProjected, ...observe({ pods: sizes.objects, seed: sizes.seed, isProjected }) };
    runs.push(run);
    if (values.json) console.log(JSON.stringify({ type: 'run', ...run }));
  }
}
const table = tableOf(runs);
if (!values.json) {
  console.log(table.title);
  console.table(table.lines);
  console.log(LEGEND);
}
if (runs.some(({ objects }) => objects !== sizes.objects)) {
  console.error('an answer is WRONG: objects are missing');
  process.exitCode = 1;
} else if (files !== undefined) {
  saveResults(files, header, runs, [table], LEGEND);
}

function observe(task: MemoryTask): MemoryFigures {
  const script = fileURLToPath(new URL('./memory/run.ts', import.meta.url));
  const output = execFileSync(process.execPath, ['--expose-gc', script, JSON.stringify(task)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as MemoryFigures;
}

function tableOf(all: readonly Run[]): Table {
  const line = (name: keyof MemoryFigures, digits: number) =>
    Object.fromEntries(
      [...Map.groupBy(all, columnOf)].map(([column, group]) => [
        column,
        cell(
          group.map((run) => run[name]),
          digits,
        ),
      ]),
    );
  return {
    title: `${sizes.objects} Pods`,
    lines: {
      'arena, bytes/object': line('arenaPerObject', 0),
      'table, bytes/object': line('tablePerObject', 0),
      'postings of three indexes, bytes/object': line('postingsPerObject', 0),
      'heap, bytes/object': line('heapPerObject', 0),
      'RSS, bytes/object': line('rssPerObject', 0),
      'RSS peak, MB': line('rssPeakMb', 0),
      'list, ms': line('listMs', 0),
      'longest stall, ms': line('longestStallMs', 1),
      'longest slice of work, ms': line('longestSliceMs', 1),
      'longest slice of work, ms of CPU': line('longestSliceCpuMs', 1),
      'GC pauses': line('gcPauses', 0),
      'GC pauses together, ms': line('gcTotalMs', 1),
      'longest GC pause, ms': line('gcLongestMs', 1),
    },
  };
}

function columnOf({ isProjected }: Run): string {
  return isProjected ? 'without managedFields' : 'whole';
}

function cell(samples: readonly number[], digits: number): string {
  const { median, min, max } = spreadOf(samples);
  const text = [median, min, max].map((value) => value.toFixed(digits));
  return min === max ? text[0]! : `${text[0]} (${text[1]}–${text[2]})`;
}
