/**
 * What single steps of the engine cost: scanning bytes, a record through the ring, index values, decoding; on objects of
 * several shapes. What the rows mean is in bench/README.md.
 *
 *     npm run bench:parts -- [--part scan,ring,index,decode] [--rounds N] [--json] [--save]
 *
 * Each part has a fresh process in each round, and parts take turns. tinybench does the timing; answers are checked.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../machine.ts';
import { resultFiles, saveResults } from '../save.ts';
import { spreadOf } from '../summary.ts';
import type { Table } from '../tables.ts';
import type { CaseFigures } from './store/measure.ts';

const PARTS = ['scan', 'ring', 'index', 'decode'];
const LEGEND =
  'nanoseconds of wall-clock time per object, or per record: median of the rounds (min–max), each the median of its samples; – where there is no such thing';

interface Run extends CaseFigures {
  readonly part: string;
  readonly round: number;
}

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: PARTS.join(',') },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const sizes = { parts: values.part.split(','), rounds: Number(values.rounds) };
const unknown = sizes.parts.find((part) => !PARTS.includes(part));
if (unknown !== undefined) throw new Error(`there is no part '${unknown}'; there are ${PARTS.join(', ')}`);
if (!(Number.isSafeInteger(sizes.rounds) && sizes.rounds > 0))
  throw new Error('--rounds is a whole number from 1 on');

const header = describeRun('parts', sizes);
const files = values.save ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

const runs: Run[] = [];
for (let round = 0; round < sizes.rounds; round++) {
  for (const part of sizes.parts) {
    for (const figures of observe(part)) {
      const run = { part, round, ...figures };
      runs.push(run);
      if (values.json) console.log(JSON.stringify({ type: 'run', ...run }));
    }
  }
}
const tables = sizes.parts.map((part) =>
  tableOf(
    runs.filter((run) => run.part === part),
    part,
  ),
);
if (!values.json) {
  for (const { title, lines } of tables) {
    console.log(title);
    console.table(lines);
  }
  console.log(LEGEND);
}
if (files !== undefined) saveResults(files, header, runs, tables, LEGEND);

function observe(part: string): CaseFigures[] {
  const script = fileURLToPath(new URL('./parts/run.ts', import.meta.url));
  const output = execFileSync(process.execPath, [script, part], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as CaseFigures[];
}

function tableOf(mine: readonly Run[], title: string): Table {
  const columns = [...new Set(mine.map(({ contender }) => contender))];
  const rows = [...new Set(mine.map(({ row }) => row))];
  const lines = rows.map((row) => {
    const cells = columns.map((column) => [
      column,
      cell(mine.filter((run) => run.row === row && run.contender === column)),
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
