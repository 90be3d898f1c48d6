import type { ListWatchOptions } from '@kubernetes/client-node';

/** Options that client-node does not have. All are optional; `delayFn` is taken and not used: delays are the engine's. */
export interface CompatOptions extends ListWatchOptions {
  /**
   * True gives objects as `listFn` does: instances of client-node's classes, with Dates. Costs a copy of each object
   * that is looked at. @default false: plain JSON, as client-node's watch gives it
   */
  readonly typedObjects?: boolean;
  /**
   * `listFn` uses the list function and client-node's Watch also where the path says what is watched: for list
   * functions that do more than list. @default 'auto'
   */
  readonly source?: 'auto' | 'listFn';
  /**
   * Silence on a watch after which it is replaced, in milliseconds; 0 never. Of several informers that watch the same,
   * the first decides. Less than 90 s is less than two bookmarks of the server. @default 3 minutes
   */
  readonly watchIdleMs?: number;
}
