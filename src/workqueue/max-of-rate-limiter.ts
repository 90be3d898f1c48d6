import { QueueArgumentError } from './errors.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** The longest delay that any of several limiters wants. Each of them counts each call. */
export class MaxOfRateLimiter<T = string> implements RateLimiter<T> {
  readonly #limiters: readonly RateLimiter<T>[];

  /** @throws QueueArgumentError when there is no limiter */
  constructor(...limiters: readonly RateLimiter<T>[]) {
    if (limiters.length === 0) {
      throw new QueueArgumentError(
        'limiters',
        'there is no limiter to take the longest delay of; give at least one',
      );
    }
    this.#limiters = limiters;
  }

  when(item: T): number {
    return Math.max(...this.#limiters.map((limiter) => limiter.when(item)));
  }

  forget(item: T): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }

  numRequeues(item: T): number {
    return Math.max(...this.#limiters.map((limiter) => limiter.numRequeues(item)));
  }
}
