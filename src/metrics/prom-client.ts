/** Puts kubering's metrics on the page that prom-client makes. prom-client is not imported: whoever uses it gives it. */
import type { Controller } from '../controller/index.ts';
import type { SharedInformerFactory } from '../informer/index.ts';
import { MetricsError } from './errors.ts';
import type { Metric, MetricFamily, MetricType } from './metric.ts';
import { METRICS, MetricsRegistry } from './registry.ts';

/** What is needed of a `Registry` of prom-client. */
export interface PromRegister {
  registerMetric(metric: object): void;
  getSingleMetric(name: string): unknown;
}

/** What there is to show. All fields are optional. */
export interface MetricsSources {
  /** Named 'default' in its metrics; more of them are added by `addFactory`. */
  readonly factory?: Pick<SharedInformerFactory, 'informers' | 'stats'>;
  /** Controllers that exist already; more of them are added by `addController`. */
  // biome-ignore lint/suspicious/noExplicitAny: controllers of all types of objects have the same figures.
  readonly controllers?: readonly Controller<any, any>[];
  /** A registry that exists already, because controllers or queues were given it. */
  readonly registry?: MetricsRegistry;
}

/**
 * Registers all metrics with prom-client. They are read when the page is asked for, once for each page.
 *
 * ```ts
 * import promClient from 'prom-client';
 * const metrics = registerMetrics({ factory }, promClient);
 * const controller = new Controller({ for: pods, metrics, reconcile });
 * ```
 *
 * @param to - the module prom-client, for its default register, or a `Registry` of it
 * @returns the registry: the option `metrics` of queues and controllers
 * @throws MetricsError when `to` is neither, or has a metric of one of the names; then nothing is registered
 */
export function registerMetrics(
  { factory, controllers = [], registry = new MetricsRegistry() }: MetricsSources,
  to: PromRegister | { readonly register: PromRegister },
): MetricsRegistry {
  const register = registerOf(to);
  const taken = METRICS.find(({ name }) => register.getSingleMetric(name) !== undefined);
  if (taken !== undefined) {
    throw new MetricsError(
      `there is a metric ${taken.name} already: call registerMetrics once for each Registry, and addFactory on what it returned`,
    );
  }
  if (factory !== undefined) registry.addFactory(factory);
  for (const controller of controllers) registry.addController(controller);
  const page = new Page(registry);
  METRICS.forEach((metric, index) => {
    register.registerMetric(new PromMetric(metric, () => page.families[index]!));
  });
  return registry;
}

function registerOf(to: PromRegister | { readonly register: PromRegister }): PromRegister {
  const register = ((to as { readonly register?: PromRegister } | undefined)?.register ?? to) as
    | Partial<PromRegister>
    | undefined;
  const { registerMetric, getSingleMetric } = register ?? {};
  if (typeof registerMetric === 'function' && typeof getSingleMetric === 'function')
    return register as PromRegister;
  throw new MetricsError('metrics are registered with the module prom-client, or with a Registry of it');
}

/** prom-client asks metric by metric; all of one page are read at once, so that they fit together. */
class Page {
  readonly #registry: MetricsRegistry;
  #families: readonly MetricFamily[] | undefined;

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
  }

  get families(): readonly MetricFamily[] {
    if (this.#families === undefined) {
      this.#families = this.#registry.collect();
      // All metrics of a page are asked in the same turn.
      queueMicrotask(() => {
        this.#families = undefined;
      });
    }
    return this.#families;
  }
}

/** What prom-client's `Registry` asks of a metric: the same methods that its own have. */
class PromMetric {
  /** prom-client takes `_total` from counters for a page of OpenMetrics, and puts it behind the names of samples. */
  name: string;
  readonly help: string;
  readonly type: MetricType;
  /** For prom-client's cluster module: how samples of several processes become one. */
  readonly aggregator: 'sum' | 'min' | 'max';
  readonly #family: () => MetricFamily;

  constructor({ name, help, type, merge = 'sum' }: Metric, family: () => MetricFamily) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.aggregator = merge;
    this.#family = family;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const values = this.#family().samples.map((sample) => ({
      labels: sample.labels,
      value: sample.value,
      ...(type === 'histogram' && { metricName: sample.name }),
    }));
    return { name, help, type, aggregator, values };
  }

  /** prom-client's `resetMetrics`: what informers have counted is theirs, and goes on. */
  reset(): void {}
}
