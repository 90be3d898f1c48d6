/** The steps of the demo: sync, churn, compare. */
import { type SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer, type RemoteFakeApiServer } from '../../src/testing/index.ts';
import { compareWithServer, type Differences } from './compare.ts';
import { Display } from './display.ts';
import { type Measured, Meter } from './meter.ts';
import { withMetricsPage } from './metrics-page.ts';

export interface DemoOptions {
  readonly pods: number;
  readonly seconds: number;
  readonly rate: number;
  readonly json: boolean;
  /** Where /metrics is served meanwhile; 0 for any free port, undefined for nowhere. */
  readonly metricsPort?: number | undefined;
}

/** What the demo measured, and whether the cache was right. */
export type DemoSummary = Measured & Differences;

/** Longest wait until the cache has what the server has. */
const CATCH_UP_MS = 60_000;

const SEED = 20261130;

/**
 * A real API server runs on another machine. This one shares the few cores of this machine, so it is as nice as
 * kubering's workers are.
 */
const SERVER_NICENESS = 10;

/** Shares of the changes. */
const MIX = { create: 1, update: 8, delete: 1 };

export async function runDemo(options: DemoOptions): Promise<DemoSummary> {
  const display = new Display({ isJson: options.json, what: 'Pods' });
  display.say(`fake API server with ${options.pods} Pods, in its own process …`);
  const server = await FakeApiServer.spawn({ in: 'process', seed: SEED, niceness: SERVER_NICENESS });
  try {
    await server.seedPods(options.pods);
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      const port = options.metricsPort;
      return await withMetricsPage({ factory, port, display }, () =>
        measure(options, display, server, factory),
      );
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
  const pods = makeInformer(factory, display, options.pods);
  const meter = new Meter(factory, pods);
  await factory.start();
  meter.synced((figures) => display.live(figures));
  display.endProgress(pods.lister.size);
  display.say(`synced ${pods.lister.size} Pods in ${meter.syncMs.toFixed(0)} ms`);

  const { seconds, rate } = options;
  await server.churn({ resource: 'pods', rate, seconds, mix: MIX, seed: SEED });
  const measured = meter.stop();
  await caughtUp(pods, String(await server.resourceVersion()));
  display.endLive();

  display.say('comparing the cache with the server, object by object …');
  const differences = await compareWithServer(pods, server.pages('pods'));
  const summary: DemoSummary = { ...measured(), ...differences };
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
