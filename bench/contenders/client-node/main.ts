/** `makeInformer` of @kubernetes/client-node, used as its README shows. */
import {
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  type ObjectCache,
} from '@kubernetes/client-node';
import {
  type BenchObject,
  keyOf,
  kubeConfigOf,
  type Library,
  objectHandler,
  resourcesOf,
  serve,
  type Tally,
  versionOf,
} from '../../contender/index.ts';
import type { BenchResource } from '../../server/index.ts';
import type { ContenderConfig } from '../../suite/protocol.ts';

type Cached = KubernetesObject & BenchObject;
type Cache = Informer<Cached> & ObjectCache<Cached>;

await serve(makeClientNode);

function makeClientNode(config: ContenderConfig, tally: Tally): Library {
  const kubeConfig = kubeConfigOf(config);
  const handler = objectHandler(config, tally);
  const errors: string[] = [];
  const failed = Promise.withResolvers<never>();
  // After the first list, what fails is an error of the answer.
  failed.promise.catch(() => {});
  const informers = resourcesOf(config).map((resource) => {
    const informer = informerFor(kubeConfig, resource);
    informer.on('add', handler.added);
    informer.on('update', handler.updated);
    informer.on('delete', handler.deleted);
    informer.on('error', (error: unknown) => {
      errors.push(String(error));
      failed.reject(error);
    });
    return informer;
  });
  const { indexes } = handler;

  return {
    async start() {
      // Its `start` resolves when the watch is open; that all objects are there is known from their number only.
      for (const informer of informers) informer.start().catch(failed.reject);
    },
    failed: failed.promise,
    *cached() {
      for (const informer of informers) {
        for (const object of informer.list()) yield [keyOf(object), versionOf(object)] as const;
      }
    },
    ...(indexes && { lookups: { nodes: () => indexes.nodes, onNode: (node) => indexes.onNode(node) } }),
    merged: 0,
    sharedBytes: undefined,
    errors,
  };
}

function informerFor(kubeConfig: KubeConfig, resource: BenchResource): Cache {
  const { group, version, plural } = resource;
  const path = group === '' ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
  const list = listFor(kubeConfig, resource) as () => Promise<KubernetesListObject<Cached>>;
  return makeInformer<Cached>(kubeConfig, path, list);
}

/** The call of the typed client where there is one. */
function listFor(kubeConfig: KubeConfig, { group, version, plural }: BenchResource): () => Promise<unknown> {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  if (plural === 'pods') return () => core.listPodForAllNamespaces();
  if (plural === 'configmaps') return () => core.listConfigMapForAllNamespaces();
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  return () => custom.listClusterCustomObject({ group, version, plural });
}
