/**
 * Metrics of a controller: names and buckets are controller-runtime's, so that dashboards for its controllers work. The
 * queue has its own. Without a registry nothing is measured.
 */
import type {
  QueueCounter,
  QueueGauge,
  QueueHistogram,
  QueueHistogramSpec,
  QueueMetricLabels,
  QueueMetricSpec,
} from '../../workqueue/index.ts';
import type { Verdict } from './result.ts';

/** Labels of a controller's metrics. */
export interface ControllerMetricLabels {
  readonly controller: string;
  /** `success`, `requeue`, `requeue_after` or `error`; only of the metric that counts reconciles. */
  readonly result?: string;
}

/**
 * Where a controller and its queue get their metrics: a registry. Each function is called once per metric and labels,
 * when the controller runs. Instruments must be quick and must not throw.
 */
export interface ControllerMetricsProvider {
  counter(spec: QueueMetricSpec, labels: QueueMetricLabels | ControllerMetricLabels): QueueCounter;
  gauge(spec: QueueMetricSpec, labels: QueueMetricLabels | ControllerMetricLabels): QueueGauge;
  histogram(spec: QueueHistogramSpec, labels: QueueMetricLabels | ControllerMetricLabels): QueueHistogram;
}

/** All metrics of a controller, for registries and documentation. */
export const CONTROLLER_METRICS = {
  reconciles: {
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result',
  },
  errors: {
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed, those that are not tried again included',
  },
  terminalErrors: {
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Reconciles that failed with a TerminalError',
  },
  timeouts: {
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Reconciles that took longer than they may',
  },
  duration: {
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long reconciles take',
    buckets: [
      0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25,
      1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
    ],
  },
  maxConcurrent: {
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Most reconciles at a time',
  },
  active: {
    name: 'controller_runtime_active_workers',
    help: 'Reconciles that run now',
  },
  gaveUp: {
    name: 'kubering_controller_gave_up_total',
    help: 'Keys that failed more often than they may, and are not tried again before something happens to them',
  },
  cacheWaits: {
    name: 'kubering_controller_cache_waits_total',
    help: 'Keys that waited until the cache had what their last reconcile wrote',
  },
  cacheTimeouts: {
    name: 'kubering_controller_cache_timeouts_total',
    help: 'Keys that were reconciled although the cache did not have what their last reconcile wrote',
  },
} as const satisfies Record<string, QueueMetricSpec | QueueHistogramSpec>;

const NOTHING = { inc() {}, dec() {}, set() {}, observe() {} };
const NO_METRICS: ControllerMetricsProvider = {
  counter: () => NOTHING,
  gauge: () => NOTHING,
  histogram: () => NOTHING,
};

type Counter = 'terminalErrors' | 'timeouts' | 'gaveUp' | 'cacheWaits' | 'cacheTimeouts';

/** How often what happened in this run. */
export type ControllerCounts = Record<Counter | Verdict['result'] | 'error', number>;

/** Counts what a controller does, for its `stats` and for a registry. */
export class ControllerMetrics {
  readonly counts: ControllerCounts = {
    success: 0,
    requeue: 0,
    requeue_after: 0,
    error: 0,
    terminalErrors: 0,
    timeouts: 0,
    gaveUp: 0,
    cacheWaits: 0,
    cacheTimeouts: 0,
  };
  active = 0;

  readonly #counters = new Map<keyof ControllerCounts, QueueCounter>();
  readonly #errors: QueueCounter;
  readonly #duration: QueueHistogram;
  readonly #active: QueueGauge;

  constructor(registry: ControllerMetricsProvider = NO_METRICS, controller: string, concurrency: number) {
    const labels = { controller };
    for (const result of ['success', 'requeue', 'requeue_after', 'error'] as const) {
      this.#counters.set(result, registry.counter(CONTROLLER_METRICS.reconciles, { controller, result }));
    }
    for (const name of ['terminalErrors', 'timeouts', 'gaveUp', 'cacheWaits', 'cacheTimeouts'] as const) {
      this.#counters.set(name, registry.counter(CONTROLLER_METRICS[name], labels));
    }
    this.#errors = registry.counter(CONTROLLER_METRICS.errors, labels);
    this.#duration = registry.histogram(CONTROLLER_METRICS.duration, labels);
    this.#active = registry.gauge(CONTROLLER_METRICS.active, labels);
    registry.gauge(CONTROLLER_METRICS.maxConcurrent, labels).set(concurrency);
  }

  count(what: keyof ControllerCounts): void {
    this.counts[what]++;
    this.#counters.get(what)?.inc();
    if (what === 'error') this.#errors.inc();
  }

  begin(): void {
    this.active++;
    this.#active.inc();
  }

  end(durationMs: number): void {
    this.active--;
    this.#active.dec();
    this.#duration.observe(durationMs / 1000);
  }
}
