import type { GetOptions } from './base-queue.ts';
import type { WorkItem } from './work-item.ts';

/**
 * What a controller needs of its queue: client-go's `TypedRateLimitingInterface`. `RateLimitingQueue` and
 * `PriorityQueue` are such.
 */
export interface RateLimitingInterface<T = string> extends AsyncIterable<T> {
  readonly len: number;
  readonly shuttingDown: boolean;
  add(item: T): void;
  addAfter(item: T, delayMs: number): void;
  addRateLimited(item: T): void;
  forget(item: T): void;
  numRequeues(item: T): number;
  get(options?: GetOptions): Promise<T | undefined>;
  tryGet(): T | undefined;
  take(options?: GetOptions): Promise<WorkItem<T> | undefined>;
  done(item: T): void;
  shutDown(): void;
  shutDownWithDrain(): Promise<void>;
}
