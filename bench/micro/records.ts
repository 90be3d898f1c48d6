/**
 * What records cost beside JSON.parse of the same JSON: generated Pods without managedFields, in which images, digests,
 * uids and checksums are different for each Pod.
 *
 *     node bench/micro/records.ts [--pods N] [--rounds N] [--json]
 *
 * Two processes, one of them without code generation. In each, everything takes turns, and each sample lasts at least a
 * tenth of a second. CPU is that of the thread, so garbage collection in other threads is not in it.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../machine.ts';
import { spreadOf } from '../summary.ts';
import type { RecordFigures } from './records/run.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '9' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = { pods: Number(values.pods), rounds: Number(values.rounds) };
for (const [name, value] of Object.entries(sizes)) {
  if (!(Number.isSafeInteger(value) && value > 0)) throw new Error(`--${name} is a whole number from 1 on`);
}

const header = describeRun('records', sizes);
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
if (values.json) console.log(JSON.stringify(header));

for (const flags of [[], ['--disallow-code-generation-from-strings']]) {
  const script = fileURLToPath(new URL('./records/run.ts', import.meta.url));
  const output = execFileSync(
    process.execPath,
    [...flags, '--expose-gc', script, String(sizes.pods), String(sizes.rounds)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const figures = JSON.parse(output) as RecordFigures;
  if (values.json) console.log(JSON.stringify({ type: 'run', flags, ...figures }));
  else print(figures);
}

function print({ isCompiling, jsonBytes, recordBytes, dictionary, cpuUs }: RecordFigures): void {
  console.log(`${isCompiling ? 'with' : 'without'} code generation`);
  console.log(
    `${jsonBytes.toFixed(0)} bytes of JSON, ${recordBytes.toFixed(0)} bytes of record for each Pod`,
  );
  console.log('dictionary:', dictionary);
  const parse = spreadOf(cpuUs['JSON.parse']!).median;
  console.table(
    Object.fromEntries(
      Object.entries(cpuUs).map(([name, samples]) => {
        const { median, min, max } = spreadOf(samples);
        const range = `${median.toFixed(1)} (${min.toFixed(1)}–${max.toFixed(1)})`;
        return [name, { 'CPU µs/Pod': range, 'times as fast as JSON.parse': (parse / median).toFixed(1) }];
      }),
    ),
  );
}
