/** Reads metrics of what keeps its figures anyway. */
import type { MetricFamily, PulledMetric } from './metric.ts';
import { SeriesSet } from './series.ts';

/** What metrics are read of, and its labels. */
export interface Subject<F> {
  readonly labels: Readonly<Record<string, string>>;
  readonly figures: F;
}

const MERGES = {
  sum: (a: number, b: number) => a + b,
  min: Math.min,
  max: Math.max,
};

/** @param onOverflow - is called for each sample that found no room of its own */
export function pull<F>(
  metrics: readonly PulledMetric<F>[],
  subjects: readonly Subject<F>[],
  onOverflow: () => void,
): MetricFamily[] {
  return metrics.map((metric) => pullOne(metric, subjects, onOverflow));
}

function pullOne<F>(
  { by, read, ...metric }: PulledMetric<F>,
  subjects: readonly Subject<F>[],
  onOverflow: () => void,
): MetricFamily {
  const series = new SeriesSet<{ value: number | undefined }>(
    metric,
    () => ({ value: undefined }),
    onOverflow,
  );
  const merge = MERGES[metric.merge ?? 'sum'];
  for (const { labels, figures } of subjects) {
    for (const byValue of by?.values ?? ['']) {
      const value = read(figures, byValue);
      if (value === undefined) continue;
      const cell = series.at(by === undefined ? labels : { ...labels, [by.label]: byValue });
      cell.value = cell.value === undefined ? value : merge(cell.value, value);
    }
  }
  const samples = [...series.all].map(({ labels, cell }) => ({
    name: metric.name,
    labels,
    value: cell.value!,
  }));
  return { ...metric, samples };
}
