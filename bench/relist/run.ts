/**
 * One observation, in a process of its own: lists Pods, makes the server forget so that the next watch gets
 * 410, and measures what the list of the same, unchanged Pods costs. Prints one JSON line.
 */
import { SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';

/** What one observation says. Times in milliseconds. */
export interface RelistFigures {
  /** CPU of the home thread, and of all other threads of the process (worker, garbage collection). */
  readonly firstHomeCpuMs: number;
  readonly firstOtherCpuMs: number;
  readonly relistHomeCpuMs: number;
  readonly relistOtherCpuMs: number;
  readonly handlerCalls: number;
  readonly objects: number;
}

/** Longest wait for anything. */
const PATIENCE_MS = 120_000;

const [pods, seed] = process.argv.slice(2).map(Number) as [number, number];
const server = await FakeApiServer.spawn({ in: 'process', seed });
try {
  await server.seedPods(pods);
  console.log(JSON.stringify(await observe()));
} finally {
  await server.stop();
}

async function observe(): Promise<RelistFigures> {
  const factory = new SharedInformerFactory(server.kubeConfig());
  try {
    const informer = factory.informerFor(
      { group: '', version: 'v1', resource: 'pods' },
      { indexers: { byNode: 'spec.nodeName' } },
    );
    let calls = 0;
    informer.addEventHandler({
      onEvent() {
        calls++;
      },
    });
    // A small list first, so that threads, connections and compilation are not counted as its cost.
    factory.informerFor({ group: '', version: 'v1', resource: 'configmaps' });
    const start = cpu();
    await factory.start();
    const first = since(start);
    await until('the watches are open', async () => (await server.stats()).openWatches === 2);

    const callsBefore = calls;
    const recordsBefore = factory.stats.records;
    await server.create('configmaps', { metadata: { name: 'later', namespace: 'default' } });
    await server.compact();
    await server.create('configmaps', { metadata: { name: 'even-later', namespace: 'default' } });
    await server.closeWatches();
    const beforeRelist = cpu();
    await until('the relist is through', async () => factory.stats.records >= recordsBefore + pods + 2);
    await until('it is handled', async () => informer.stats.queued === 0);
    const relist = since(beforeRelist);
    return {
      firstHomeCpuMs: first.home,
      firstOtherCpuMs: first.others,
      relistHomeCpuMs: relist.home,
      relistOtherCpuMs: relist.others,
      handlerCalls: calls - callsBefore,
      objects: informer.lister.size,
    };
  } finally {
    await factory.stop();
  }
}

function cpu() {
  return { home: process.threadCpuUsage(), all: process.cpuUsage() };
}

function since(before: ReturnType<typeof cpu>): { home: number; others: number } {
  const home = process.threadCpuUsage(before.home);
  const all = process.cpuUsage(before.all);
  const homeMs = (home.user + home.system) / 1000;
  return { home: homeMs, others: (all.user + all.system) / 1000 - homeMs };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`waited for ${PATIENCE_MS / 1000} s until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
