/**
 * The metrics of a queue: their names and buckets are those of Kubernetes' own programs, so that dashboards for
 * these work. The queue needs a registry of the narrow form below; without one nothing is measured.
 */

/** Only goes up. */
export interface QueueCounter {
  inc(): void;
}

export interface QueueGauge {
  set(value: number): void;
  inc(): void;
  dec(): void;
}

export interface QueueHistogram {
  observe(value: number): void;
}

/** What a metric is called and means. */
export interface QueueMetricSpec {
  readonly name: string;
  readonly help: string;
}

export interface QueueHistogramSpec extends QueueMetricSpec {
  /** Upper bounds in seconds, ascending; the one of +Inf is not in it. */
  readonly buckets: readonly number[];
}

/** The label that all metrics of queues have: the queue's `name`. */
export interface QueueMetricLabels {
  readonly name: string;
}

/**
 * Where a queue gets its metrics: a registry. Each function is called once per metric and queue, when the queue is
 * made; several queues ask for the same spec with other labels. Instruments must be quick and must not throw.
 */
export interface QueueMetricsProvider {
  counter(spec: QueueMetricSpec, labels: QueueMetricLabels): QueueCounter;
  gauge(spec: QueueMetricSpec, labels: QueueMetricLabels): QueueGauge;
  histogram(spec: QueueHistogramSpec, labels: QueueMetricLabels): QueueHistogram;
}

/**
 * 10 ns to 1,000 s, each ten times the one before. client-go ends at 10 s; controller-runtime's two more tell a
 * reconcile of a minute from one of a quarter of an hour.
 */
const DURATION_BUCKETS: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/** All metrics of a queue, for registries and documentation. All durations are in seconds. */
export const QUEUE_METRICS = {
  depth: {
    name: 'workqueue_depth',
    help: 'Items that are to be processed, those included that were added again while they are processed',
  },
  adds: {
    name: 'workqueue_adds_total',
    help: 'Adds that were not merged with an earlier one',
  },
  queueDuration: {
    name: 'workqueue_queue_duration_seconds',
    help: 'How long an item stays in the queue before it is handed out',
    buckets: DURATION_BUCKETS,
  },
  workDuration: {
    name: 'workqueue_work_duration_seconds',
    help: 'How long the processing of an item takes',
    buckets: DURATION_BUCKETS,
  },
  unfinishedWork: {
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the items that are processed now have been so, summed up; grows steadily when a consumer is stuck',
  },
  longestRunningProcessor: {
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the item that is processed the longest has been so',
  },
  retries: {
    name: 'workqueue_retries_total',
    help: 'Adds with a delay or a rate limit',
  },
} as const satisfies Record<string, QueueMetricSpec | QueueHistogramSpec>;
