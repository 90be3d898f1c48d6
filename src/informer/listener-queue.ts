/**
 * The backlog of one listener. It is bounded by the number of keys: once it is long, events of one key are
 * merged, so that a slow handler sees fewer steps of the same story. What was merged away is counted.
 */
import type { InformerEvent } from './event.ts';

/** Backlog from which on events of one key are merged: a burst should pass unmerged, a lag should not grow. */
const MERGE_FROM = 1024;

/** Dead entries at the front of the array after which it is cut. */
const COMPACT_AFTER = 1024;

interface Merger<T> {
  merge(first: InformerEvent<T>, second: InformerEvent<T>): InformerEvent<T> | undefined;
}

/** An entry whose event was merged away keeps its place and holds nothing. */
interface Entry<T> {
  event: InformerEvent<T> | undefined;
}

export class ListenerQueue<T> {
  laps = 0;

  readonly #merger: Merger<T>;
  #entries: Entry<T>[] = [];
  #first = 0;
  #size = 0;
  /** Last entry of each key; only while the backlog is long. */
  #byKey: Map<string, Entry<T>> | undefined;

  constructor(merger: Merger<T>) {
    this.#merger = merger;
  }

  get size(): number {
    return this.#size;
  }

  push(event: InformerEvent<T>): void {
    if (this.#byKey === undefined && this.#size >= MERGE_FROM) this.#indexKeys();
    const queued = this.#byKey?.get(event.key);
    if (queued?.event !== undefined && !isRecreation(queued.event, event)) {
      this.#mergeInto(queued, event);
      return;
    }
    const entry = { event };
    if (this.#entries.length > 2 * (this.#size + MERGE_FROM)) this.#dropDead();
    this.#entries.push(entry);
    this.#byKey?.set(event.key, entry);
    this.#size++;
  }

  shift(): InformerEvent<T> | undefined {
    while (this.#first < this.#entries.length) {
      const { event } = this.#entries[this.#first]!;
      this.#entries[this.#first] = { event: undefined };
      this.#first++;
      if (this.#first === COMPACT_AFTER) this.#compact();
      if (event === undefined) continue;
      this.#size--;
      if (this.#byKey?.get(event.key)?.event === event) this.#byKey.delete(event.key);
      if (this.#size === 0) this.#reset();
      return event;
    }
    return undefined;
  }

  #mergeInto(entry: Entry<T>, event: InformerEvent<T>): void {
    this.laps++;
    const key = event.key;
    entry.event = this.#merger.merge(entry.event!, event);
    if (entry.event !== undefined) return;
    this.#byKey!.delete(key);
    this.#size--;
  }

  #indexKeys(): void {
    this.#byKey = new Map();
    for (let i = this.#first; i < this.#entries.length; i++) {
      const entry = this.#entries[i]!;
      if (entry.event !== undefined) this.#byKey.set(entry.event.key, entry);
    }
  }

  #compact(): void {
    this.#entries.splice(0, this.#first);
    this.#first = 0;
  }

  /** Merging leaves dead entries; a handler that hangs must not let them grow. */
  #dropDead(): void {
    this.#entries = this.#entries.filter(({ event }) => event !== undefined);
    this.#first = 0;
  }

  #reset(): void {
    this.#entries = [];
    this.#first = 0;
    this.#byKey = undefined;
  }
}

/** A delete and the add of another object under the same name stay two events: they are two objects. */
function isRecreation(first: InformerEvent<unknown>, second: InformerEvent<unknown>): boolean {
  return first.type === 'delete' && second.type === 'add';
}
