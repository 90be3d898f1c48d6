/** Measures an informer while it syncs and follows changes: what the live line and the summary show. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import type { LiveFigures } from './display.ts';

/** What was measured. Times in milliseconds, memory in MB (10^6 bytes). */
export interface Measured {
  /** Objects in the cache at the end. */
  readonly objects: number;
  /** Changes that the handler was told of after the first list. */
  readonly events: number;
  /** From the start to the complete list. */
  readonly syncMs: number;
  readonly eventsPerSecond: number;
  /** Longest time that this thread's event loop was late, from the start to the end of the changes. */
  readonly longestStallMs: number;
  /** Longest slice of kubering's own work on this thread in that time: on the clock, and in CPU time. */
  readonly longestSliceMs: number;
  readonly longestSliceCpuMs: number;
  readonly heapMb: number;
  /** Shared memory at the end of the changes, and 2 s into them. */
  readonly sharedMb: number;
  readonly sharedStartMb: number;
  readonly rssMb: number;
}

/** Into the changes, to see from where on shared memory should stay flat. */
const SHARED_START_MS = 2000;

const DISPLAY_EVERY_MS = 200;

export class Meter {
  /** How long the first list took; 0 before it is complete. */
  syncMs = 0;

  readonly #factory: SharedInformerFactory;
  readonly #informer: SharedInformer;
  readonly #stalls = monitorEventLoopDelay({ resolution: 1 });
  readonly #startMs: number;
  #events = 0;
  #syncedMs = 0;
  #sharedStartBytes = 0;
  #sampler: NodeJS.Timeout | undefined;

  /** Begins at once, so it is made right before the factory is started. */
  constructor(factory: SharedInformerFactory, informer: SharedInformer) {
    this.#factory = factory;
    this.#informer = informer;
    informer.addEventHandler({
      onEvent: (event) => {
        if (!event.isInitial) this.#events++;
      },
    });
    this.#stalls.enable();
    this.#startMs = performance.now();
  }

  /** The first list is complete; from now on `show` gets the figures, some times a second. */
  synced(show: (figures: LiveFigures) => void): void {
    this.#syncedMs = performance.now();
    this.syncMs = this.#syncedMs - this.#startMs;
    this.#sampler = setInterval(() => show(this.#sample()), DISPLAY_EVERY_MS);
  }

  /** Ends the measuring. The result says what was, with the objects and events of when it is asked for. */
  stop(): () => Measured {
    clearInterval(this.#sampler);
    this.#stalls.disable();
    const changesMs = performance.now() - this.#syncedMs;
    const { sharedBytes, longestSliceMs, longestSliceCpuMs } = this.#factory.stats;
    const { heapUsed, rss } = process.memoryUsage();
    return () => ({
      objects: this.#informer.lister.size,
      events: this.#events,
      syncMs: Math.round(this.syncMs),
      eventsPerSecond: Math.round((this.#events / changesMs) * 1000),
      longestStallMs: round1(this.#stalls.max / 1e6),
      longestSliceMs: round1(longestSliceMs),
      longestSliceCpuMs: round1(longestSliceCpuMs),
      heapMb: round1(heapUsed / 1e6),
      sharedMb: round1(sharedBytes / 1e6),
      sharedStartMb: round1((this.#sharedStartBytes || sharedBytes) / 1e6),
      rssMb: round1(rss / 1e6),
    });
  }

  #sample(): LiveFigures {
    const elapsedMs = performance.now() - this.#syncedMs;
    const { sharedBytes, ringFill } = this.#factory.stats;
    if (elapsedMs >= SHARED_START_MS && this.#sharedStartBytes === 0) this.#sharedStartBytes = sharedBytes;
    return {
      objects: this.#informer.lister.size,
      eventsPerSecond: (this.#events / elapsedMs) * 1000,
      ringFill,
      longestStallMs: this.#stalls.max / 1e6,
      heapMb: process.memoryUsage().heapUsed / 1e6,
      sharedMb: sharedBytes / 1e6,
    };
  }
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
