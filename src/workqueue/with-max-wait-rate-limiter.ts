import { requireDelayMs } from './check.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Another limiter, whose delays are cut to a longest one. */
export class WithMaxWaitRateLimiter<T = string> implements RateLimiter<T> {
  readonly #limiter: RateLimiter<T>;
  readonly #maxDelayMs: number;

  /**
   * @param maxDelayMs - milliseconds
   * @throws QueueArgumentError when it is negative, NaN or endless
   */
  constructor(limiter: RateLimiter<T>, maxDelayMs: number) {
    requireDelayMs('maxDelayMs', maxDelayMs);
    this.#limiter = limiter;
    this.#maxDelayMs = maxDelayMs;
  }

  when(item: T): number {
    return Math.min(this.#limiter.when(item), this.#maxDelayMs);
  }

  forget(item: T): void {
    this.#limiter.forget(item);
  }

  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }
}
