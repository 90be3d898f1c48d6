/** Reads metrics of what keeps its figures anyway. */
import { HistogramCell } from './instruments.ts';
import type { MetricFamily, PulledHistogram, PulledMetric } from './metric.ts';
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

/** As {@link pull}, of histograms: those with the same labels are added up. */
export function pullHistograms<F>(
  metrics: readonly PulledHistogram<F>[],
  subjects: readonly Subject<F>[],
  onOverflow: () => void,
): MetricFamily[] {
  return metrics.map(({ read, ...metric }) => {
    const series = new SeriesSet(metric, () => new HistogramCell(metric.buckets), onOverflow);
    for (const { labels, figures } of subjects) {
      const value = read(figures);
      if (value !== undefined) series.at(labels).add(value.counts, value.sum);
    }
    const samples = [...series.all].flatMap(({ labels, cell }) => cell.samples(metric.name, labels));
    return { ...metric, samples };
  });
}

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
