/** Tells people about objects that could not be used, without drowning them when a whole body is bad. */
import type { BodyProblem, ReflectorNotice } from '../reflector/index.ts';
import type { ScanProblem } from '../scan/index.ts';

/** Enough to see what is wrong; the rest of a body's bad objects is told as one number. */
const MAX_REPORTS_PER_BODY = 20;

export class BadObjects {
  readonly #what: string;
  readonly #tell: (notice: ReflectorNotice) => void;
  #count = 0;

  /** @param what - names the resource, for example `pods.v1` */
  constructor(what: string, tell: (notice: ReflectorNotice) => void) {
    this.#what = what;
    this.#tell = tell;
  }

  add(problem: BodyProblem): void {
    this.#count++;
    if (this.#count > MAX_REPORTS_PER_BODY) return;
    const message = `${this.#what}: ${problem.message}; the object was left out, everything else goes on`;
    this.#tell({ type: 'error', code: problem.code, message });
  }

  /** Tells the number of those that were not told one by one. */
  close(): void {
    const untold = this.#count - MAX_REPORTS_PER_BODY;
    this.#count = 0;
    if (untold <= 0) return;
    const message = `${this.#what}: ${untold} more objects of the same response could not be used`;
    this.#tell({ type: 'error', code: 'bad-objects', message });
  }
}

/** What the scanner found wrong, as the reflector's rules name it. The message names the object already. */
export function problemOf({ reason, message }: ScanProblem): BodyProblem {
  return { code: reason, message };
}
