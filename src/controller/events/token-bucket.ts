import type { Clock } from '../../reflector/index.ts';

/** Lets so many through at once, and then one per period. Refuses instead of letting anybody wait. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #periodMs: number;
  #tokens: number;
  #filledAtMs: number;

  /** @param periodMs - time in which one token comes back */
  constructor(clock: Clock, burst: number, periodMs: number) {
    this.#clock = clock;
    this.#burst = burst;
    this.#periodMs = periodMs;
    this.#tokens = burst;
    this.#filledAtMs = clock.now();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    const nowMs = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledAtMs) / this.#periodMs);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
