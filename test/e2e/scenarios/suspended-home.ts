/** A process that follows ConfigMaps, and tells its parent what its handler was told once it is asked to end. */
import { KubeConfig } from '@kubernetes/client-node';
import { SharedInformerFactory } from '../../../src/index.ts';
import { CONFIG_MAPS } from './scene.ts';
import type { Told } from './story.ts';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(process.env.TEST_KUBECONFIG!);
const factory = new SharedInformerFactory(kubeConfig);
const informer = factory.informerFor(CONFIG_MAPS, { watchIdleMs: Number(process.env.TEST_WATCH_IDLE_MS) });
const told: Told[] = [];
informer.addEventHandler({
  onEvent({ type, key, uid, resourceVersion, isFinalStateUnknown }) {
    told.push({ type, key, uid, resourceVersion, isFinalStateUnknown });
    if (key === 'default/last') process.send!(told);
  },
});
await factory.start();
process.send!('synced');
process.once('message', async () => {
  await factory.stop();
  process.disconnect();
});
