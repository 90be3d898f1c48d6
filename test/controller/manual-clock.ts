import type { DatedClock } from '../../src/controller/timing.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A date for tests: `2030-01-01T00:00:00Z`. */
export const START_MS = Date.UTC(2030, 0, 1);

/** Time that passes only when a test says so. Between two timers, everything that waits for a promise goes on. */
export class ManualClock implements DatedClock {
  /** What is added to the date, as by somebody who sets the clock of the machine. */
  epochOffsetMs = START_MS;
  /** Called whenever all that a timer caused has happened. */
  onSettled: () => void = () => {};
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  epochMs(): number {
    return this.epochOffsetMs + this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass; timers fire at their times, also those that timers set. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#timers.delete(next);
      next.callback();
      await settle();
      this.onSettled();
    }
    this.#nowMs = untilMs;
  }

  /** Lets time pass in which the process does nothing; afterwards timers are late, and fire one after another. */
  async pause(ms: number): Promise<void> {
    this.#nowMs += ms;
    await this.advance(0);
  }

  #next(untilMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer;
    }
    return first;
  }
}

/** Lets everything run that waits for nothing but promises. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
