/** What is measured, and with which keys and values: the same for all contenders. */

/** Names of rows, in the order of the tables. */
export const ROWS = {
  upsert: 'upsert, index values as before',
  removeAndAdd: 'remove and add',
  getHot: 'get, hot',
  getCold: 'get, cold',
  getMissing: 'get, missing',
  readField: 'read status.phase of any object',
  byTen: 'byIndex, 10 objects',
  byThousand: 'byIndex, 1,000 objects',
  keysByThousand: 'count byIndex, 1,000',
  intersection: 'intersection of 1,000 and a namespace',
  listRefs: 'list of a namespace, nothing decoded',
  listObjects: 'list of a namespace, objects',
  indexValue: 'index value of an object',
} as const;

/** Lookups of one call. */
export const LOOKUPS = 1000;

export const NAMESPACE = 'web';
export const TEN_VALUE = 't7';
export const THOUSAND_VALUE = 'h0';

/** What is decoded fits for about 2,000 Pods: hot sets do, a walk over 10,000 does not. */
export const DECODE_CACHE_BYTES = 12 * 1024 * 1024;

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields?: unknown;
  };
  readonly status: { readonly phase: string };
}

/** Far from each other in memory, and all keys before one comes again: their number has no such factor. */
const STRIDE = 7919;

/** The keys that are looked up, each as its contender takes it. */
export interface Keys<K> {
  readonly hot: readonly K[];
  readonly missing: readonly K[];
  /** The next of all keys, in an order that suits no cache. */
  next(): K;
}

/**
 * @param all - every key, in any order
 * @param toWanted - makes of a key, once and before all timing, what is looked up
 */
export function keysOf<K>(all: Iterable<string>, toWanted: (key: string) => K): Keys<K> {
  const sorted = [...all].sort().map(toWanted);
  let cursor = 0;
  const next = () => {
    cursor = (cursor + STRIDE) % sorted.length;
    return sorted[cursor]!;
  };
  const step = Math.floor(sorted.length / LOOKUPS);
  return {
    hot: Array.from({ length: LOOKUPS }, (_, i) => sorted[i * step]!),
    missing: Array.from({ length: LOOKUPS }, (_, i) => toWanted(`${NAMESPACE}/missing-${i}`)),
    next,
  };
}

/** For contenders that are asked by `namespace/name`. */
export function asKey(key: string): string {
  return key;
}

/** Touches each object: the sum of the lengths of their names. */
export function sumOfNames(pods: Iterable<Pod>): number {
  let sum = 0;
  for (const pod of pods) sum += pod.metadata.name.length;
  return sum;
}
