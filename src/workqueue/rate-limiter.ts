/** Says how long items should wait before they are tried again. */
export interface RateLimiter<T = string> {
  /** Counts a failure of the item and returns how long it has to wait, in milliseconds. */
  when(item: T): number;
  /** The item has succeeded, or will not be tried again: its failures no longer count. Nothing for unknown ones. */
  forget(item: T): void;
  /** Failures that count; 0 for unknown items. */
  numRequeues(item: T): number;
}

/** How a limiter tells items apart. */
export interface ItemOptions<T> {
  /** Items with equal keys are one item, as in the queue. By default an item is its own key. */
  readonly keyFunction?: (item: T) => unknown;
}

/** How a limiter spreads what failed together. */
export interface JitterOptions {
  /**
   * The part of a delay that is random, from 0 to 1: with 0.5 a delay of 10 s becomes 5 to 10 s. Never longer than
   * without, so that limits hold, and still spread at the longest delay. By default 0, as in client-go.
   */
  readonly jitter?: number;
  /** From 0 to 1, without 1. For tests; by default `Math.random`. */
  readonly random?: () => number;
}
