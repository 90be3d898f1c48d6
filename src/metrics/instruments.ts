/** What queues and controllers write to: plain numbers, read when somebody asks. */
import type { QueueCounter, QueueGauge, QueueHistogram } from '../workqueue/index.ts';
import type { Metric, MetricSample } from './metric.ts';
import type { Series } from './series.ts';

export class NumberCell implements QueueCounter, QueueGauge {
  value = 0;

  inc(): void {
    this.value++;
  }

  dec(): void {
    this.value--;
  }

  set(value: number): void {
    this.value = value;
  }
}

export class HistogramCell implements QueueHistogram {
  readonly #bounds: readonly number[];
  /** How many values lie in each bucket and in no lower one; the last is that of +Inf. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sum += value;
  }

  /** Adds what was counted elsewhere, in the same buckets. */
  add(counts: readonly number[], sum: number): void {
    for (let i = 0; i < counts.length; i++) this.#counts[i]! += counts[i]!;
    this.#sum += sum;
  }

  /** Buckets as pages show them: each with what lies in the lower ones. */
  samples(name: string, labels: Readonly<Record<string, string>>): MetricSample[] {
    let count = 0;
    const buckets = this.#counts.map((inBucket, index) => {
      count += inBucket;
      const bound = this.#bounds[index];
      const le = bound === undefined ? '+Inf' : String(bound);
      return { name: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { name: `${name}_sum`, labels, value: this.#sum },
      { name: `${name}_count`, labels, value: count },
    ];
  }
}

export type Cell = NumberCell | HistogramCell;

export function makeCell({ buckets }: Metric): Cell {
  return buckets === undefined ? new NumberCell() : new HistogramCell(buckets);
}

export function samplesOf({ name }: Metric, { labels, cell }: Series<Cell>): MetricSample[] {
  return cell instanceof HistogramCell ? cell.samples(name, labels) : [{ name, labels, value: cell.value }];
}
