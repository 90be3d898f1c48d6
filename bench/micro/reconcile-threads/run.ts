/** One contender in a process of its own. Prints one JSON line. */
import { setEnvironmentData } from 'node:worker_threads';
import { KubeConfig } from '@kubernetes/client-node';
import { Controller, SharedInformerFactory } from '../../../src/index.ts';
import { FakeApiServer } from '../../../src/testing/index.ts';
import { Meter, type PhaseUsage } from '../../meter.ts';
import { spreadOf } from '../../summary.ts';
import { compute, DONE, makeWork, ROUNDS, reconcile, type Source, WORK, type Work } from './work.ts';

export interface ThreadsTask {
  /** 0 for the home thread. */
  readonly threads: number;
  readonly keys: number;
  /** Of the key derivation that each reconcile is. */
  readonly rounds: number;
}

export interface PhaseFigures extends PhaseUsage {
  readonly wallMs: number;
}

export interface ThreadsFigures {
  /** Starts the threads, and reconciles each key once with little work, so that all is loaded and compiled. */
  readonly start: PhaseFigures;
  /** Nothing happens. */
  readonly rest: PhaseUsage;
  /** Reconciles each key once more. */
  readonly work: PhaseFigures;
  readonly keysPerSecond: number;
  /** Of the reconcile alone: the median on the clock, and the mean of CPU, which Node counts in steps of some 4 ms. */
  readonly keyWallMs: number;
  /** Missing before Node 23.9, which can't tell. */
  readonly keyCpuMs?: number;
}

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const POLL_MS = 5;
const REST_MS = 1000;
/** So that everything was loaded before it is measured. */
const WARM_UP_ROUNDS = 10;
/** All answers would take as long to check as to find. */
const CHECKED_EVERY = 50;

const task = JSON.parse(process.argv[2]!) as ThreadsTask;
const server = await FakeApiServer.spawn({ in: 'process', seed: 1 });
try {
  const template = { metadata: { name: 'key-{i}' }, data: { index: '{i}' } };
  await server.generate({ resource: 'configmaps', count: task.keys, template });
  console.log(JSON.stringify(await measure(server.kubeConfigYaml(), task)));
} finally {
  await server.stop();
}

async function measure(yaml: string, { threads, keys, rounds }: ThreadsTask): Promise<ThreadsFigures> {
  const work = makeWork(keys);
  work.control[ROUNDS] = WARM_UP_ROUNDS;
  setEnvironmentData(WORK, work as never);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(yaml);
  const factory = new SharedInformerFactory(kubeConfig);
  const how = threads === 0 ? { reconcile } : { reconcile: new URL('./work.ts', import.meta.url), threads };
  const controller = new Controller<Source>({ for: factory.informerFor<Source>(CONFIG_MAPS), ...how });
  const failures: string[] = [];
  controller.on('error', ({ message }) => failures.push(message));
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  try {
    await factory.start();
    const start = await phase(work, keys, () => {
      running = controller.run({ signal: stop.signal });
    });
    check(work, failures, { times: 1, rounds: WARM_UP_ROUNDS });
    const rest = await measureRest();
    work.control[ROUNDS] = rounds;
    work.control[DONE] = 0;
    const figures = await phase(work, keys, () => {
      for (let i = 0; i < keys; i++) controller.enqueue(`default/key-${i}`);
    });
    check(work, failures, { times: 2, rounds });
    return { start, rest, work: figures, keysPerSecond: (keys * 1000) / figures.wallMs, ...perKey(work) };
  } finally {
    stop.abort();
    await running;
    await factory.stop();
  }
}

function perKey({ wallMs, cpuUs }: Work): Pick<ThreadsFigures, 'keyWallMs' | 'keyCpuMs'> {
  const keyCpuMs = cpuUs.reduce((sum, us) => sum + us, 0) / cpuUs.length / 1000;
  return { keyWallMs: spreadOf([...wallMs]).median, ...(!Number.isNaN(keyCpuMs) && { keyCpuMs }) };
}

async function measureRest(): Promise<PhaseUsage> {
  const meter = new Meter();
  meter.begin();
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  return meter.end();
}

/** Begins something, and waits until all keys are done. */
async function phase({ control }: Work, keys: number, begin: () => void): Promise<PhaseFigures> {
  const meter = new Meter();
  meter.begin();
  // The meter's timer has to have run once: it sees no stall that is there before.
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const startMs = performance.now();
  begin();
  while (Atomics.load(control, DONE) < keys) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const wallMs = performance.now() - startMs;
  return { wallMs, ...(await meter.end()) };
}

/** @throws Error when a key was reconciled more or less often, with another object, or not to its end */
function check(
  { answers, times }: Work,
  failures: readonly string[],
  expected: { readonly times: number; readonly rounds: number },
): void {
  if (failures.length > 0) throw new Error(`${failures.length} reconciles failed: ${failures[0]}`);
  times.forEach((count, index) => {
    if (count !== expected.times) {
      throw new Error(`key ${index} was reconciled ${count} times instead of ${expected.times}`);
    }
  });
  for (let index = 0; index < answers.length; index += CHECKED_EVERY) {
    const right = compute(index, expected.rounds);
    if (answers[index] !== right) throw new Error(`key ${index}: ${answers[index]} instead of ${right}`);
  }
}
