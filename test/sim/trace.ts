/** The last things that happened in a simulation, for people who look why it failed. */

const KEPT_LINES = 400;

export class Trace {
  readonly #lines: string[] = [];
  readonly #now: () => number;

  /** @param now - in milliseconds of the simulation's time */
  constructor(now: () => number) {
    this.#now = now;
  }

  note(text: string): void {
    this.#lines.push(`${(this.#now() / 1000).toFixed(3).padStart(9)} s  ${text}`);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines.splice(0, KEPT_LINES);
  }

  /** The newest last. */
  last(count: number): string[] {
    return this.#lines.slice(-count);
  }
}
