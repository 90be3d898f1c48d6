/** The steps of the demo: sync, churn, compare. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer, type RemoteFakeApiServer } from '../../src/testing/index.ts';
import { compareWithServer, type Differences } from './compare.ts';
import { Display } from './display.ts';

export interface DemoOptions {
  readonly pods: number;
  readonly seconds: number;
  readonly rate: number;
  readonly json: boolean;
}

/** What the demo measured. Times in milliseconds, memory in MB (10^6 bytes). */
export interface DemoSummary extends Differences {
  /** Pods in the cache at the end. */
  readonly objects: number;
  /** Changes that the handler was told of after the first list. */
  readonly events: number;
  /** From `start` to the complete list. */
  readonly syncMs: number;
  readonly eventsPerSecond: number;
  /** Longest time that this thread's event loop was late, from the start to the end of the changes. */
  readonly longestStallMs: number;
  /** Longest slice of kubering's own work on this thread in that time: on the clock, and in CPU time. */
  readonly longestSliceMs: number;
  readonly longestSliceCpuMs: number;
  readonly heapMb: number;
  /** Shared memory at the end of the changes, and 2 s into them. */
  readonly sharedMb: number;
  readonly sharedStartMb: number;
  readonly rssMb: number;
}

/** Into the changes, to see from where on shared memory should stay flat. */
const SHARED_START_MS = 2000;

/** Longest wait until the cache has what the server has. */
const CATCH_UP_MS = 60_000;

const DISPLAY_EVERY_MS = 200;

const SEED = 20261130;

/**
 * A real API server runs on another machine. This one shares the few cores of this machine, so it is as nice as
 * kubering's workers are.
 */
const SERVER_NICENESS = 10;

/** Shares of the changes. */
const MIX = { create: 1, update: 8, delete: 1 };

export async function runDemo(options: DemoOptions): Promise<DemoSummary> {
  const display = new Display(options.json);
  display.say(`fake API server with ${options.pods} Pods, in its own process …`);
  const server = await FakeApiServer.spawn({ in: 'process', seed: SEED, niceness: SERVER_NICENESS });
  try {
    await server.seedPods(options.pods);
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      return await measure(options, display, server, factory);
    } finally {
      await factory.stop();
    }
  } finally {
    await server.stop();
  }
}

async function measure(
  options: DemoOptions,
  display: Display,
  server: RemoteFakeApiServer,
  factory: SharedInformerFactory,
): Promise<DemoSummary> {
  // What loading this program left behind is collected now, not in the middle of what is measured.
  globalThis.gc?.();
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  stalls.enable();
  const pods = makeInformer(factory, display, options.pods);
  let events = 0;
  pods.addEventHandler({
    onEvent(event) {
      if (!event.isInitial) events++;
    },
  });

  const startMs = performance.now();
  await factory.start();
  const syncMs = performance.now() - startMs;
  display.endProgress(pods.lister.size);
  display.say(`synced ${pods.lister.size} Pods in ${syncMs.toFixed(0)} ms`);

  const churnStartMs = performance.now();
  let sharedStartBytes = 0;
  const sampler = setInterval(() => {
    const elapsedMs = performance.now() - churnStartMs;
    const { sharedBytes, ringFill } = factory.stats;
    if (elapsedMs >= SHARED_START_MS && sharedStartBytes === 0) sharedStartBytes = sharedBytes;
    display.live({
      objects: pods.lister.size,
      eventsPerSecond: (events / elapsedMs) * 1000,
      ringFill,
      longestStallMs: stalls.max / 1e6,
      heapMb: process.memoryUsage().heapUsed / 1e6,
      sharedMb: sharedBytes / 1e6,
    });
  }, DISPLAY_EVERY_MS);
  const { seconds, rate } = options;
  await server.churn({ resource: 'pods', rate, seconds, mix: MIX, seed: SEED });
  const churnMs = performance.now() - churnStartMs;
  clearInterval(sampler);
  stalls.disable();
  const longestStallMs = stalls.max / 1e6;
  const { sharedBytes, longestSliceMs, longestSliceCpuMs } = factory.stats;
  const { heapUsed, rss } = process.memoryUsage();
  await caughtUp(pods, String(await server.resourceVersion()));
  display.endLive();

  display.say('comparing the cache with the server, object by object …');
  const differences = await compareWithServer(pods, server.pages('pods'));
  const summary: DemoSummary = {
    objects: pods.lister.size,
    events,
    syncMs: Math.round(syncMs),
    eventsPerSecond: Math.round((events / churnMs) * 1000),
    longestStallMs: round1(longestStallMs),
    longestSliceMs: round1(longestSliceMs),
    longestSliceCpuMs: round1(longestSliceCpuMs),
    heapMb: round1(heapUsed / 1e6),
    sharedMb: round1(sharedBytes / 1e6),
    sharedStartMb: round1((sharedStartBytes || sharedBytes) / 1e6),
    rssMb: round1(rss / 1e6),
    ...differences,
  };
  display.summary(summary);
  return summary;
}

function makeInformer(factory: SharedInformerFactory, display: Display, expected: number): SharedInformer {
  const pods = factory.informerFor(
    { group: '', version: 'v1', resource: 'pods' },
    { indexers: { byNode: 'spec.nodeName' }, columns: { phase: 'status.phase' } },
  );
  pods.on('error', (error) => display.warn(error.message));
  pods.on('progress', ({ items, remaining }) => display.progress(items, remaining ?? expected - items));
  return pods;
}

/** Resolves when the cache is at the server's version, which a bookmark or the last change brings. */
async function caughtUp(pods: SharedInformer, resourceVersion: string): Promise<void> {
  const endMs = performance.now() + CATCH_UP_MS;
  while (BigInt(pods.lister.resourceVersion || '0') < BigInt(resourceVersion)) {
    if (performance.now() > endMs) {
      const at = pods.lister.resourceVersion;
      throw new Error(`the cache is at ${at} and did not reach the server's ${resourceVersion}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
