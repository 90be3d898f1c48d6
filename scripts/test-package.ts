/**
 * Installs the packed tarball into an empty project, as a user would, and runs informers from there: worker
 * and WASM files must be found, types must be there, and nothing outside of the package may be needed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PROGRAM = `
import { Worker } from 'node:worker_threads';
import { Controller, drop, SharedInformerFactory } from 'kubering';
import { makeInformer } from 'kubering/compat';
import { METRICS } from 'kubering/metrics';
import { FakeApiServer } from 'kubering/testing';

if (typeof makeInformer !== 'function') throw new Error('kubering/compat has no makeInformer');
if (Object.keys(METRICS).length === 0) throw new Error('kubering/metrics has no metrics');

for (const where of ['process', 'worker']) {
  const server = await FakeApiServer.spawn({ in: where, seed: 1 });
  await server.seedPods(100);
  const factory = new SharedInformerFactory(server.kubeConfig());
  const pods = factory.informerFor(
    { group: '', version: 'v1', resource: 'pods' },
    { indexers: { byNode: 'spec.nodeName' }, project: drop('metadata.managedFields') },
  );
  await factory.start();
  if (pods.lister.size !== 100) throw new Error('synced ' + pods.lister.size + ' Pods instead of 100');
  const reader = new Worker(new URL('./reader.mjs', import.meta.url), { workerData: pods.handle() });
  const size = await new Promise((resolve, reject) => reader.on('message', resolve).on('error', reject));
  if (size !== 100) throw new Error('another thread sees ' + size + ' Pods instead of 100');
  const reconcile = new URL('./reconcile.mjs', import.meta.url);
  const controller = new Controller({ for: pods, reconcile, threads: 1 });
  const stop = new AbortController();
  controller.on('error', (error) => {
    throw error;
  });
  const done = controller.run({ signal: stop.signal });
  while (controller.stats.succeeded < 100) await new Promise((resolve) => setTimeout(resolve, 10));
  stop.abort();
  await done;
  await factory.stop();
  await server.stop();
}
console.log('the packed package works');
`;

const READER = `
import { parentPort, workerData } from 'node:worker_threads';
import { Lister } from 'kubering';
const lister = Lister.attach(workerData);
parentPort.postMessage(lister.list().length);
lister.detach();
`;

const RECONCILE = `
export async function reconcile({ key }, { lister }) {
  if (lister.get(key) === undefined) throw new Error('no ' + key);
}
`;

const TYPED = `
import { type Lister, SharedInformerFactory } from 'kubering';
import { FakeApiServer } from 'kubering/testing';
import { KubeConfig, type V1Pod } from '@kubernetes/client-node';

const factory = new SharedInformerFactory(new KubeConfig());
const pods = factory.informerFor<V1Pod>({ group: '', version: 'v1', resource: 'pods' });
export const lister: Lister<V1Pod> = pods.lister;
export const name: string | undefined = lister.get('a/b')?.metadata?.name;
export const start: () => Promise<FakeApiServer> = () => FakeApiServer.start();
`;

const folder = mkdtempSync(join(tmpdir(), 'kubering-package-'));
try {
  const packed = run(ROOT, 'npm', 'pack', '--json', '--pack-destination', folder);
  const [{ filename, size, files }] = readPack(packed);
  console.log(`${filename}: ${files.length} files, ${(size / 1024).toFixed(0)} KiB`);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  );
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', join(folder, filename));
  writeFileSync(join(folder, 'main.mjs'), PROGRAM);
  writeFileSync(join(folder, 'reader.mjs'), READER);
  writeFileSync(join(folder, 'reconcile.mjs'), RECONCILE);
  writeFileSync(join(folder, 'types.mts'), TYPED);
  console.log(run(folder, process.execPath, 'main.mjs').trim());
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const types = join(ROOT, 'node_modules', '@types');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck'];
  run(folder, tsc, ...flags, '--typeRoots', types, '--types', 'node', 'types.mts');
  console.log('the packed types work');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly unknown[];
}

/** What npm prints is a list, in newer versions an object by package name; scripts may print before it. */
function readPack(output: string): [Packed] {
  const json = JSON.parse(output.slice(output.search(/^[[{]/m))) as Packed[] | Record<string, Packed>;
  return [Array.isArray(json) ? json[0]! : Object.values(json)[0]!];
}

function run(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
