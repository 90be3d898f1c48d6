/**
 * Prints what exists and what happens to a resource, until Ctrl-C:
 *
 *     node examples/print-events.ts pods
 *     node examples/print-events.ts deployments.v1.apps kube-system
 *
 * The cluster is the one that `kubectl` uses. In a project of your own, import from 'kubering'.
 */
import { KubeConfig } from '@kubernetes/client-node';
import { type ResourceRef, SharedInformerFactory } from '../src/index.ts';

const [what = 'pods', namespace] = process.argv.slice(2);

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());

const factory = new SharedInformerFactory(kubeConfig, { signal: end.signal });
const informer = factory.informerFor(resourceOf(what, namespace), { columns: { phase: 'status.phase' } });
informer.on('error', ({ message }) => console.error(`! ${message}`));
informer.on('synced', () => console.log(`= ${informer.lister.size} ${what}`));
informer.start().catch(() => {});

// Nothing is decoded here: key, version and columns are read from the bytes that the server sent.
for await (const event of informer.events({ signal: end.signal })) {
  const sign = { add: '+', update: '~', delete: '-' }[event.type];
  console.log(`${sign} ${event.key} ${event.resourceVersion} ${event.column('phase') ?? ''}`.trimEnd());
}
await factory.stop();

/** `pods`, or with version and group as `kubectl` takes it: `deployments.v1.apps`. */
function resourceOf(text: string, inNamespace: string | undefined): ResourceRef {
  const [resource = '', version = 'v1', ...group] = text.split('.');
  const all = { group: group.join('.'), version, resource };
  return inNamespace === undefined ? all : { ...all, namespace: inNamespace };
}
