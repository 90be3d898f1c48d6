import type { StoredObject } from './stored-object.ts';

/** One write: what was there before, and what is there since. One of the two may be missing. */
export interface Change {
  readonly resourceVersion: number;
  readonly previous: StoredObject | undefined;
  readonly current: StoredObject | undefined;
}

/** Stands where a change was, so that its objects can be freed before the array is cut. */
const FORGOTTEN: Change = { resourceVersion: 0, previous: undefined, current: undefined };

/**
 * The latest writes to one resource, bounded. Each has a sequence number that never changes; a watch keeps
 * only the number it will send next, so that a slow watcher costs no memory and can be found out when the
 * history has moved past it.
 */
export class History {
  readonly #limit: number;
  #changes: Change[] = [];
  /** Sequence number of `#changes[0]`. */
  #base = 0;
  /** How many at the start of `#changes` are out of bounds already, removed in one go now and then. */
  #stale = 0;
  /** Every write after this resourceVersion is still here. */
  #compactedAt: number;

  constructor(limit: number, compactedAt: number) {
    this.#limit = limit;
    this.#compactedAt = compactedAt;
  }

  /** Sequence number of the oldest change. */
  get first(): number {
    return this.#base + this.#stale;
  }

  /** Sequence number of the next change. */
  get end(): number {
    return this.#base + this.#changes.length;
  }

  get compactedAt(): number {
    return this.#compactedAt;
  }

  at(sequence: number): Change {
    return this.#changes[sequence - this.#base]!;
  }

  append(change: Change): void {
    this.#changes.push(change);
    while (this.end - this.first > this.#limit) {
      this.#compactedAt = this.#changes[this.#stale]!.resourceVersion;
      this.#changes[this.#stale] = FORGOTTEN;
      this.#stale++;
    }
    // Removing one by one from the front of an array is slow; half of it at a time costs next to nothing.
    if (this.#stale > this.#limit) this.#removeStale();
  }

  /** Forgets everything up to this resourceVersion, which must be the current one. */
  compact(resourceVersion: number): void {
    this.#stale = this.#changes.length;
    this.#removeStale();
    this.#compactedAt = resourceVersion;
  }

  /** Sequence number of the first change after this resourceVersion. */
  after(resourceVersion: number): number {
    let low = this.first;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle).resourceVersion > resourceVersion) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #removeStale(): void {
    this.#changes = this.#changes.slice(this.#stale);
    this.#base += this.#stale;
    this.#stale = 0;
  }
}
