/** The samples of one metric, by the values of its labels: never more than a limit. */
import type { Metric } from './metric.ts';

/**
 * Most series of one metric. Labels are names of resources, queues and controllers, of which a program has dozens: more
 * than this is a name made of something that has no end, and would fill the memory of whoever scrapes.
 */
export const MAX_SERIES_PER_METRIC = 1000;

/** Value of the labels of what found no room. */
export const OVERFLOW_LABEL = 'other';

/** Labels whose values are kubering's own, so they are few. They are kept when the others overflow. */
const CLOSED_LABELS: ReadonlySet<string> = new Set(['result', 'state', 'kind']);

export interface Series<C> {
  readonly labels: Readonly<Record<string, string>>;
  readonly cell: C;
}

export class SeriesSet<C> {
  readonly #metric: Metric;
  readonly #makeCell: () => C;
  readonly #onOverflow: () => void;
  readonly #byValues = new Map<string, Series<C>>();

  constructor(metric: Metric, makeCell: () => C, onOverflow: () => void) {
    this.#metric = metric;
    this.#makeCell = makeCell;
    this.#onOverflow = onOverflow;
  }

  get all(): Iterable<Series<C>> {
    return this.#byValues.values();
  }

  /** The cell of these labels, or of `other` when there are too many. */
  at(labels: Readonly<Record<string, string>>): C {
    const known = this.#byValues.get(this.#keyOf(labels));
    if (known !== undefined) return known.cell;
    if (this.#byValues.size < MAX_SERIES_PER_METRIC) return this.#add(labels);
    this.#onOverflow();
    const other = Object.fromEntries(
      this.#metric.labels.map((name) => [name, CLOSED_LABELS.has(name) ? labels[name]! : OVERFLOW_LABEL]),
    );
    return this.#byValues.get(this.#keyOf(other))?.cell ?? this.#add(other);
  }

  #add(labels: Readonly<Record<string, string>>): C {
    const cell = this.#makeCell();
    this.#byValues.set(this.#keyOf(labels), { labels: { ...labels }, cell });
    return cell;
  }

  #keyOf(labels: Readonly<Record<string, string>>): string {
    return JSON.stringify(this.#metric.labels.map((name) => labels[name]));
  }
}
