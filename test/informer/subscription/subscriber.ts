/** Starts the thread of `subscriber-thread.ts` and asks it. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { InformerHandle, SubscribeOptions } from '../../../src/index.ts';
import type { Thing } from '../harness.ts';
import type { Command, Report, SubscriberData } from './subscriber-thread.ts';

export class Subscriber {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async start(
    handle: InformerHandle,
    options: SubscribeOptions<Thing> & { isHeld?: boolean } = {},
  ): Promise<Subscriber> {
    const { isHeld = false, ...rest } = options;
    const workerData: SubscriberData = { handle, options: rest, isHeld };
    const worker = new Worker(new URL('./subscriber-thread.ts', import.meta.url), { workerData });
    await once(worker, 'message');
    return new Subscriber(worker);
  }

  async ask(command: Command = 'report'): Promise<Report> {
    this.#worker.postMessage(command);
    const [report] = (await once(this.#worker, 'message')) as [Report];
    return report;
  }

  /** Asks until what comes back is what a test waits for. */
  async until(what: string, holds: (report: Report) => boolean): Promise<Report> {
    const endMs = performance.now() + LIMIT_MS;
    for (;;) {
      const report = await this.ask();
      if (holds(report)) return report;
      if (performance.now() > endMs) throw new Error(`waited until ${what}; it is ${JSON.stringify(report)}`);
    }
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }
}

/** Long enough for a busy machine. */
const LIMIT_MS = 30_000;
