/** What a phase takes: CPU, event-loop stalls and garbage collections of this process. */
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Meters } from '../suite/protocol.ts';
import { type ThreadTimes, threadTimes, timesBetween } from './thread-times.ts';

/** A stall is only seen by a timer that fires after it, and work goes on for a moment after the last event. */
const SETTLE_MS = 20;

const NANOSECONDS_PER_MS = 1e6;

export class MeterSet {
  readonly #stalls = monitorEventLoopDelay({ resolution: 1 });
  readonly #collections = new PerformanceObserver((list) => this.#add(list.getEntries()));
  #pauses = { count: 0, totalMs: 0, maxMs: 0 };
  #cpuMs = 0;
  #mainCpuMs: number | undefined;
  #threads: ThreadTimes = new Map();

  /** Begins a phase. */
  begin(): void {
    this.#collections.disconnect();
    this.#pauses = { count: 0, totalMs: 0, maxMs: 0 };
    this.#collections.observe({ entryTypes: ['gc'] });
    this.#stalls.reset();
    this.#stalls.enable();
    this.#threads = threadTimes();
    this.#mainCpuMs = mainCpuMs();
    this.#cpuMs = cpuMs();
  }

  /** Ends the phase a few turns from now. What is timed has to be noted before. */
  async end(): Promise<Meters> {
    await sleep(SETTLE_MS);
    const allMs = cpuMs() - this.#cpuMs;
    const mainMs = mainCpuMs();
    const threads = timesBetween(this.#threads, threadTimes());
    this.#stalls.disable();
    this.#add(this.#collections.takeRecords());
    return {
      cpuMs: allMs,
      ...(mainMs !== undefined && { mainCpuMs: mainMs - this.#mainCpuMs! }),
      ...(Object.keys(threads).length > 0 && { threads }),
      stallMaxMs: this.#stalls.max / NANOSECONDS_PER_MS,
      stallP99Ms: this.#stalls.percentile(99) / NANOSECONDS_PER_MS,
      gcPauses: this.#pauses,
    };
  }

  #add(entries: readonly PerformanceEntry[]): void {
    for (const { duration } of entries) {
      this.#pauses.count++;
      this.#pauses.totalMs += duration;
      this.#pauses.maxMs = Math.max(this.#pauses.maxMs, duration);
    }
  }
}

function cpuMs(): number {
  return milliseconds(process.cpuUsage());
}

/** Undefined before Node 23.9, which can't tell. */
function mainCpuMs(): number | undefined {
  // The type says that it is always there; Node 22 does not have it.
  const read = process.threadCpuUsage as typeof process.threadCpuUsage | undefined;
  return read && milliseconds(read.call(process));
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
