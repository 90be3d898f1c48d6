import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  QueueHistogramSpec,
  QueueMetricLabels,
  QueueMetricSpec,
  QueueMetricsProvider,
} from '../../src/workqueue/index.ts';

interface Drainable<T> {
  tryGet(): T | undefined;
  done(item: T): void;
}

/** Takes and ends everything that is ready, one after the other. */
export function drain<T>(queue: Drainable<T>): T[] {
  const items: T[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) {
    items.push(item);
    queue.done(item);
  }
  return items;
}

/** Lets all that promises have to do be done. */
export async function settle(): Promise<void> {
  await nextTurn();
}

/** What came of a promise so far: `waiting`, or its value, or `rejected`. */
export function watch<T>(promise: Promise<T>): { outcome: T | 'waiting' | 'rejected' } {
  const watched: { outcome: T | 'waiting' | 'rejected' } = { outcome: 'waiting' };
  promise.then(
    (value) => {
      watched.outcome = value;
    },
    () => {
      watched.outcome = 'rejected';
    },
  );
  return watched;
}

/** Keeps the values of all metrics by name. */
export class FakeRegistry implements QueueMetricsProvider {
  readonly values: Record<string, number> = {};
  readonly observed: Record<string, number[]> = {};
  readonly specs: QueueMetricSpec[] = [];
  readonly labels: QueueMetricLabels[] = [];

  counter(spec: QueueMetricSpec, labels: QueueMetricLabels) {
    return this.gauge(spec, labels);
  }

  gauge(spec: QueueMetricSpec, labels: QueueMetricLabels) {
    this.#register(spec, labels);
    this.values[spec.name] = 0;
    const add = (change: number) => {
      this.values[spec.name]! += change;
    };
    const set = (value: number) => {
      this.values[spec.name] = value;
    };
    return { inc: () => add(1), dec: () => add(-1), set };
  }

  histogram(spec: QueueHistogramSpec, labels: QueueMetricLabels) {
    this.#register(spec, labels);
    const observed: number[] = [];
    this.observed[spec.name] = observed;
    return { observe: (value: number) => void observed.push(value) };
  }

  #register(spec: QueueMetricSpec, labels: QueueMetricLabels): void {
    this.specs.push(spec);
    this.labels.push(labels);
  }
}
