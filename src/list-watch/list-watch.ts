import type { ListerWatcher, ListOptions, WatchOptions } from './types.ts';

/** The two functions of a {@link ListWatch}. */
export interface ListWatchFunctions<T = object> {
  readonly listFunc: ListerWatcher<T>['list'];
  readonly watchFunc: ListerWatcher<T>['watch'];
}

/**
 * Feeds an informer from functions: for tests, for files that are played back, for sources that are put together
 * of others.
 * Source: `ListWatch` in client-go's `tools/cache/listwatch.go`.
 *
 * ```ts
 * const listerWatcher = new ListWatch({
 *   listFunc: async () => ({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: pods }),
 *   watchFunc: ({ resourceVersion, signal }) => changesSince(resourceVersion, signal),
 * });
 * const informer = factory.informerFor<V1Pod>(resource, { listerWatcher });
 * ```
 */
export class ListWatch<T = object> implements ListerWatcher<T> {
  readonly #functions: ListWatchFunctions<T>;

  /** @throws TypeError when one of the functions is none */
  constructor(functions: ListWatchFunctions<T>) {
    for (const name of ['listFunc', 'watchFunc'] as const) {
      if (typeof functions?.[name] !== 'function') throw new TypeError(`ListWatch needs a function ${name}`);
    }
    this.#functions = functions;
  }

  list(options: ListOptions): ReturnType<ListerWatcher<T>['list']> {
    return this.#functions.listFunc(options);
  }

  watch(options: WatchOptions): ReturnType<ListerWatcher<T>['watch']> {
    return this.#functions.watchFunc(options);
  }
}
