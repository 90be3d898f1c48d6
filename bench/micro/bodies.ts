/**
 * What bodies cost in each format: bytes, decoding, and encoding from JSON in the worker. Generated Pods without
 * managedFields, as `FakeApiServer` makes them.
 *
 *     node bench/micro/bodies.ts [--pods N] [--rounds N]
 *
 * Formats take turns. Each sample decodes all Pods once, and every answer is checked.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { createStructures, MsgpackDecoder, MsgpackEncoder } from '../../src/msgpack/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { spreadOf } from '../summary.ts';

const { values } = parseArgs({
  options: { pods: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '15' } },
});
const podCount = Number(values.pods);
const rounds = Number(values.rounds);
for (const [name, value] of Object.entries({ pods: podCount, rounds })) {
  if (!(Number.isSafeInteger(value) && value > 0)) throw new Error(`--${name} is a whole number from 1 on`);
}

const pods = await makePods();
const structures = createStructures();
const encoder = new MsgpackEncoder(structures);
const decoder = new MsgpackDecoder(structures);
const json = pods.map((pod) => Buffer.from(JSON.stringify(pod)));
const packed = pods.map((pod, i) => Buffer.from(encoder.encode(pod, json[i]!.toString())!));
for (const [i, pod] of pods.entries()) assert.deepEqual(decoder.decode(packed[i]!), pod);

const runs: Record<string, () => void> = {
  'json, decode': () => {
    for (const body of json) JSON.parse(body.toString('latin1'));
  },
  'msgpack, decode': () => {
    for (const body of packed) decoder.decode(Buffer.from(body));
  },
  'msgpack, encode (parse, pack)': () => {
    for (const body of json) {
      const text = body.toString('latin1');
      encoder.encode(JSON.parse(text) as object, text);
    }
  },
};

const samples = new Map(Object.keys(runs).map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(runs)) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    samples.get(name)!.push((user + system) / podCount);
  }
}

console.log(`${podCount} Pods, ${rounds} rounds, Node.js ${process.versions.node}`);
console.log(`bytes per Pod: ${mean(json)} of JSON, ${mean(packed)} of MessagePack`);
console.table(
  Object.fromEntries(
    [...samples].map(([name, costs]) => {
      const { median, min, max } = spreadOf(costs);
      return [name, { 'CPU µs per Pod': `${median.toFixed(1)} (${min.toFixed(1)} to ${max.toFixed(1)})` }];
    }),
  ),
);

async function makePods(): Promise<object[]> {
  const server = await FakeApiServer.start({ seed: 1 });
  await server.seedPods(podCount);
  const made = server.list('pods') as { metadata: { managedFields?: unknown } }[];
  await server.stop();
  for (const { metadata } of made) delete metadata.managedFields;
  return made.map((pod) => JSON.parse(JSON.stringify(pod)) as object);
}

function mean(bodies: readonly Buffer[]): number {
  return Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / bodies.length);
}
