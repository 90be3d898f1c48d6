import { type Change, History } from './history.ts';
import type { Resource } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

/** Paged lists go on from the array their first page made; older ones are made again from the history. */
const MAX_SNAPSHOTS = 8;

/** All objects of one resource: their current states, their order, and the history of writes. */
export class Collection {
  readonly resource: Resource;
  readonly history: History;
  readonly #live = new Map<string, StoredObject>();
  readonly #listeners = new Set<() => void>();
  readonly #snapshots = new Map<number, readonly StoredObject[]>();
  /** Keys in order, and what happened to them since: sorting all of them for each list is too slow. */
  #order: string[] = [];
  #added: string[] = [];
  #removed = 0;
  #sorted: readonly StoredObject[] | undefined;
  #notified = false;

  constructor(resource: Resource, historyEvents: number, resourceVersion: number) {
    this.resource = resource;
    this.history = new History(historyEvents, resourceVersion);
  }

  get size(): number {
    return this.#live.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#live.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#live.keys();
  }

  /** Applies a write that has its resourceVersion, and tells the watches once per turn of the event loop. */
  apply(change: Change): void {
    const { previous, current } = change;
    if (current !== undefined) {
      this.#live.set(current.key, current);
      if (previous === undefined) this.#added.push(current.key);
    } else if (previous !== undefined) {
      this.#live.delete(previous.key);
      this.#removed++;
    }
    this.#sorted = undefined;
    this.history.append(change);
    this.#notify();
  }

  /** All current objects in order of their keys. The array is never changed: it is a snapshot. */
  sorted(): readonly StoredObject[] {
    if (this.#sorted === undefined) {
      this.#updateOrder();
      this.#sorted = this.#order.map((key) => this.#live.get(key)!);
    }
    return this.#sorted;
  }

  /** Keeps the current objects for the next pages of a list at this resourceVersion. */
  keepSnapshot(resourceVersion: number, objects: readonly StoredObject[]): void {
    this.#snapshots.delete(resourceVersion);
    this.#snapshots.set(resourceVersion, objects);
    for (const oldest of this.#snapshots.keys()) {
      if (this.#snapshots.size <= MAX_SNAPSHOTS) break;
      this.#snapshots.delete(oldest);
    }
  }

  /** The objects as they were at this resourceVersion, or undefined when that is forgotten. */
  snapshotAt(resourceVersion: number): readonly StoredObject[] | undefined {
    const kept = this.#snapshots.get(resourceVersion);
    if (kept !== undefined) return kept;
    if (resourceVersion < this.history.compactedAt) return undefined;
    const objects = this.#rollBack(this.history.after(resourceVersion));
    this.keepSnapshot(resourceVersion, objects);
    return objects;
  }

  /** Forgets the history up to this resourceVersion, and all snapshots: their tokens are too old now. */
  compact(resourceVersion: number): void {
    this.history.compact(resourceVersion);
    this.#snapshots.clear();
  }

  /** Calls back after writes, once for all writes of one turn of the event loop. */
  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  unlisten(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  #notify(): void {
    if (this.#notified || this.#listeners.size === 0) return;
    this.#notified = true;
    setImmediate(() => {
      this.#notified = false;
      for (const listener of this.#listeners) listener();
    });
  }

  #rollBack(sequence: number): readonly StoredObject[] {
    const then = new Map<string, StoredObject | undefined>();
    for (let i = this.history.end - 1; i >= sequence; i--) {
      const change = this.history.at(i);
      const key = (change.current ?? change.previous)!.key;
      then.set(key, change.previous);
    }
    if (then.size === 0) return this.sorted();
    const objects = this.sorted().filter((object) => !then.has(object.key));
    for (const object of then.values()) if (object !== undefined) objects.push(object);
    return objects.sort((a, b) => compareKeys(a.key, b.key));
  }

  #updateOrder(): void {
    if (this.#added.length === 0 && this.#removed === 0) return;
    // A key may have been removed and added again, so it can stand in both lists.
    const added = new Set(this.#added);
    const kept = this.#order.filter((key) => this.#live.has(key) && !added.has(key));
    const fresh = [...added].filter((key) => this.#live.has(key)).sort(compareKeys);
    this.#order = merge(kept, fresh);
    this.#added = [];
    this.#removed = 0;
  }
}

function merge(a: readonly string[], b: readonly string[]): string[] {
  const merged: string[] = [];
  let j = 0;
  for (const key of a) {
    while (j < b.length && compareKeys(b[j]!, key) < 0) merged.push(b[j++]!);
    merged.push(key);
  }
  while (j < b.length) merged.push(b[j++]!);
  return merged;
}

/** By code unit, as etcd orders keys; `localeCompare` would order otherwise and is slow. */
function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
