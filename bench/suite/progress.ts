/** Says what is being measured, how far the run is, and when it will be over, about. */
import { SingleBar } from 'cli-progress';
import { secondsOf } from './costs.ts';
import type { Step } from './plan.ts';

export interface ProgressIo {
  readonly say: (line: string) => void;
  readonly isTerminal: boolean;
}

export class Progress {
  readonly #total: number;
  readonly #bar: SingleBar | undefined;
  readonly #say: (line: string) => void;
  readonly #startMs = performance.now();
  /** In seconds as they were guessed. */
  #done = 0;

  /** @param steps - all that are to be done now @param io - on a terminal, a line that changes; else one for each step */
  constructor(steps: readonly Step[], { isTerminal, say }: ProgressIo) {
    this.#say = say;
    this.#total = guessSeconds(steps);
    if (!isTerminal) return;
    this.#bar = new SingleBar({
      format: '{bar} {percentage} % | {left} left | {what}',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    });
    this.#bar.start(this.#total, 0, { what: '', left: this.#left() });
  }

  begin(step: Step): void {
    const what = describeStep(step);
    if (this.#bar !== undefined) this.#bar.update(this.#done, { what, left: this.#left() });
    else this.#say(`${Math.round((100 * this.#done) / this.#total)} %, ${this.#left()} left: ${what}`);
  }

  end(step: Step): void {
    this.#done += guess(step);
    this.#bar?.update(this.#done, { left: this.#left() });
  }

  /** A line that stays, above what changes. */
  note(line: string): void {
    if (this.#bar !== undefined) process.stderr.write('\r\u001b[K');
    this.#say(line);
  }

  stop(): void {
    this.#bar?.stop();
  }

  /** The guess is corrected by how wrong it was so far. */
  #left(): string {
    const elapsed = (performance.now() - this.#startMs) / 1000;
    const pace = this.#done === 0 ? 1 : elapsed / this.#done;
    return minutes((this.#total - this.#done) * pace);
  }
}

function describeStep({ cell, sample, warmup }: Step): string {
  const { scenario, contender, mode, objects, rate, aa } = cell;
  const paced = rate === undefined ? '' : ` at ${rate}/s`;
  const which = warmup
    ? 'warm-up'
    : aa === undefined
      ? `sample ${sample + 1}`
      : `same program as ${aa}, ${sample + 1}`;
  return `${scenario} ${objects}${paced}, ${contender} ${mode}, ${which}`;
}

/** About how long all steps take together. */
export function guessSeconds(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + guess(step), 0);
}

export function minutes(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function guess({ contender, task }: Step): number {
  return secondsOf(contender.name, task);
}
