/**
 * Counts the Pods of each node once a second, until Ctrl-C, in a thread that reads the cache of another one:
 *
 *     node examples/count-pods-per-node.ts
 *
 * The main thread has the informer, and nothing else to do. The other thread gets a handle once; after that no message
 * and no copy passes between the two, for both read the same memory. In a project of your own, import from 'kubering'.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { KubeConfig } from '@kubernetes/client-node';
import { type InformerHandle, Lister, resources, SharedInformerFactory } from '../src/index.ts';

const EVERY_MS = 1000;

if (isMainThread) await keepPods();
else countPods(workerData as InformerHandle);

/** Keeps the Pods in shared memory, and starts the thread that counts. */
async function keepPods(): Promise<void> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());

  const factory = new SharedInformerFactory(kubeConfig, { signal: end.signal });
  // Who asks for the Pods of a node finds them in an index: nothing is decoded, however many Pods there are.
  const pods = factory.informerFor(resources.pods, { indexers: { byNode: 'spec.nodeName' } });
  pods.on('error', ({ message }) => console.error(`! ${message}`));
  factory.start().catch(() => {});
  const counter = new Worker(new URL(import.meta.url), { workerData: pods.handle() });
  await pods.closed;
  counter.postMessage('end');
  await once(counter, 'exit');
  await factory.stop();
}

/** Runs in the other thread, and could take its time: the informer would not notice. */
function countPods(handle: InformerHandle): void {
  const pods = Lister.attach(handle);
  let printed = '';
  const timer = setInterval(print, EVERY_MS);
  print();
  parentPort?.once('message', () => {
    clearInterval(timer);
    pods.detach();
  });

  function print(): void {
    const nodes = pods.indexValues('byNode').sort();
    const counts = nodes.map((node) => `${node} ${pods.query({ byNode: node }).count()}`);
    const line = `${pods.size} Pods: ${counts.join(', ')}`;
    if (line !== printed) console.log(line);
    printed = line;
  }
}
