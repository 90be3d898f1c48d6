/** One observation of memory in a process of its own, which needs `--expose-gc`: lists Pods, and prints one JSON line. */
import { SharedInformerFactory } from '../../src/index.ts';
import type { PodSet } from '../pods/pod-lines.ts';
import { startPodServer } from '../pods/start-pod-server.ts';
import type { GuardedFigures } from './check.ts';

const set = JSON.parse(process.argv[2]!) as PodSet;
const server = await startPodServer(set);
const factory = new SharedInformerFactory(server.kubeConfig);
try {
  console.log(JSON.stringify(await observe()));
} finally {
  await factory.stop();
  server.stop();
}

async function observe(): Promise<GuardedFigures> {
  const pods = factory.informerFor(
    { group: '', version: 'v1', resource: 'pods' },
    { indexers: { byNode: 'spec.nodeName' }, columns: { phase: 'status.phase' } },
  );
  let calls = 0;
  pods.addEventHandler({
    onEvent({ key }) {
      if (key.length > 0) calls++;
    },
  });
  const before = await heapAfterCollection();
  await factory.start();
  const objects = pods.stats.objects;
  if (objects !== set.pods || calls !== objects) {
    throw new Error(`${objects} objects in the cache and ${calls} calls instead of ${set.pods}`);
  }
  const heapBytes = (await heapAfterCollection()) - before;
  return {
    heapBytesPerObject: Math.round(heapBytes / objects),
    sharedBytesPerObject: Math.round(factory.stats.sharedBytes / objects),
  };
}

/** What lives: of weak and finalised things, some are let go one turn later than the rest. */
async function heapAfterCollection(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
