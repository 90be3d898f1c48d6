import { requireDelayMs, requirePositive } from './check.ts';
import { Failures } from './failures.ts';
import { Jitter } from './jitter.ts';
import type { ItemOptions, JitterOptions, RateLimiter } from './rate-limiter.ts';

const DEFAULT_BASE_DELAY_MS = 5;
const DEFAULT_MAX_DELAY_MS = 1_000_000;

/** Options of an {@link ItemExponentialFailureRateLimiter}. */
export interface ItemExponentialFailureRateLimiterOptions<T> extends ItemOptions<T>, JitterOptions {
  /** The delay after the first failure, in milliseconds. By default 5. */
  readonly baseDelayMs?: number;
  /** The longest delay, in milliseconds. By default 1,000,000: nearly 17 minutes. */
  readonly maxDelayMs?: number;
}

/** A delay that doubles with each failure of the same item: `baseDelayMs * 2^failures`, up to the longest. */
export class ItemExponentialFailureRateLimiter<T = string> implements RateLimiter<T> {
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #failures: Failures<T>;
  readonly #jitter: Jitter;

  /** @throws QueueArgumentError when a delay or the jitter is out of range */
  constructor(options: ItemExponentialFailureRateLimiterOptions<T> = {}) {
    const { baseDelayMs = DEFAULT_BASE_DELAY_MS, maxDelayMs = DEFAULT_MAX_DELAY_MS } = options;
    requirePositive('baseDelayMs', baseDelayMs);
    requireDelayMs('maxDelayMs', maxDelayMs);
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#failures = new Failures(options);
    this.#jitter = new Jitter(options);
  }

  when(item: T): number {
    // After a thousand failures the product is Infinity, and the longest delay still the lesser.
    const delayMs = this.#baseDelayMs * 2 ** this.#failures.add(item);
    return this.#jitter.apply(Math.min(delayMs, this.#maxDelayMs));
  }

  forget(item: T): void {
    this.#failures.forget(item);
  }

  numRequeues(item: T): number {
    return this.#failures.count(item);
  }
}
