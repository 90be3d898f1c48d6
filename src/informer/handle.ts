/** What another thread needs to read the cache of an informer. */
import type { StoreHandle } from '../store/index.ts';
import type { Column } from './column.ts';

/**
 * Made by `informer.handle()`, read by `Lister.attach`. Post it to any worker thread of this process, as often as you
 * like: it names memory, and copies none. What is in it is not for you to read, and changes with versions of kubering.
 */
export interface InformerHandle {
  readonly store: StoreHandle;
  /** Number of the thread that takes subscriptions. */
  readonly thread: number;
  readonly columns: readonly (readonly [name: string, column: Column])[];
  /** Paths of indexes (in their written form) with the names of the indexes. */
  readonly indexPaths: readonly (readonly [path: string, name: string])[];
}
