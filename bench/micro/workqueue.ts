/**
 * What the queues cost, beside two sets and an array, and beside fastq and p-queue when `npm install --prefix bench` has
 * brought them.
 *
 *     npm run bench:queue -- [--items N] [--rounds N] [--case TEXT] [--json] [--save]
 *
 * `--items 10000000` is ten million of them; `--case` picks cases by a part of their title.
 *
 * Each observation has a fresh process, and contenders take turns. CPU is that of the thread; wall-clock time beside it
 * also shows what the garbage collector's threads cost. The peak of RSS is of the whole process, 45 MB of which are Node's.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../machine.ts';
import { resultFiles, saveResults } from '../save.ts';
import { spreadOf } from '../summary.ts';
import type { Table } from '../tables.ts';
import { CASES, type RunFigures } from './workqueue/cases.ts';
import { isInstalled } from './workqueue/peers.ts';

const LEGEND =
  'median (min–max) of the rounds; peak RSS is of the whole process, held bytes are heap and typed arrays after a collection';

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    case: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const sizes = { items: Number(values.items), rounds: Number(values.rounds) };
// Bursts of 100,000 have to come out even, in the tenth that warms up too.
if (!(sizes.items > 0 && sizes.items % 1_000_000 === 0)) throw new Error('--items is a multiple of 1000000');
if (!(Number.isSafeInteger(sizes.rounds) && sizes.rounds > 0))
  throw new Error('--rounds is a whole number from 1 on');

const missing = ['fastq', 'p-queue'].filter((peer) => !isInstalled(peer));
if (missing.length > 0) console.error(`without ${missing.join(' and ')}: npm install --prefix bench`);

const header = describeRun('workqueue', sizes);
const files = values.save ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

const saved: object[] = [];
const tables: Table[] = [];
for (const { title, contenders } of CASES.filter((each) => each.title.includes(values.case))) {
  const names = Object.keys(contenders).filter((name) => !missing.includes(name));
  const runs = new Map(names.map((name) => [name, [] as RunFigures[]]));
  for (let round = 0; round < sizes.rounds; round++) {
    for (const [contender, figures] of runs) {
      const observed = observe(title, contender);
      figures.push(observed);
      saved.push({ title, contender, round, ...observed });
      if (values.json) console.log(JSON.stringify({ type: 'run', ...saved.at(-1) }));
    }
  }
  const lines = Object.fromEntries([...runs].map(([name, figures]) => [name, rowOf(figures)]));
  tables.push({ title, lines });
  if (values.json) continue;
  console.log(title);
  console.table(lines);
}
if (files !== undefined) saveResults(files, header, saved, tables, LEGEND);

function observe(title: string, contender: string): RunFigures {
  const script = fileURLToPath(new URL('./workqueue/run.ts', import.meta.url));
  const args = ['--expose-gc', script, title, contender, String(sizes.items)];
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as RunFigures;
}

function rowOf(figures: readonly RunFigures[]): Record<string, string> {
  const held = figures.map(({ heldBytesPerItem }) => heldBytesPerItem).filter((bytes) => bytes !== undefined);
  return {
    'CPU ns/item': cell(figures.map(({ cpuNsPerItem }) => cpuNsPerItem)),
    'wall ns/item': cell(figures.map(({ wallNsPerItem }) => wallNsPerItem)),
    'peak RSS MB': cell(figures.map(({ peakRssMb }) => peakRssMb)),
    ...(held.length > 0 && { 'held bytes/item': cell(held) }),
  };
}

function cell(values: readonly number[]): string {
  const { median, min, max } = spreadOf(values);
  return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
}
