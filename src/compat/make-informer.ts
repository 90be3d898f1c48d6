import {
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  type ListPromise,
  type ObjectCache,
  Watch,
} from '@kubernetes/client-node';
import { ListWatch } from './list-watch.ts';
import type { CompatOptions } from './options.ts';

/**
 * In place of client-node's function of the same name: `makeInformer(kubeConfig, '/api/v1/pods', listFn)`.
 * Source: `makeInformer` in client-node 2.0.1's `src/informer.ts`.
 *
 * @param path - what is watched, see {@link ListWatch}
 * @param listPromiseFn - not called when the path says what is watched; the selector alone says which objects
 * @param fieldSelector - for `metadata.name=web-0` and the like; client-node's function has none
 */
export function makeInformer<T extends KubernetesObject>(
  kubeconfig: KubeConfig,
  path: string,
  listPromiseFn: ListPromise<T>,
  labelSelector?: string,
  fieldSelector?: string,
  options?: CompatOptions,
): Informer<T> & ObjectCache<T> & Pick<ListWatch<T>, 'sharedInformer' | 'latestResourceVersion'> {
  const watch = new Watch(kubeconfig);
  return new ListWatch(path, watch, listPromiseFn, false, labelSelector, fieldSelector, options);
}
