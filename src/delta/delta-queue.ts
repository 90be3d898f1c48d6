/** What a DeltaFIFO holds, in either order: an array of entries that is cut at its front now and then. */
import { DeletedFinalStateUnknown, type Delta, DeltaType } from './delta.ts';

/** Dead entries at the front of the array after which it is cut. */
const COMPACT_AFTER = 1024;

/** An entry of the queue: one delta, or several of one key. */
export type Entry<T> = Delta<T> | Delta<T>[];

export class DeltaQueue<T> {
  readonly #keyOf: (object: T) => string;
  readonly #isPerKey: boolean;
  readonly #onDropped: (object: T) => void;
  #entries: Entry<T>[] = [];
  #first = 0;
  #size = 0;
  /** Entries that further deltas of their key may join: those since the last barrier. */
  #open = new Map<string, Delta<T>[]>();

  /**
   * @param keyOf - the key of an object or tombstone
   * @param onDropped - gets the object of a delta that nobody will take
   */
  constructor(keyOf: (object: T) => string, isPerKey: boolean, onDropped: (object: T) => void) {
    this.#keyOf = keyOf;
    this.#isPerKey = isPerKey;
    this.#onDropped = onDropped;
  }

  /** Deltas that wait. */
  get size(): number {
    return this.#size;
  }

  /** Entries that wait: what `take` gives is one of them. */
  get entries(): number {
    return this.#entries.length - this.#first;
  }

  push(delta: Delta<T>): void {
    if (this.#isPerKey) this.#pushPerKey(delta);
    else {
      this.#entries.push(delta);
      this.#size++;
    }
  }

  take(): Entry<T> | undefined {
    if (this.#first === this.#entries.length) return undefined;
    const entry = this.#entries[this.#first]!;
    this.#entries[this.#first] = undefined as unknown as Entry<T>;
    this.#first++;
    if (this.#first === this.#entries.length || this.#first === COMPACT_AFTER) this.#compact();
    if (!Array.isArray(entry)) {
      this.#size--;
      return entry;
    }
    const key = this.#keyOf(entry[0]!.object);
    if (this.#open.get(key) === entry) this.#open.delete(key);
    this.#size -= entry.length;
    return entry;
  }

  /** Puts back what `take` gave, or the rest of it: it comes first again. */
  putBack(deltas: Delta<T>[]): void {
    this.#compact();
    this.#size += deltas.length;
    if (!this.#isPerKey || isBarrier(deltas[0]!.type)) {
      this.#entries.unshift(...deltas);
      return;
    }
    // What waits behind a barrier stays there.
    const hasBarrier = this.#entries.some((entry) => !Array.isArray(entry));
    if (!hasBarrier) this.#join(deltas);
    this.#entries.unshift(deltas);
  }

  /** Visits what waits, in order, but for what says nothing of an object. */
  visit(visitor: (delta: Delta<T>) => void): void {
    for (let i = this.#first; i < this.#entries.length; i++) {
      const entry = this.#entries[i]!;
      if (Array.isArray(entry)) for (const delta of entry) visitor(delta);
      else if (!isBarrier(entry.type)) visitor(entry);
    }
  }

  /** What came of the same key meanwhile follows what is put back, at its place. */
  #join(deltas: Delta<T>[]): void {
    const key = this.#keyOf(deltas[0]!.object);
    const later = this.#open.get(key);
    if (later !== undefined) {
      this.#entries.splice(this.#entries.indexOf(later), 1);
      deltas.push(...later);
    }
    this.#open.set(key, deltas);
  }

  #pushPerKey(delta: Delta<T>): void {
    if (isBarrier(delta.type)) {
      this.#open = new Map();
      this.#entries.push(delta);
      this.#size++;
      return;
    }
    const key = this.#keyOf(delta.object);
    const queued = this.#open.get(key);
    if (queued === undefined) {
      const deltas = [delta];
      this.#open.set(key, deltas);
      this.#entries.push(deltas);
      this.#size++;
    } else if (isSecondDelete(queued.at(-1)!, delta)) {
      // Of two deletes the one with a real last state is kept.
      const keepsSecond = queued.at(-1)!.object instanceof DeletedFinalStateUnknown;
      const dropped = keepsSecond ? queued.splice(-1, 1, delta)[0]! : delta;
      this.#onDropped(dropped.object);
    } else {
      queued.push(delta);
      this.#size++;
    }
  }

  #compact(): void {
    this.#entries.splice(0, this.#first);
    this.#first = 0;
  }
}

function isBarrier(type: DeltaType): boolean {
  return type === DeltaType.replaceBegin || type === DeltaType.replaceEnd || type === DeltaType.bookmark;
}

function isSecondDelete(last: Delta<unknown>, next: Delta<unknown>): boolean {
  return last.type === DeltaType.deleted && next.type === DeltaType.deleted;
}
