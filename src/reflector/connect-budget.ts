import { FIRST_OPENS_BURST, MAX_OPENS_PER_SECOND, NO_BURST_MS } from './limits.ts';
import type { Clock } from './types.ts';

/** What a {@link ConnectBudget} needs. */
export interface ConnectBudgetOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1), as Math.random. */
  readonly random: () => number;
  /** Most requests opened per second, besides the burst. Default {@link MAX_OPENS_PER_SECOND}. */
  readonly opensPerSecond?: number | undefined;
  /** First requests that are opened without a delay. Default {@link FIRST_OPENS_BURST}. */
  readonly firstBurst?: number | undefined;
}

/**
 * Spreads the requests that reflectors of one worker open against one server. Each list and each watch takes a token;
 * further pages of a list take none.
 *
 * Reflectors that start take theirs from a burst. All others go one by one, at intervals of random length: when a
 * server comes back, or ends all watches because it goes, hundreds of reflectors have lost theirs at the same time.
 * A failure to connect ends the burst for {@link NO_BURST_MS}; then it fills again with time.
 */
export class ConnectBudget {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #intervalMs: number;
  readonly #firstBurst: number;
  #burst: number;
  /** When the burst was counted last; it does not fill before. */
  #countedMs: number;
  #nextMs = Number.NEGATIVE_INFINITY;
  /** In order; each calls once. */
  readonly #waiting = new Set<() => void>();
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, random, opensPerSecond, firstBurst }: ConnectBudgetOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#intervalMs = 1000 / (opensPerSecond ?? MAX_OPENS_PER_SECOND);
    this.#firstBurst = firstBurst ?? FIRST_OPENS_BURST;
    this.#burst = this.#firstBurst;
    this.#countedMs = clock.now();
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Takes a token for a request that is opened now.
   *
   * @param isFirst - of a reflector that has not watched yet
   * @returns false when there is none: then `wait`
   */
  take(isFirst: boolean): boolean {
    const nowMs = this.#clock.now();
    this.#countBurst(nowMs);
    if (isFirst && this.#burst >= 1) {
      this.#burst--;
      return true;
    }
    if (this.#waiting.size > 0 || nowMs < this.#nextMs) return false;
    this.#nextMs = nowMs + this.#gapMs();
    return true;
  }

  /** Calls back once, when it is the caller's turn; the returned function cancels. */
  wait(callback: () => void): () => void {
    // Not the callback itself: one that waits twice would have one place.
    const turn = () => callback();
    this.#waiting.add(turn);
    this.#schedule();
    return () => {
      this.#waiting.delete(turn);
      if (this.#waiting.size > 0) return;
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
    };
  }

  /** There was no connection, or it broke. */
  failed(): void {
    this.#burst = 0;
    this.#countedMs = this.#clock.now() + NO_BURST_MS;
  }

  #countBurst(nowMs: number): void {
    if (nowMs < this.#countedMs) return;
    this.#burst = Math.min(this.#firstBurst, this.#burst + (nowMs - this.#countedMs) / this.#intervalMs);
    this.#countedMs = nowMs;
  }

  /** Never shorter than the interval, so that the rate is a limit; of random length, so that clients don't align. */
  #gapMs(): number {
    return this.#intervalMs * (1 + this.#random());
  }

  #schedule(): void {
    if (this.#cancelTimer !== undefined || this.#waiting.size === 0) return;
    const waitMs = Math.max(0, this.#nextMs - this.#clock.now());
    this.#cancelTimer = this.#clock.setTimer(waitMs, () => this.#turn());
  }

  #turn(): void {
    this.#cancelTimer = undefined;
    const [turn] = this.#waiting;
    if (turn === undefined) return;
    this.#waiting.delete(turn);
    this.#nextMs = this.#clock.now() + this.#gapMs();
    this.#schedule();
    // Last, for it may wait again or cancel others.
    turn();
  }
}
