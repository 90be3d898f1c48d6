import { BucketRateLimiter } from './bucket-rate-limiter.ts';
import type { Clock } from './clock.ts';
import { ItemExponentialFailureRateLimiter } from './item-exponential-failure-rate-limiter.ts';
import { MaxOfRateLimiter } from './max-of-rate-limiter.ts';
import type { ItemOptions, JitterOptions, RateLimiter } from './rate-limiter.ts';

/** Options of {@link defaultControllerRateLimiter}. */
export interface DefaultRateLimiterOptions<T> extends ItemOptions<T>, JitterOptions {
  /** For tests. By default the process's monotonic clock. */
  readonly clock?: Clock;
}

/**
 * What controllers use unless they know better: each item's delay doubles from 5 ms to 1,000 s, and all together
 * are tried again at most 10 times a second after a burst of 100. client-go's `DefaultTypedControllerRateLimiter`.
 */
export function defaultControllerRateLimiter<T = string>(
  options: DefaultRateLimiterOptions<T> = {},
): RateLimiter<T> {
  return new MaxOfRateLimiter<T>(
    new ItemExponentialFailureRateLimiter<T>(options),
    new BucketRateLimiter<T>(options.clock === undefined ? {} : { clock: options.clock }),
  );
}

/**
 * Limits items one by one and not the queue: each item's delay doubles from 1 ms to 1,000 s. client-go's
 * `DefaultTypedItemBasedRateLimiter`.
 */
export function defaultItemBasedRateLimiter<T = string>(
  options: ItemOptions<T> & JitterOptions = {},
): RateLimiter<T> {
  return new ItemExponentialFailureRateLimiter<T>({ ...options, baseDelayMs: 1 });
}
