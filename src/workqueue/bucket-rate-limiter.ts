import { requireCount, requirePositive } from './check.ts';
import { type Clock, systemClock } from './clock.ts';
import type { RateLimiter } from './rate-limiter.ts';

const DEFAULT_QPS = 10;
const DEFAULT_BURST = 100;

/** Options of a {@link BucketRateLimiter}. */
export interface BucketRateLimiterOptions {
  /** Tokens that come back in a second. By default 10. */
  readonly qps?: number;
  /** Tokens that the full bucket has, which it is at first: so many calls in a row need not wait. By default 100. */
  readonly burst?: number;
  /** For tests. By default the process's monotonic clock. */
  readonly clock?: Clock;
}

/**
 * One token bucket for all items: limits the whole queue, whoever fails. Each call takes a token, and one that finds
 * none reserves the next that comes back and says when that is, as the reservations of Go's `x/time/rate`.
 */
export class BucketRateLimiter<T = string> implements RateLimiter<T> {
  readonly #tokensPerMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Below 0: so many are reserved. */
  #tokens: number;
  #countedMs: number;

  /** @throws QueueArgumentError when `qps` is not above 0 or `burst` no whole number from 1 on */
  constructor({
    qps = DEFAULT_QPS,
    burst = DEFAULT_BURST,
    clock = systemClock,
  }: BucketRateLimiterOptions = {}) {
    requirePositive('qps', qps);
    requireCount('burst', burst, 1);
    this.#tokensPerMs = qps / 1000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#countedMs = clock.now();
  }

  when(_item: T): number {
    const nowMs = this.#clock.now();
    const returned = (nowMs - this.#countedMs) * this.#tokensPerMs;
    this.#tokens = Math.min(this.#tokens + returned, this.#burst) - 1;
    this.#countedMs = nowMs;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#tokensPerMs;
  }

  /** Does nothing: the bucket knows no items. */
  forget(_item: T): void {}

  /** Always 0. */
  numRequeues(_item: T): number {
    return 0;
  }
}
