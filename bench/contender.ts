/** The process of one contender in one run: lists, watches, measures itself, answers, ends. */
import { KubeConfig } from '@kubernetes/client-node';
import { type Answer, checksumOf } from './answer.ts';
import {
  type Contender,
  type LibraryName,
  type MakeContender,
  makeClientNode,
  makeKubering,
} from './contenders/index.ts';
import type { Figures } from './figures.ts';
import type { ContenderTask, FromContender, ToContender } from './messages.ts';
import { Meter } from './meter.ts';
import { Tally } from './tally.ts';

const LIBRARIES: Readonly<Record<LibraryName, MakeContender>> = {
  'client-node': makeClientNode,
  kubering: makeKubering,
};

/** Longest wait for events that are on their way after the server made the last one. */
const CATCH_UP_MS = 60_000;

// Without the process that leads the run nobody wants the figures.
process.on('disconnect', () => process.exit(1));
try {
  await run(JSON.parse(process.argv[2]!) as ContenderTask);
} catch (error) {
  await send({ type: 'failed', message: (error as Error).stack ?? String(error) });
}
process.exit(0);

async function run(task: ContenderTask): Promise<void> {
  const { pods, events } = task;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(task.kubeConfigYaml);
  const tally = new Tally(pods, events);
  const meter = new Meter();

  meter.begin();
  const startMs = performance.now();
  const contender = LIBRARIES[task.library](kubeConfig, task.workload, tally);
  await contender.start();
  const listMs = performance.now() - startMs;
  const list = await meter.end();

  const decodedBefore = contender.decoded ?? 0;
  const armed = received('arm');
  await send({ type: 'listed' });
  await armed;
  meter.begin();
  const changed = received('changed');
  await send({ type: 'armed' });
  await Promise.race([tally.updated, changed.then(() => giveUpLater())]);
  const watch = await meter.end();

  const { decoded } = contender;
  const eventMs = tally.lastUpdateMs - tally.firstUpdateMs;
  const figures: Figures = {
    listMs,
    ...(list.mainCpuUs !== undefined && { listMainCpuUs: list.mainCpuUs / pods }),
    listCpuUs: list.cpuUs / pods,
    listStallMs: list.longestStallMs,
    eventsPerSecond: (events - 1) / (eventMs / 1000),
    ...(watch.mainCpuUs !== undefined && { eventMainCpuUs: watch.mainCpuUs / events }),
    eventCpuUs: watch.cpuUs / events,
    eventStallMs: watch.longestStallMs,
    ...(decoded !== undefined && { eventDecodes: (decoded - decodedBefore) / events }),
    ...memoryOf(contender),
  };
  await send({ type: 'done', figures, answer: answerOf(contender, tally) });
  await contender.stop();
}

/** Comes after all timing: it collects garbage on purpose. */
function memoryOf(contender: Contender): Figures {
  const rssPeakMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const { sharedBytes } = contender;
  return {
    rssPeakMb,
    heapMb: heapUsed / 1e6,
    externalMb: external / 1e6,
    ...(sharedBytes !== undefined && { sharedMb: sharedBytes / 1e6 }),
  };
}

function answerOf(contender: Contender, tally: Tally): Answer {
  const cached = [...contender.cached()];
  const { adds, updates, deletes, addSum, versionSum, outOfOrder } = tally;
  const { merged, errors } = contender;
  return {
    ...{ adds, updates, deletes, addSum, versionSum, outOfOrder, merged, errors },
    objects: cached.length,
    checksum: checksumOf(cached),
  };
}

/** Goes on after a while without the missing events: the answer then tells how many came. */
function giveUpLater(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, CATCH_UP_MS).unref());
}

function received(type: ToContender['type']): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', function listen(message: ToContender) {
      if (message.type !== type) return;
      process.off('message', listen);
      resolve();
    });
  });
}

/** Resolves when the message is out, so that the process may end. */
function send(message: FromContender): Promise<void> {
  return new Promise((resolve) => process.send!(message, () => resolve()));
}
