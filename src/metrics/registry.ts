/** All metrics of a process in one place. */
import {
  Controller,
  type ControllerMetricLabels,
  type ControllerMetricsProvider,
} from '../controller/index.ts';
import type { SharedInformerFactory } from '../informer/index.ts';
import type {
  QueueCounter,
  QueueGauge,
  QueueHistogram,
  QueueHistogramSpec,
  QueueMetricLabels,
  QueueMetricSpec,
} from '../workqueue/index.ts';
import { CONTROLLER_STATE_METRICS, WRITTEN_METRICS } from './controller-metrics.ts';
import { MetricsError } from './errors.ts';
import { FACTORY_METRICS } from './factory-metrics.ts';
import { INFORMER_HISTOGRAMS, INFORMER_METRICS } from './informer-metrics.ts';
import { type Cell, HistogramCell, makeCell, NumberCell, samplesOf } from './instruments.ts';
import type { Metric, MetricFamily, MetricType } from './metric.ts';
import { pull, pullHistograms, type Subject } from './pull.ts';
import { SeriesSet } from './series.ts';

const OVERFLOW_METRIC: Metric = {
  name: 'kubering_metrics_overflowing_series',
  help: 'Series that are counted under the label other, because their metric has too many: those of queues and controllers since the start, and those of informers now',
  type: 'gauge',
  labels: [],
};

/** All metrics that there are: the same ones that `docs/metrics.md` lists. */
export const METRICS: readonly Metric[] = [
  ...INFORMER_METRICS,
  ...INFORMER_HISTOGRAMS,
  ...FACTORY_METRICS,
  ...WRITTEN_METRICS,
  ...CONTROLLER_STATE_METRICS,
  OVERFLOW_METRIC,
].map(describe);

type Labels = QueueMetricLabels | ControllerMetricLabels;

/** What is read of a factory. */
type Factory = Pick<SharedInformerFactory, 'informers' | 'stats'>;

/**
 * Collects what factories and controllers count anyway, and counts what queues and controllers tell it. Nothing is
 * done before somebody asks, see {@link MetricsRegistry.collect}, but that informers note how long handlers take.
 *
 * ```ts
 * const metrics = new MetricsRegistry();
 * metrics.addFactory(factory);
 * const controller = new Controller({ for: pods, metrics, reconcile });
 * ```
 */
export class MetricsRegistry implements ControllerMetricsProvider {
  readonly #written = new Map<string, { readonly metric: Metric; readonly series: SeriesSet<Cell> }>();
  readonly #factories = new Map<string, Factory>();
  readonly #controllers = new Map<string, Controller>();
  #overflows = 0;

  constructor() {
    for (const metric of WRITTEN_METRICS) {
      const series = new SeriesSet<Cell>(
        metric,
        () => makeCell(metric),
        () => this.#overflows++,
      );
      this.#written.set(metric.name, { metric, series });
    }
  }

  /**
   * Metrics of a factory and of the informers that it has when somebody asks.
   *
   * @param options - `name` is the label of its metrics, 'default' when absent: the name of a cluster, for example
   * @returns a function that takes it out again
   * @throws MetricsError when it is no factory, or the name is empty or taken
   */
  addFactory(factory: Factory, { name = 'default' }: { readonly name?: string } = {}): () => void {
    if (!Array.isArray(factory?.informers)) throw new MetricsError('metrics are of a SharedInformerFactory');
    for (const informer of factory.informers) informer.timeHandlers();
    return addNamed(this.#factories, 'factory', name, factory);
  }

  /**
   * Metrics that are read of a controller. What it counts itself it gets by its option `metrics`, which should be this
   * registry.
   *
   * @returns a function that takes it out again
   * @throws MetricsError when it is no controller, or there is one of its name
   */
  // biome-ignore lint/suspicious/noExplicitAny: controllers of all types of objects have the same figures.
  addController(controller: Controller<any, any>): () => void {
    if (!(controller instanceof Controller)) throw new MetricsError('metrics are of a Controller');
    return addNamed(this.#controllers, 'controller', controller.name, controller as Controller);
  }

  /** @throws MetricsError when `spec` is not a counter of {@link METRICS}, or the labels are not those of it */
  counter(spec: QueueMetricSpec, labels: Labels): QueueCounter {
    return this.#numberOf('counter', spec, labels);
  }

  /** @throws MetricsError when `spec` is not a gauge of {@link METRICS}, or the labels are not those of it */
  gauge(spec: QueueMetricSpec, labels: Labels): QueueGauge {
    return this.#numberOf('gauge', spec, labels);
  }

  /** @throws MetricsError when `spec` is not a histogram of {@link METRICS}, or the labels are not those of it */
  histogram(spec: QueueHistogramSpec, labels: Labels): QueueHistogram {
    const cell = this.#cellOf('histogram', spec, labels);
    if (!(cell instanceof HistogramCell)) throw notOurs('histogram', spec.name);
    return cell;
  }

  /** Reads everything, in the order of {@link METRICS}. A metric that nobody has has no samples. */
  collect(): MetricFamily[] {
    let overflows = this.#overflows;
    const onOverflow = () => overflows++;
    const factories: Subject<Factory>[] = [...this.#factories].map(([name, subject]) => ({
      labels: { name },
      figures: subject,
    }));
    const controllers = [...this.#controllers].map(([controller, figures]) => ({
      labels: { controller },
      figures,
    }));
    const informers = factories.flatMap(informersOf);
    const families = [
      ...pull(INFORMER_METRICS, informers, onOverflow),
      ...pullHistograms(INFORMER_HISTOGRAMS, informers, onOverflow),
      ...pull(FACTORY_METRICS, factories.map(figuresOf), onOverflow),
      ...[...this.#written.values()].map(({ metric, series }) => ({
        ...metric,
        samples: [...series.all].flatMap((one) => samplesOf(metric, one)),
      })),
      ...pull(CONTROLLER_STATE_METRICS, controllers, onOverflow),
    ];
    const { name } = OVERFLOW_METRIC;
    return [...families, { ...OVERFLOW_METRIC, samples: [{ name, labels: {}, value: overflows }] }];
  }

  #numberOf(type: MetricType, spec: QueueMetricSpec, labels: Labels): NumberCell {
    const cell = this.#cellOf(type, spec, labels);
    if (!(cell instanceof NumberCell)) throw notOurs(type, spec.name);
    return cell;
  }

  /** Names are a closed set, so that pages, documentation and dashboards have the same ones. */
  #cellOf(type: MetricType, { name }: QueueMetricSpec, labels: Labels): Cell {
    const written = this.#written.get(name);
    if (written?.metric.type !== type) throw notOurs(type, name);
    const given = Object.keys(labels).sort().join(', ');
    const wanted = [...written.metric.labels].sort().join(', ');
    if (given !== wanted) throw new MetricsError(`${name} has the labels ${wanted}, not ${given}`);
    return written.series.at({ ...labels });
  }
}

/** Without what it is read with. */
function describe({ name, help, type, labels, buckets, merge }: Metric): Metric {
  return {
    name,
    help,
    type,
    labels,
    ...(buckets !== undefined && { buckets }),
    ...(merge !== undefined && { merge }),
  };
}

function notOurs(type: MetricType, name: string): MetricsError {
  return new MetricsError(
    `${name} is no ${type} of kubering's queues and controllers: register your own metrics with your metrics library`,
  );
}

function addNamed<T>(all: Map<string, T>, what: string, name: string, one: T): () => void {
  if (typeof name !== 'string' || name === '') {
    throw new MetricsError(`the name of a ${what} is the text of a label, and not empty`);
  }
  if (all.has(name)) {
    throw new MetricsError(`a ${what} named ${JSON.stringify(name)} is there already: give it another name`);
  }
  all.set(name, one);
  return () => {
    if (all.get(name) === one) all.delete(name);
  };
}

function informersOf({ labels, figures: factory }: Subject<Factory>) {
  return factory.informers.map((informer) => {
    // Those that are new since the last time are timed from now on.
    informer.timeHandlers();
    const { group, version, resource } = informer.resource;
    const figures = { stats: informer.stats, health: informer.health() };
    return { labels: { ...labels, group, version, resource }, figures };
  });
}

function figuresOf({ labels, figures: factory }: Subject<Factory>) {
  const { stats, informers } = factory;
  return { labels, figures: { stats, informers: informers.map((informer) => informer.stats) } };
}
