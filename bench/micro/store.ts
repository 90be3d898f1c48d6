/**
 * What the store costs, beside a Map of parsed objects and client-node's cache. What the figures mean is in
 * bench/README.md.
 *
 *     npm run bench:store -- [--objects N]... [--rounds N] [--json] [--save]
 *
 * Each side has a fresh process in each round, and sides take turns. Answers of all contenders of a row are compared.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../machine.ts';
import { resultFiles, saveResults } from '../save.ts';
import { spreadOf } from '../summary.ts';
import type { Table } from '../tables.ts';
import type { CaseFigures } from './store/measure.ts';
import { ROWS } from './store/rows.ts';
import type { Side } from './store/run.ts';

const SEED = 20261130;
const LEGEND =
  'nanoseconds of wall-clock time per operation: median of the rounds (min–max), each the median of its samples; – where a contender has no such thing';

/** A parsed Pod without managedFields takes some 8 KB of heap, and a heap wants room to move in. */
const HEAP_MB_PER_OBJECT = 0.012;
const LEAST_HEAP_MB = 4096;

/** Indexes need groups of exactly 10 and 1,000, and a walk over all keys a number without the factor of its stride. */
const GROUP = 1000;
const LEAST_OBJECTS = 10_000;

interface Run extends CaseFigures {
  readonly objects: number;
  readonly round: number;
}

const { values } = parseArgs({
  options: {
    objects: { type: 'string', multiple: true, default: ['10000', '100000'] },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const sizes = { objects: values.objects.map(Number), rounds: Number(values.rounds), seed: SEED };
if (!sizes.objects.every((objects) => objects >= LEAST_OBJECTS && objects % GROUP === 0)) {
  throw new Error(`--objects is a multiple of ${GROUP} from ${LEAST_OBJECTS} on`);
}
if (!(Number.isSafeInteger(sizes.rounds) && sizes.rounds > 0))
  throw new Error('--rounds is a whole number from 1 on');

const header = describeRun('store', sizes);
const files = values.save ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

const runs: Run[] = [];
for (const objects of sizes.objects) {
  for (let round = 0; round < sizes.rounds; round++) {
    for (const side of ['heap', 'kubering'] as const) {
      const observed = observe(side, objects).map((figures) => ({ objects, round, ...figures }));
      runs.push(...observed);
      if (values.json) for (const run of observed) console.log(JSON.stringify({ type: 'run', ...run }));
    }
  }
}
const tables = [
  ...sizes.objects.map((objects) =>
    tableOf(
      `${objects} Pods without managedFields`,
      runs.filter((run) => run.objects === objects && run.row !== ROWS.indexValue),
    ),
  ),
  tableOf(
    'Index value of a Pod without managedFields',
    runs.filter(({ row }) => row === ROWS.indexValue),
  ),
];
if (!values.json) {
  for (const { title, lines } of tables) {
    console.log(title);
    console.table(lines);
  }
  console.log(LEGEND);
}
const wrong = wrongAnswers();
for (const sentence of wrong) console.error(`an answer is WRONG: ${sentence}`);
if (wrong.length > 0) process.exitCode = 1;
else if (files !== undefined) saveResults(files, header, runs, tables, LEGEND);

function observe(side: Side, objects: number): CaseFigures[] {
  const script = fileURLToPath(new URL('./store/run.ts', import.meta.url));
  const heapMb = side === 'heap' ? Math.max(LEAST_HEAP_MB, objects * HEAP_MB_PER_OBJECT) : LEAST_HEAP_MB;
  const output = execFileSync(
    process.execPath,
    [`--max-old-space-size=${Math.round(heapMb)}`, script, side, String(objects), String(SEED)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return JSON.parse(output) as CaseFigures[];
}

/** Contenders of a row have to find the same, in every round. */
function wrongAnswers(): string[] {
  const groups = Map.groupBy(runs, ({ objects, row }) => `${row} (${objects} objects)`);
  return [...groups].flatMap(([name, group]) => {
    const answers = new Map(group.map(({ contender, answer }) => [answer, contender]));
    if (answers.size === 1) return [];
    return `${name}: ${[...answers].map(([answer, contender]) => `${contender} ${answer}`).join(', ')}`;
  });
}

function tableOf(title: string, mine: readonly Run[]): Table {
  const contenders = [...new Set(mine.map(({ contender }) => contender))];
  const rows = Object.values(ROWS).filter((row) => mine.some((run) => run.row === row));
  const lines = rows.map((row) => {
    const cells = contenders.map((contender) => [
      contender,
      cell(mine.filter((run) => run.row === row && run.contender === contender)),
    ]);
    return [row, Object.fromEntries(cells)];
  });
  return { title, lines: Object.fromEntries(lines) };
}

function cell(group: readonly Run[]): string {
  if (group.length === 0) return '–';
  const { median, min, max } = spreadOf(group.map(({ medianNs }) => medianNs));
  return min === max ? format(median) : `${format(median)} (${format(min)}–${format(max)})`;
}

/** A tenth of a nanosecond is noise. */
function format(ns: number): string {
  return Math.round(ns).toLocaleString('en-US');
}
