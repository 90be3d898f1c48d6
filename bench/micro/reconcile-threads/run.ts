/** One contender in a process of its own. Prints one JSON line. */
import { setEnvironmentData } from 'node:worker_threads';
import { KubeConfig } from '@kubernetes/client-node';
import { Controller, SharedInformerFactory } from '../../../src/index.ts';
import { FakeApiServer } from '../../../src/testing/index.ts';
import { Meter, type PhaseUsage } from '../../meter.ts';
import { DONE, jump, makeWork, reconcile, type Source, STEPS, WORK, type Work } from './work.ts';

export interface ThreadsTask {
  /** 0 for the home thread. */
  readonly threads: number;
  readonly keys: number;
  /** Of each reconcile. */
  readonly steps: number;
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
}

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const POLL_MS = 5;
const REST_MS = 1000;
/** So that the loop has run before it is measured. */
const WARM_UP_STEPS = 200_000;

const task = JSON.parse(process.argv[2]!) as ThreadsTask;
const server = await FakeApiServer.spawn({ in: 'process', seed: 1 });
try {
  const template = { metadata: { name: 'key-{i}' }, data: { index: '{i}' } };
  await server.generate({ resource: 'configmaps', count: task.keys, template });
  console.log(JSON.stringify(await measure(server.kubeConfigYaml(), task)));
} finally {
  await server.stop();
}

async function measure(yaml: string, { threads, keys, steps }: ThreadsTask): Promise<ThreadsFigures> {
  const work = makeWork(keys);
  work.control[STEPS] = WARM_UP_STEPS;
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
    check(work, failures, { times: 1, steps: WARM_UP_STEPS });
    const rest = await measureRest();
    work.control[STEPS] = steps;
    work.control[DONE] = 0;
    const figures = await phase(work, keys, () => {
      for (let i = 0; i < keys; i++) controller.enqueue(`default/key-${i}`);
    });
    check(work, failures, { times: 2, steps });
    return { start, rest, work: figures, keysPerSecond: (keys * 1000) / figures.wallMs };
  } finally {
    stop.abort();
    await running;
    await factory.stop();
  }
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
  expected: { readonly times: number; readonly steps: number },
): void {
  if (failures.length > 0) throw new Error(`${failures.length} reconciles failed: ${failures[0]}`);
  answers.forEach((answer, index) => {
    const right = jump(index, expected.steps);
    if (answer !== right) throw new Error(`key ${index}: ${answer} instead of ${right}`);
    if (times[index] !== expected.times) {
      throw new Error(`key ${index} was reconciled ${times[index]} times instead of ${expected.times}`);
    }
  });
}
