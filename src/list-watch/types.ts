/** What an informer needs of a source of objects that is no API server. */

/** What is asked of a list. A function may ignore all of it, as long as what it gives is a whole list. */
export interface ListOptions {
  /** '0' accepts any state, absent asks for the latest, everything else for one that is not older. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  /** Most objects of one page; absent for all of them. A list may be longer. */
  readonly limit?: number;
  /** Token of the page before, when the list is asked for in pages. */
  readonly continue?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What is asked of a watch. */
export interface WatchOptions {
  /** Changes after this version are wanted. */
  readonly resourceVersion?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `BOOKMARK` events are welcome: they say up to which version there was nothing to tell. */
  readonly allowWatchBookmarks?: boolean;
  /** After this time an API server would end the watch. */
  readonly timeoutSeconds?: number;
  /** Aborted when nobody reads the watch any more. */
  readonly signal: AbortSignal;
}

/**
 * A Kubernetes list: what `JSON.parse` makes of a list body, or what client-node's `list…` methods return.
 * `metadata.resourceVersion` is required: the watch starts from it.
 */
export interface ObjectList<T = object> {
  /** For example `PodList`: objects that don't say their own kind get it from here. */
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: {
    readonly resourceVersion?: string;
    /** Where the next page begins; absent or '' on the last one. */
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  /** Each needs `metadata.name` and `metadata.resourceVersion`; an update is one of the latter. */
  readonly items: readonly T[];
}

/** An event of a watch. */
export type WatchEvent<T = object> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly object: { readonly metadata: { readonly resourceVersion: string } };
    }
  /** The object is a Status, for example of code 410: the version that was asked for is too old. */
  | { readonly type: 'ERROR'; readonly object: object };

/** The bytes of a list body as an API server sends it, for example a file's. Chunks may be cut anywhere. */
export type ListBytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Events, or the bytes of a watch stream: one JSON event after the other, with a newline behind each. */
export type WatchStream<T = object> =
  | AsyncIterable<WatchEvent<T> | Uint8Array>
  | Iterable<WatchEvent<T>>
  | Uint8Array;

/**
 * Where an informer gets its objects from. {@link ListWatch} makes one of two functions.
 * Source: `ListerWatcher` in client-go's `tools/cache/listwatch.go`.
 *
 * Both methods run on the thread of the factory. What they throw is told as an `error` of the informer, and they
 * are called again with growing delays: an error with a numeric `code` (or a Status as `body`) counts as an API
 * server's answer with that status, so `{ code: 410 }` leads to a list. Every other error counts as a connection
 * that broke.
 */
export interface ListerWatcher<T = object> {
  list(options: ListOptions): ObjectList<T> | ListBytes | Promise<ObjectList<T> | ListBytes>;
  /**
   * Gives the changes after `options.resourceVersion`. A watch that ends is opened again from the last version
   * that it gave: one that has nothing to say waits.
   */
  watch(options: WatchOptions): WatchStream<T> | Promise<WatchStream<T>>;
}
