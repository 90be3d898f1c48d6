/**
 * Fails when an object in the cache costs more, or less, memory than was recorded: unlike times, this does not change
 * with the machine. A part of `npm run bench:smoke`.
 *
 *     node bench/guard.ts [--record]
 *
 * `--record` writes what is measured now to bench/guard.json, for a change that is meant to stay.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences, type GuardedFigures, type GuardRecord } from './guard/check.ts';

const RECORD = new URL('./guard.json', import.meta.url);

/** Enough for what an object costs to show beside what a factory costs. */
const PODS = 5_000;
const SEED = 20_261_201;
const NODE = Number(process.versions.node.split('.')[0]);

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
process.exitCode = values.record ? record() : check();

function record(): number {
  const recorded: GuardRecord = { pods: PODS, seed: SEED, node: NODE, ...observe() };
  writeFileSync(RECORD, `${JSON.stringify(recorded, null, 2)}\n`);
  console.log(`recorded ${describe(recorded)}`);
  return 0;
}

/** @returns the exit code */
function check(): number {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as GuardRecord;
  if (recorded.node !== NODE) {
    console.log(`memory is not compared: it was recorded on Node ${recorded.node}, and this is Node ${NODE}`);
    return 0;
  }
  const observed = observe();
  const found = differences(observed, recorded);
  for (const difference of found) console.error(difference);
  if (found.length > 0) console.error('node bench/guard.ts --record records what is measured now');
  else console.log(`memory is as recorded: ${describe(observed)}`);
  return found.length > 0 ? 1 : 0;
}

function observe(): GuardedFigures {
  const script = fileURLToPath(new URL('./guard/run.ts', import.meta.url));
  const output = execFileSync(
    process.execPath,
    ['--expose-gc', script, JSON.stringify({ pods: PODS, seed: SEED })],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return JSON.parse(output) as GuardedFigures;
}

function describe({ heapBytesPerObject, sharedBytesPerObject }: GuardedFigures): string {
  return `${heapBytesPerObject} bytes of heap and ${sharedBytesPerObject} of shared memory an object`;
}
