/**
 * Time, injected so that tests own it. A clock that starts its timers as background timers too (ignoring
 * `isBackground`) is fine, except that they keep the process alive.
 */
export interface Clock {
  /** Milliseconds on a monotonic clock: setting the machine's time must not change it. */
  now(): number;
  /**
   * Calls back once after `delayMs`, not earlier; the returned function cancels.
   *
   * @param delayMs - from 0 to 2^31 - 1
   * @param options - `isBackground`: the timer alone need not keep the process alive
   */
  setTimer(delayMs: number, callback: () => void, options?: { readonly isBackground?: boolean }): () => void;
}

/** The process's own. Its timers keep the process alive: a delayed item is work to come. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimer(delayMs, callback, options) {
    // setTimeout drops the fraction, and would call back early.
    const timer = setTimeout(callback, Math.ceil(delayMs));
    if (options?.isBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};
