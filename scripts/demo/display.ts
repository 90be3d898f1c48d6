/** What the demo shows on a terminal. Silent but for one JSON line with `--json`. */
import { Presets, SingleBar } from 'cli-progress';
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
  readonly #isJson: boolean;
  #bar: SingleBar | undefined;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
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
      const format = 'list {bar} {percentage}% | {value}/{total} Pods';
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

  summary(summary: DemoSummary): void {
    if (this.#isJson) {
      console.log(JSON.stringify(summary));
      return;
    }
    const isEqual = summary.missing + summary.extra + summary.different === 0;
    console.log(`
${summary.objects} Pods in the cache, synced in ${summary.syncMs} ms
${summary.events} events, ${summary.eventsPerSecond} a second
longest stall of the event loop ${summary.longestStallMs} ms, longest slice of our work ${summary.longestSliceMs} ms
heap ${summary.heapMb} MB, shared memory ${summary.sharedMb} MB (${summary.sharedStartMb} MB after 2 s), RSS ${summary.rssMb} MB
${isEqual ? 'the cache equals the server' : 'THE CACHE DIFFERS FROM THE SERVER'}: ${summary.missing} missing, ${summary.extra} extra, ${summary.different} different`);
  }
}
