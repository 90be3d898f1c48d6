import { requireCount, requireDelayMs } from './check.ts';
import { Failures } from './failures.ts';
import { Jitter } from './jitter.ts';
import type { ItemOptions, JitterOptions, RateLimiter } from './rate-limiter.ts';

/** Options of an {@link ItemFastSlowRateLimiter}. */
export interface ItemFastSlowRateLimiterOptions<T> extends ItemOptions<T>, JitterOptions {
  /** The delay after each of the first failures, in milliseconds. */
  readonly fastDelayMs: number;
  /** The delay after each later one, in milliseconds. */
  readonly slowDelayMs: number;
  /** How many failures are answered with the fast delay. */
  readonly maxFastAttempts: number;
}

/** Tries an item again soon for some times, then rarely. */
export class ItemFastSlowRateLimiter<T = string> implements RateLimiter<T> {
  readonly #fastDelayMs: number;
  readonly #slowDelayMs: number;
  readonly #maxFastAttempts: number;
  readonly #failures: Failures<T>;
  readonly #jitter: Jitter;

  /** @throws QueueArgumentError when a delay, the number of attempts or the jitter is out of range */
  constructor(options: ItemFastSlowRateLimiterOptions<T>) {
    const { fastDelayMs, slowDelayMs, maxFastAttempts } = options;
    requireDelayMs('fastDelayMs', fastDelayMs);
    requireDelayMs('slowDelayMs', slowDelayMs);
    requireCount('maxFastAttempts', maxFastAttempts, 0);
    this.#fastDelayMs = fastDelayMs;
    this.#slowDelayMs = slowDelayMs;
    this.#maxFastAttempts = maxFastAttempts;
    this.#failures = new Failures(options);
    this.#jitter = new Jitter(options);
  }

  when(item: T): number {
    const isFast = this.#failures.add(item) < this.#maxFastAttempts;
    return this.#jitter.apply(isFast ? this.#fastDelayMs : this.#slowDelayMs);
  }

  forget(item: T): void {
    this.#failures.forget(item);
  }

  numRequeues(item: T): number {
    return this.#failures.count(item);
  }
}
