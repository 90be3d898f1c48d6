import type { WorkQueueOptions } from './base-queue.ts';
import { defaultControllerRateLimiter } from './default-rate-limiters.ts';
import { DelayingQueue } from './delaying-queue.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Options of a {@link RateLimitingQueue}. */
export interface RateLimitingQueueOptions<T> extends WorkQueueOptions<T> {
  /**
   * By default that of {@link defaultControllerRateLimiter}, with this queue's key function and clock. Another one has
   * to be given its own.
   */
  readonly rateLimiter?: RateLimiter<T>;
}

/**
 * A queue that says how long an item waits before it is tried again: client-go's `TypedRateLimitingQueue`. Call
 * `addRateLimited` after a failure, `forget` when it is over, for good or bad; and `done` in either case.
 */
export class RateLimitingQueue<T = string> extends DelayingQueue<T> {
  readonly #rateLimiter: RateLimiter<T>;

  /** @throws QueueArgumentError when there are metrics but no name */
  constructor(options: RateLimitingQueueOptions<T> = {}) {
    super(options);
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter(options);
  }

  /**
   * Adds the item when the rate limiter allows it. Ignored when the queue is shutting down.
   *
   * @throws QueueArgumentError when the rate limiter returned a delay that is negative, NaN or endless
   */
  addRateLimited(item: T): void {
    if (!this.shuttingDown) this.addAfter(item, this.#rateLimiter.when(item));
  }

  /** Its failures no longer count. It does not take the item out of the queue. Nothing for unknown items. */
  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  /** How often it failed since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(item);
  }
}
