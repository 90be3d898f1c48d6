/** What a metric is, and what is read of it. */

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** Names of its labels; a histogram has `le` besides. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, ascending; the one of +Inf is not in it. */
  readonly buckets?: readonly number[];
  /**
   * What becomes of several things that have the same labels: informers of one resource with different selectors, or
   * processes of prom-client's cluster module.
   * @default 'sum'
   */
  readonly merge?: 'sum' | 'min' | 'max';
}

/** One line of a metrics page. */
export interface MetricSample {
  /** That of the metric; of a histogram with `_bucket`, `_sum` or `_count` behind it. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric and its samples at one moment. */
export interface MetricFamily extends Metric {
  readonly samples: readonly MetricSample[];
}

/** A histogram that is read when somebody asks. */
export interface PulledHistogram<F> extends Metric {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
  /** @returns how many values lie in each bucket and in no lower one, that of +Inf last; undefined for no samples */
  read(figures: F): { readonly counts: readonly number[]; readonly sum: number } | undefined;
}

/** A number that is read when somebody asks, from figures `F` that are kept anyway. */
export interface PulledMetric<F> extends Metric {
  readonly type: 'counter' | 'gauge';
  /** The last label, with all of its values, when there is a sample for each. */
  readonly by?: { readonly label: string; readonly values: readonly string[] };
  /** @returns undefined for no sample */
  read(figures: F, by: string): number | undefined;
}
