/** A program with an informer and nothing else: how long it lives is what the test asks. */
import { setTimeout as delay } from 'node:timers/promises';
import { ListWatch, loadKubeConfig, SharedInformerFactory } from '../../src/index.ts';

const [file = '', unref, source, end] = process.argv.slice(2);
const factory = new SharedInformerFactory(loadKubeConfig({ file }), { unref: unref === 'unref' });
const silentSource = new ListWatch({
  listFunc: async () => ({ metadata: { resourceVersion: '1' }, items: [] }),
  // With a timer of its own that keeps nothing alive, as is the user's to decide.
  watchFunc: async function* ({ signal }) {
    await delay(600_000, undefined, { signal, ref: false });
    yield* [];
  },
});
const informer = factory.informerFor(
  { group: '', version: 'v1', resource: 'configmaps' },
  source === 'functions' ? { listerWatcher: silentSource } : {},
);
informer.addEventHandler({ onEvent: (event) => console.log(event.key) });
// Until here, the program itself keeps the process alive.
const busy = setInterval(() => {}, 1000);
await factory.start();
clearInterval(busy);
console.log('synced');
if (end === 'stop') {
  await factory.stop();
  console.log('stopped');
}
