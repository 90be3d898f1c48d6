import type { Clock } from './types.ts';

/**
 * Tells when nothing happened for too long. It runs one timer that looks when something last happened, for to set a
 * timer again with each chunk of a body would cost more than to read the chunk.
 */
export class SilenceTimer {
  readonly #clock: Clock;
  readonly #onSilence: (limitMs: number) => void;
  #limitMs = 0;
  #lastMs: number;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onSilence: (limitMs: number) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#lastMs = clock.now();
  }

  /** Starts anew with a limit; 0 is no limit. */
  start(limitMs: number): void {
    this.stop();
    this.#limitMs = limitMs;
    this.#lastMs = this.#clock.now();
    if (limitMs > 0) this.#wait(limitMs);
  }

  /** Something happened. */
  touch(nowMs: number): void {
    this.#lastMs = nowMs;
  }

  /** Also pauses: `start` goes on. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#clock.setTimer(delayMs, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    const leftMs = this.#limitMs - (this.#clock.now() - this.#lastMs);
    if (leftMs > 0) this.#wait(leftMs);
    else this.#onSilence(this.#limitMs);
  }
}
