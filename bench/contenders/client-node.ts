/** `makeInformer` of @kubernetes/client-node, used as its README shows. */
import { CoreV1Api, type KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import type { Tally } from '../tally.ts';
import type { Contender, Workload } from './contender.ts';

export function makeClientNode(kubeConfig: KubeConfig, workload: Workload, tally: Tally): Contender {
  if (workload !== 'keys' && workload !== 'decode') {
    throw new RangeError(
      `client-node has no '${workload}': it always keeps whole objects and hands out new ones`,
    );
  }
  const api = kubeConfig.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1Pod>(kubeConfig, '/api/v1/pods', () => api.listPodForAllNamespaces());
  const errors: string[] = [];
  const failed = Promise.withResolvers<never>();
  // Only the list waits for it.
  failed.promise.catch(() => {});
  informer.on('error', (error: unknown) => {
    errors.push(String(error));
    failed.reject(error);
  });
  if (workload === 'keys') {
    informer.on('add', (pod) => tally.addedKey(keyOf(pod)));
    informer.on('update', (pod) => tally.updatedKey(keyOf(pod)));
  } else {
    informer.on('add', (pod) => tally.addedObject(pod));
    informer.on('update', (pod) => tally.updatedObject(pod));
  }
  informer.on('delete', () => tally.deleted());

  return {
    async start() {
      // Its `start` resolves when the watch is open, which is not part of the list.
      informer.start().catch(failed.reject);
      await Promise.race([tally.listed, failed.promise]);
    },
    *cached() {
      for (const pod of informer.list()) yield [keyOf(pod), pod.metadata?.resourceVersion ?? ''] as const;
    },
    merged: 0,
    decoded: undefined,
    sharedBytes: undefined,
    errors,
    stop: () => informer.stop(),
  };
}

function keyOf(pod: V1Pod): string {
  return `${pod.metadata?.namespace}/${pod.metadata?.name}`;
}
