/**
 * Keeps a copy of a ConfigMap in every namespace, until Ctrl-C:
 *
 *     node examples/replicate-configmap.ts default/ca-bundle
 *
 * Copies follow the original, come back when somebody deletes or edits them, and go with it. In a project of your own,
 * import from 'kubering'.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, type V1ConfigMap, type V1Namespace } from '@kubernetes/client-node';
import { SharedInformerFactory } from '../src/index.ts';

const [original = 'default/ca-bundle'] = process.argv.slice(2);
const [home = '', name = ''] = original.split('/');
/** Marks copies, so that no ConfigMap of somebody else is touched. */
const LABEL = 'kubering.example/copy-of';
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const api = kubeConfig.makeApiClient(CoreV1Api);
const end = new AbortController();
const { signal } = end;
for (const ending of ['SIGINT', 'SIGTERM']) process.once(ending, () => end.abort());

const factory = new SharedInformerFactory(kubeConfig, { signal });
const core = { group: '', version: 'v1' };
const fieldSelector = `metadata.name=${name}`;
// The server sends only ConfigMaps of this name: the original, and what may be its copies.
const configMaps = factory.informerFor<V1ConfigMap>({ ...core, resource: 'configmaps' }, { fieldSelector });
const namespaces = factory.informerFor<V1Namespace>({ ...core, resource: 'namespaces' });
for (const informer of [configMaps, namespaces]) {
  informer.on('error', ({ message }) => console.error(`! ${message}`));
}
await factory.start();

// One key at a time, several side by side; who fails is tried again, and nobody else waits for that.
const options = { concurrency: 'per-key', maxInFlight: 8 } as const;
namespaces.addEventHandler({ onEvent: (event) => replicate(event.name) }, options);
configMaps.addEventHandler(
  {
    async onEvent(event) {
      const isOriginal = event.key === original;
      await Promise.all((isOriginal ? namespaces.lister.keys() : [event.namespace]).map(replicate));
    },
  },
  options,
);
await configMaps.closed;
await factory.stop();

/** Brings one namespace to what it should be. It reads the caches anew each time, so it may come too often. */
async function replicate(namespace: string): Promise<void> {
  if (namespace === home) return;
  for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      return await replicateNow(namespace);
    } catch (error) {
      console.error(`! ${namespace}/${name}: ${(error as Error).message}`);
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function replicateNow(namespace: string): Promise<void> {
  const wanted = configMaps.lister.get(original);
  const copy = configMaps.lister.get(`${namespace}/${name}`);
  if (copy !== undefined && copy.metadata?.labels?.[LABEL] !== home) return;
  const phase = namespaces.lister.get(namespace)?.status?.phase;
  if (phase === undefined || phase === 'Terminating') return;
  if (wanted === undefined) {
    if (copy === undefined) return;
    await api.deleteNamespacedConfigMap({ namespace, name });
    console.log(`- ${namespace}/${name}`);
  } else if (copy === undefined) {
    await api.createNamespacedConfigMap({ namespace, body: copyOf(wanted, namespace) });
    console.log(`+ ${namespace}/${name}`);
  } else if (JSON.stringify(copy.data) !== JSON.stringify(wanted.data)) {
    // With the version that is in the cache: when that is an old one, the server refuses, and we try again.
    const body = copyOf(wanted, namespace, copy.metadata?.resourceVersion);
    await api.replaceNamespacedConfigMap({ namespace, name, body });
    console.log(`~ ${namespace}/${name}`);
  }
}

function copyOf({ data }: V1ConfigMap, namespace: string, resourceVersion?: string): V1ConfigMap {
  const metadata = { name, namespace, labels: { [LABEL]: home } };
  return {
    metadata: resourceVersion === undefined ? metadata : { ...metadata, resourceVersion },
    ...(data !== undefined && { data }),
  };
}
