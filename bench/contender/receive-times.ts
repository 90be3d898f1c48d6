/** When each event was handled: pairs of float64, resourceVersion and ms since the Unix epoch. */
import { writeFileSync } from 'node:fs';

/** Room for a usual paced run; doubled when there are more. */
const FIRST_PAIRS = 1 << 16;

export class ReceiveTimes {
  readonly #path: string;
  #pairs = new Float64Array(2 * FIRST_PAIRS);
  #used = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** @param nowMs - of `performance.now()` */
  add(version: number, nowMs: number): void {
    if (this.#used === this.#pairs.length) {
      const larger = new Float64Array(2 * this.#used);
      larger.set(this.#pairs);
      this.#pairs = larger;
    }
    this.#pairs[this.#used++] = version;
    this.#pairs[this.#used++] = performance.timeOrigin + nowMs;
  }

  write(): void {
    writeFileSync(this.#path, this.#pairs.subarray(0, this.#used));
  }
}
