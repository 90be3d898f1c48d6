/** Shows how far a long run has come, on stderr: a line that is written again, or some lines where there is no terminal. */

const LINES_WITHOUT_TERMINAL = 10;

export class Progress {
  readonly #total: number;
  #done = 0;

  constructor(total: number) {
    this.#total = total;
  }

  step(): void {
    this.#done++;
    const text = `${this.#done} of ${this.#total} seeds`;
    if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
    else if (this.#done % Math.ceil(this.#total / LINES_WITHOUT_TERMINAL) === 0)
      process.stderr.write(`${text}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  }
}
