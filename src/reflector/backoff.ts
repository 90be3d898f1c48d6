import { FIRST_BACKOFF_MS, MAX_BACKOFF_MS } from './limits.ts';

/**
 * Growing delays between tries. A delay is uniform in [step, 2 step), so that clients that failed together do
 * not come back together, and the step doubles until the longest delay is {@link MAX_BACKOFF_MS}.
 * It has no clock of its own: whoever knows that things went well calls `reset`.
 */
export class Backoff {
  readonly #random: () => number;
  #stepMs = FIRST_BACKOFF_MS;

  constructor(random: () => number) {
    this.#random = random;
  }

  /**
   * The delay after one more failure.
   *
   * @param spentMs - how long the failed try lasted usefully; it counts as waited, and a try that lasted longer
   *   than its delay does not make the next one longer
   */
  next(spentMs = 0): number {
    const delayMs = Math.floor(this.#stepMs * (1 + this.#random()));
    if (delayMs <= spentMs) return 0;
    this.#stepMs = Math.min(this.#stepMs * 2, MAX_BACKOFF_MS / 2);
    return delayMs - spentMs;
  }

  reset(): void {
    this.#stepMs = FIRST_BACKOFF_MS;
  }
}
