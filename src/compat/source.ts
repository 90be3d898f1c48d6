/** Decides who lists and watches: the engine, or the functions that client-node would have called. */
import { KubeConfig, type KubernetesObject, type ListPromise, Watch } from '@kubernetes/client-node';
import type { Source } from './engines.ts';
import { functionSource, type Selectors } from './function-source.ts';
import type { CompatOptions } from './options.ts';
import { parseWatchPath } from './watch-path.ts';

/** What client-node's constructor takes. */
export interface Watched<T extends KubernetesObject> extends Selectors {
  readonly path: string;
  readonly watch: Watch;
  readonly listFn: ListPromise<T>;
  readonly options: CompatOptions;
}

export function sourceOf<T extends KubernetesObject>(watched: Watched<T>): Source {
  const { path, watch, listFn, options, labelSelector, fieldSelector } = watched;
  const parsed = options.source === 'listFn' || !isClientNodes(watch) ? undefined : parseWatchPath(path);
  if (parsed === undefined) {
    const listerWatcher = functionSource(path, watch, listFn, { labelSelector, fieldSelector });
    // The path stands for a resource in messages.
    const resource = { group: '', version: 'v1', resource: path || 'objects' };
    return { kubeConfig: watch.config ?? new KubeConfig(), resource, options: { listerWatcher } };
  }
  const nameSelector = parsed.name === undefined ? undefined : `metadata.name=${parsed.name}`;
  const fields = [fieldSelector, nameSelector].filter((selector) => selector).join(',');
  return {
    kubeConfig: watch.config,
    resource: parsed.resource,
    options: {
      ...(labelSelector && { labelSelector }),
      ...(fields !== '' && { fieldSelector: fields }),
      ...(options.watchIdleMs !== undefined && { watchIdleMs: options.watchIdleMs }),
    },
  };
}

/** A Watch that somebody wrote or changed has to be asked: it may know what no API server knows. */
function isClientNodes(watch: Watch): boolean {
  return watch.watch === Watch.prototype.watch;
}
