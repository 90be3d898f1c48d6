/** A worker thread that is the home thread of a factory. Says what it saw, then ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { KubeConfig } from '@kubernetes/client-node';
import { SharedInformerFactory } from '../../src/index.ts';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(workerData.kubeConfig);
const factory = new SharedInformerFactory(kubeConfig);
const informer = factory.informerFor(
  { group: '', version: 'v1', resource: 'pods' },
  { indexers: { byNode: 'spec.nodeName' } },
);
const keys = new Set<string>();
informer.addEventHandler({
  onEvent(event) {
    if (event.type === 'delete') keys.delete(event.key);
    else keys.add(event.key);
  },
});
await factory.start();
parentPort!.postMessage('synced');
parentPort!.on('message', async (resourceVersion: string) => {
  while (BigInt(informer.lister.resourceVersion) < BigInt(resourceVersion)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const byNode = informer.lister.indexValues('byNode').length;
  parentPort!.postMessage({ keys: [...keys].sort(), cached: informer.lister.keys().sort(), byNode });
  await factory.stop();
  parentPort!.close();
});
