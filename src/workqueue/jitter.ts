import { requireFraction } from './check.ts';
import type { JitterOptions } from './rate-limiter.ts';

/** Makes a part of each delay random. */
export class Jitter {
  readonly #part: number;
  readonly #random: () => number;

  constructor({ jitter = 0, random = Math.random }: JitterOptions) {
    requireFraction('jitter', jitter);
    this.#part = jitter;
    this.#random = random;
  }

  apply(delayMs: number): number {
    return this.#part === 0 ? delayMs : delayMs * (1 - this.#part * this.#random());
  }
}
