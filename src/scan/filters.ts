/**
 * Filters of a scan spec: the scanner gives whole elements of an array for them, and the reader of its result looks
 * into those.
 */
import type { PathStep, ScanSpec } from './spec.ts';

/** What a field asks of the elements that the scanner gives. */
export interface ScanFilter {
  readonly where: string;
  readonly is: string | number | boolean;
  /** From the element to the value. */
  readonly rest: readonly PathStep[];
}

/** Filters by field id; undefined when the spec has none. */
export type ScanFilters = ReadonlyMap<number, ScanFilter> | undefined;

export function filtersOf({ fields }: ScanSpec): ScanFilters {
  const filters = new Map<number, ScanFilter>();
  for (const { id, path } of fields) {
    const index = path.findIndex((step) => 'where' in step);
    const step = path[index];
    if (step !== undefined && 'where' in step) {
      filters.set(id, { where: step.where, is: step.is, rest: path.slice(index + 1) });
    }
  }
  return filters.size === 0 ? undefined : filters;
}
