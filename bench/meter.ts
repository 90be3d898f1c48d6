/** CPU and event-loop stalls of this thread over one phase of a run. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a phase took. */
export interface PhaseUsage {
  /** CPU of this thread; undefined before Node 23.9, which can't tell. */
  readonly mainCpuUs: number | undefined;
  /** CPU of the whole process: workers, garbage collection and compilation too. */
  readonly cpuUs: number;
  readonly longestStallMs: number;
}

/** A stall is only seen by a timer that fires after it, and work goes on for a moment after the last event. */
const SETTLE_MS = 20;

export class Meter {
  readonly #stalls = monitorEventLoopDelay({ resolution: 1 });
  #mainStart: number | undefined;
  #start: NodeJS.CpuUsage = process.cpuUsage();

  begin(): void {
    this.#stalls.reset();
    this.#stalls.enable();
    this.#mainStart = threadCpuUs();
    this.#start = process.cpuUsage();
  }

  /** Ends the phase a few turns from now. The end of what is timed has to be noted before. */
  async end(): Promise<PhaseUsage> {
    await sleep(SETTLE_MS);
    const main = threadCpuUs();
    const all = process.cpuUsage(this.#start);
    this.#stalls.disable();
    return {
      mainCpuUs: main === undefined ? undefined : main - this.#mainStart!,
      cpuUs: total(all),
      longestStallMs: this.#stalls.max / 1e6,
    };
  }
}

/** CPU that the calling thread has used so far; undefined before Node 23.9, which can't tell. */
export function threadCpuUs(): number | undefined {
  // The type says that it is always there; Node 22 does not have it.
  const read = process.threadCpuUsage as typeof process.threadCpuUsage | undefined;
  return read && total(read.call(process));
}

function total(usage: NodeJS.CpuUsage): number {
  return usage.user + usage.system;
}
