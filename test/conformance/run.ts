/**
 * Runs kubering against a real kube-apiserver and etcd: builds them when they are not there yet, starts them once, and
 * runs the test files one after the other.
 *
 *   node test/conformance/run.ts [FILE...]   all files, or these
 *   node test/conformance/run.ts --serve     only starts the cluster, and writes a kubeconfig for it
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPrograms } from './harness/build.ts';
import { Cluster } from './harness/cluster.ts';
import { ADMIN, GUEST, kubeConfigOf } from './harness/cluster-access.ts';
import { serveControl } from './harness/control.ts';
import { GoError } from './harness/go.ts';

/** One test may start the API server twice; a hung one must not hold up a CI run for long. */
const TEST_TIMEOUT_MS = 180_000;

/** As of a program that ended by Ctrl-C. */
const INTERRUPTED = 130;

const { values, positionals } = parseArgs({
  options: { serve: { type: 'boolean', default: false } },
  allowPositionals: true,
});

process.exitCode = await main().catch((error: unknown) => {
  // What Go says is for people; of everything else the stack is needed too.
  console.error(error instanceof GoError ? error.message : error);
  return 1;
});

async function main(): Promise<number> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  const { signal } = interrupt;
  const programs = await buildPrograms({ say: (line) => console.log(line), signal });
  const startMs = performance.now();
  const cluster = await Cluster.start(programs, [ADMIN, GUEST]);
  console.log(`etcd and kube-apiserver were ready after ${seconds(startMs)} s at ${cluster.access.url}`);
  const { server, env } = await serveControl(cluster);
  try {
    const code = await (values.serve ? serve(cluster, env, signal) : runTests(env, signal));
    if (code !== 0 && !signal.aborted) console.error(cluster.logTails);
    console.log(`conformance took ${seconds(startMs)} s after the build`);
    return code;
  } finally {
    server.close();
    server.closeAllConnections();
    await cluster.stop();
  }
}

async function runTests(env: Record<string, string>, signal: AbortSignal): Promise<number> {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const files = positionals.length > 0 ? positionals : globSync(join(here, '*.conformance.ts')).sort();
  const flags = ['--test', '--test-concurrency=1', `--test-timeout=${TEST_TIMEOUT_MS}`];
  if (signal.aborted) return INTERRUPTED;
  const child = spawn(process.execPath, [...flags, ...files], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  // Ctrl-C reaches the whole group, a kill only this process.
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = (await once(child, 'exit')) as [number | null];
  return signal.aborted ? INTERRUPTED : (code ?? 1);
}

async function serve(cluster: Cluster, env: Record<string, string>, signal: AbortSignal): Promise<number> {
  const kubeConfig = kubeConfigOf(cluster.access, { token: ADMIN.token }).exportConfig();
  console.log(`kubeconfig: ${await cluster.keep('kubeconfig', kubeConfig)}`);
  for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
  console.log('Ctrl-C ends it');
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}
