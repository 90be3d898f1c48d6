import type { Clock } from './types.ts';

/** Tells when a time is over; a pause does not count. */
export class Countdown {
  readonly #clock: Clock;
  readonly #onOver: (limitMs: number) => void;
  #limitMs = 0;
  #leftMs = 0;
  #startedMs = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onOver: (limitMs: number) => void) {
    this.#clock = clock;
    this.#onOver = onOver;
  }

  start(limitMs: number): void {
    this.stop();
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    this.resume();
  }

  pause(): void {
    if (this.#cancel === undefined) return;
    this.#leftMs -= this.#clock.now() - this.#startedMs;
    this.#cancel();
    this.#cancel = undefined;
  }

  /** Goes on after a pause; does nothing when it runs, or after `stop`. */
  resume(): void {
    if (this.#cancel !== undefined || this.#leftMs <= 0) return;
    this.#startedMs = this.#clock.now();
    this.#cancel = this.#clock.setTimer(this.#leftMs, () => {
      this.stop();
      this.#onOver(this.#limitMs);
    });
  }

  /** For good. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#leftMs = 0;
  }
}
