import type { Clock } from './clock.ts';
import { DelayedItems } from './delayed-items.ts';

/** The longest that `setTimeout` can wait, 25 days; above, it would call back at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Due values handed over in one turn of the event loop: some milliseconds. A million may be due at once. */
const DUE_PER_TURN = 4096;

/** Hands values over when their time has come. There is one timer, however many wait, and none when nothing does. */
export class Delays<V> {
  readonly #clock: Clock;
  readonly #onDue: (value: V) => void;
  #items = new DelayedItems<V>();
  #cancelTimer: (() => void) | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (value: V) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#items.size;
  }

  /** A key that waits already keeps the earlier time and gets the new value. */
  add(key: unknown, value: V, delayMs: number): void {
    this.#items.add(key, value, this.#clock.now() + delayMs);
    this.#schedule();
  }

  delete(key: unknown): void {
    this.#items.delete(key);
    this.#schedule();
  }

  clear(): void {
    this.#items = new DelayedItems();
    this.#schedule();
  }

  #schedule(): void {
    const firstMs = this.#items.firstMs;
    // A timer that is too early finds nothing due and sets the next: cheaper than a new one for each change.
    const isInTime = this.#timerMs <= firstMs && this.#items.size > 0;
    if (isInTime) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerMs = firstMs;
    if (this.#items.size === 0) return;
    const delayMs = Math.min(Math.max(firstMs - this.#clock.now(), 0), MAX_TIMER_MS);
    this.#cancelTimer = this.#clock.setTimer(delayMs, () => this.#onTime());
  }

  #onTime(): void {
    this.#cancelTimer = undefined;
    this.#timerMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.now();
    try {
      for (let count = 0; count < DUE_PER_TURN && this.#items.firstMs <= nowMs; count++) {
        this.#onDue(this.#items.shiftDue(nowMs)!);
      }
    } finally {
      this.#schedule();
    }
  }
}
