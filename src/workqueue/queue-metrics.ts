import type { Clock } from './clock.ts';
import type { Entry } from './entry.ts';
import {
  QUEUE_METRICS,
  type QueueCounter,
  type QueueGauge,
  type QueueHistogram,
  type QueueMetricsProvider,
} from './metrics.ts';

/** As in client-go: often enough for scrapes, which come every some seconds. */
const REFRESH_MS = 500;

/**
 * Measures one queue. Gauges of unfinished work are refreshed by a timer, because what is stuck causes no call; it
 * ends with `stop`.
 */
export class QueueMetrics {
  readonly #clock: Clock;
  readonly #depth: QueueGauge;
  readonly #adds: QueueCounter;
  readonly #queueDuration: QueueHistogram;
  readonly #workDuration: QueueHistogram;
  readonly #unfinishedWork: QueueGauge;
  readonly #longestRunningProcessor: QueueGauge;
  readonly #retries: QueueCounter;
  /** Those processed longest come first. */
  readonly #processing = new Set<Entry<unknown>>();
  #cancelTimer: (() => void) | undefined;

  constructor(provider: QueueMetricsProvider, name: string, clock: Clock) {
    const labels = { name };
    this.#clock = clock;
    this.#depth = provider.gauge(QUEUE_METRICS.depth, labels);
    this.#adds = provider.counter(QUEUE_METRICS.adds, labels);
    this.#queueDuration = provider.histogram(QUEUE_METRICS.queueDuration, labels);
    this.#workDuration = provider.histogram(QUEUE_METRICS.workDuration, labels);
    this.#unfinishedWork = provider.gauge(QUEUE_METRICS.unfinishedWork, labels);
    this.#longestRunningProcessor = provider.gauge(QUEUE_METRICS.longestRunningProcessor, labels);
    this.#retries = provider.counter(QUEUE_METRICS.retries, labels);
    this.#refreshLater();
  }

  added(entry: Entry<unknown>): void {
    entry.stampMs = this.#clock.now();
    this.#adds.inc();
    this.#depth.inc();
  }

  started(entry: Entry<unknown>): void {
    const nowMs = this.#clock.now();
    this.#depth.dec();
    this.#queueDuration.observe((nowMs - entry.stampMs) / 1000);
    entry.stampMs = nowMs;
    this.#processing.add(entry);
  }

  ended(entry: Entry<unknown>): void {
    this.#workDuration.observe((this.#clock.now() - entry.stampMs) / 1000);
    this.#processing.delete(entry);
    // After the end of the timer, a last value that is not 0 would look like a consumer that hangs.
    if (this.#cancelTimer === undefined) this.#refresh();
  }

  retried(): void {
    this.#retries.inc();
  }

  /** Ends the timer. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #refreshLater(): void {
    const onTime = () => {
      this.#refreshLater();
      this.#refresh();
    };
    this.#cancelTimer = this.#clock.setTimer(REFRESH_MS, onTime, { isBackground: true });
  }

  #refresh(): void {
    const nowMs = this.#clock.now();
    let totalMs = 0;
    let longestMs = 0;
    for (const { stampMs } of this.#processing) {
      totalMs += nowMs - stampMs;
      longestMs = Math.max(longestMs, nowMs - stampMs);
    }
    this.#unfinishedWork.set(totalMs / 1000);
    this.#longestRunningProcessor.set(longestMs / 1000);
  }
}
