/** How long things took, in buckets. Nothing is timed before somebody wants to know. */

/** Upper bounds in seconds. Source: client-go's `informer_processing_latency_seconds`. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** A histogram at one moment. */
export interface LatencyFigures {
  /** How many took as long as each of the buckets says, and no less; the last is for what took longer than all. */
  readonly counts: readonly number[];
  readonly sumSeconds: number;
}

export class Latency {
  readonly #counts: number[] = new Array(LATENCY_BUCKETS.length + 1).fill(0);
  #sumMs = 0;

  observe(ms: number): void {
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < LATENCY_BUCKETS.length && seconds > LATENCY_BUCKETS[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sumMs += ms;
  }

  get figures(): LatencyFigures {
    return { counts: [...this.#counts], sumSeconds: this.#sumMs / 1000 };
  }
}

/** What an informer times. */
export class Latencies {
  /** A batch of deltas: into the store, and told to the handlers as far as these don't lag. */
  readonly processing = new Latency();
  /** A call of a handler, until its promise is settled. */
  readonly handlers = new Latency();
}
