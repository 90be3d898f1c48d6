/** What the demo shows on a terminal. Silent but for one JSON line with `--json`. */
import { Presets, SingleBar } from 'cli-progress';
import type { Measured } from './meter.ts';
import type { DemoSummary } from './run.ts';

export interface LiveFigures {
  readonly objects: number;
  readonly eventsPerSecond: number;
  readonly ringFill: number;
  readonly longestStallMs: number;
  readonly heapMb: number;
  readonly sharedMb: number;
}

export class Display {
  /** What is counted, for people: `Pods`. */
  readonly what: string;
  readonly #isJson: boolean;
  #bar: SingleBar | undefined;

  constructor({ isJson, what }: { readonly isJson: boolean; readonly what: string }) {
    this.#isJson = isJson;
    this.what = what;
  }

  say(text: string): void {
    if (!this.#isJson) console.log(text);
  }

  warn(text: string): void {
    if (!this.#isJson) console.warn(`\n${text}`);
  }

  /** List progress as a bar. */
  progress(items: number, remaining: number): void {
    if (this.#isJson) return;
    if (this.#bar === undefined) {
      const format = `list {bar} {percentage}% | {value}/{total} ${this.what}`;
      this.#bar = new SingleBar({ format, hideCursor: true, clearOnComplete: false }, Presets.shades_classic);
      this.#bar.start(items + remaining, items);
    }
    this.#bar.setTotal(items + Math.max(0, remaining));
    this.#bar.update(items);
  }

  endProgress(items: number): void {
    this.#bar?.update(items);
    this.#bar?.stop();
    this.#bar = undefined;
  }

  /** One line that is written over again. */
  live(figures: LiveFigures): void {
    if (this.#isJson) return;
    const parts = [
      `${figures.objects} objects`,
      `${figures.eventsPerSecond.toFixed(0)} events/s`,
      `ring ${(figures.ringFill * 100).toFixed(0)}%`,
      `longest stall ${figures.longestStallMs.toFixed(1)} ms`,
      `heap ${figures.heapMb.toFixed(0)} MB`,
      `shared ${figures.sharedMb.toFixed(0)} MB`,
    ];
    const line = parts.join(' | ');
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`);
  }

  endLive(): void {
    if (!this.#isJson && process.stdout.isTTY) process.stdout.write('\n');
  }

  /** The end of the demo with the fake server. */
  summary(summary: DemoSummary): void {
    this.measured(summary);
    if (this.#isJson) return;
    const isEqual = summary.missing + summary.extra + summary.different === 0;
    console.log(
      `${isEqual ? 'the cache equals the server' : 'THE CACHE DIFFERS FROM THE SERVER'}: ` +
        `${summary.missing} missing, ${summary.extra} extra, ${summary.different} different`,
    );
  }

  /** The end of any demo. */
  measured(measured: Measured): void {
    if (this.#isJson) {
      console.log(JSON.stringify(measured));
      return;
    }
    console.log(`
${measured.objects} ${this.what} in the cache, synced in ${measured.syncMs} ms
${measured.events} events, ${measured.eventsPerSecond} a second
longest stall of the event loop ${measured.longestStallMs} ms, longest slice of our work ${measured.longestSliceMs} ms
heap ${measured.heapMb} MB, shared memory ${measured.sharedMb} MB (${measured.sharedStartMb} MB after 2 s), RSS ${measured.rssMb} MB`);
  }
}
