/**
 * The backlog of a listener that gets one event at a time. It is bounded by the number of keys: once it is long,
 * events of one key are merged, so that a slow handler sees fewer steps of the same story. What was merged away is
 * counted.
 */
import type { InformerEvent } from './event.ts';
import { type EventQueue, isRecreation, type Merger } from './event-queue.ts';

/** Dead entries at the front of the array after which it is cut. */
const COMPACT_AFTER = 1024;

/** An entry whose event was merged away keeps its place and holds nothing. */
interface Entry<T> {
  event: InformerEvent<T> | undefined;
}

export class ListenerQueue<T> implements EventQueue<T> {
  laps = 0;

  readonly #merger: Merger<T>;
  readonly #mergeFrom: number;
  #entries: Entry<T>[] = [];
  #first = 0;
  #size = 0;
  /** Last entry of each key; only while the backlog is long. */
  #byKey: Map<string, Entry<T>> | undefined;

  /** @param mergeFrom - events that wait from which on those of one key are merged */
  constructor(merger: Merger<T>, mergeFrom: number) {
    this.#merger = merger;
    this.#mergeFrom = mergeFrom;
  }

  get size(): number {
    return this.#size;
  }

  get hasNext(): boolean {
    return this.#size > 0;
  }

  push(event: InformerEvent<T>): void {
    if (this.#byKey === undefined && this.#size >= this.#mergeFrom) this.#indexKeys();
    const queued = this.#byKey?.get(event.key);
    if (queued?.event !== undefined && !isRecreation(queued.event, event)) {
      this.#mergeInto(queued, event);
      return;
    }
    const entry = { event };
    if (this.#entries.length > 2 * (this.#size + COMPACT_AFTER)) this.#dropDead();
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

  clear(): InformerEvent<T>[] {
    const events: InformerEvent<T>[] = [];
    for (let i = this.#first; i < this.#entries.length; i++) {
      const { event } = this.#entries[i]!;
      if (event !== undefined) events.push(event);
    }
    this.#size = 0;
    this.#reset();
    return events;
  }

  /** Only one event is handed out at a time, so no key has to be remembered. */
  started(): void {}

  finished(): void {}

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
