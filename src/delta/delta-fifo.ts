/**
 * The queue between a Reflector and the Indexer. It holds keys in order and, per key, that key's deltas in
 * order; what is popped is gone. One class for plain objects and for references to shared memory.
 * Source: client-go's `tools/cache/delta_fifo.go` and `the_real_fifo.go`.
 *
 * Two orders: `total` hands each delta out in the order of arrival. `per-key` hands all deltas of a key out
 * together, at the place of its first one: a consumer that lags catches up in fewer steps. A bookmark and
 * the ends of a streamed Replace are barriers: nothing moves across them.
 */
import { DeletedFinalStateUnknown, type Delta, DeltaType } from './delta.ts';

/** Dead entries at the front of the queue's array after which it is cut. */
const COMPACT_AFTER = 1024;

/** What the consumer has already, for Replace and resync of plain objects. */
export interface KnownObjects<T> {
  keys(): Iterable<string>;
  get(key: string): T | undefined;
}

export interface DeltaFIFOOptions<T> {
  /** The key of an object, `namespace/name`. */
  readonly keyOf: (object: T) => string;
  /** @default 'total' */
  readonly ordering?: 'total' | 'per-key';
  /** Needed by `replace` and `resync` only; a streamed Replace is compared by its consumer. */
  readonly known?: KnownObjects<T>;
}

/** An entry of the queue: one delta, or several of one key. */
type Entry<T> = Delta<T> | Delta<T>[];

/** Takes one popped delta. `isInitial` is true until the first Replace has been popped. */
export type PopHandler<T> = (delta: Delta<T>, isInitial: boolean) => void;

export class DeltaFIFO<T> {
  readonly #options: DeltaFIFOOptions<T>;
  readonly #isPerKey: boolean;
  #entries: Entry<T>[] = [];
  #first = 0;
  #size = 0;
  /** Entries that further deltas of their key may join: those since the last barrier. */
  #open = new Map<string, Delta<T>[]>();
  #hasSynced = false;
  #isPopulated = false;
  /** Deltas of the first plain Replace that still have to be popped. */
  #initialLeft = 0;

  constructor(options: DeltaFIFOOptions<T>) {
    this.#options = options;
    this.#isPerKey = options.ordering === 'per-key';
  }

  /** Deltas that wait. */
  get size(): number {
    return this.#size;
  }

  /** True once the first Replace was popped to its end. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  add(object: T): void {
    this.push(DeltaType.added, object);
  }

  update(object: T): void {
    this.push(DeltaType.updated, object);
  }

  delete(object: T): void {
    this.push(DeltaType.deleted, object);
  }

  /** Appends one delta of any type. */
  push(type: DeltaType, object: T): void {
    const delta: Delta<T> = { type, object };
    if (!this.#isPerKey || isBarrier(type)) {
      if (this.#isPerKey) this.#open = new Map();
      this.#entries.push(delta);
      this.#size++;
      return;
    }
    const key = this.#keyOf(object);
    const queued = this.#open.get(key);
    if (queued === undefined) {
      const deltas = [delta];
      this.#open.set(key, deltas);
      this.#entries.push(deltas);
      this.#size++;
    } else if (isSecondDelete(queued.at(-1)!, delta)) {
      // Of two deletes the one with a real last state is kept.
      if (queued.at(-1)!.object instanceof DeletedFinalStateUnknown) queued[queued.length - 1] = delta;
    } else {
      queued.push(delta);
      this.#size++;
    }
  }

  /**
   * Replaces everything by `objects`: a Replaced delta for each, and a tombstone for each key that is known
   * or queued and not among them.
   *
   * @throws TypeError when the queue was made without `known`
   */
  replace(objects: readonly T[]): void {
    const known = this.#known('replace');
    const keep = new Set<string>();
    const before = this.#size;
    const lastQueued = this.#lastQueued();
    for (const object of objects) {
      keep.add(this.#keyOf(object));
      this.push(DeltaType.replaced, object);
    }
    for (const [key, delta] of lastQueued) {
      if (keep.has(key) || delta.type === DeltaType.deleted) continue;
      this.#pushTombstone(key, known.get(key) ?? delta.object);
    }
    for (const key of known.keys()) {
      if (!keep.has(key) && !lastQueued.has(key)) this.#pushTombstone(key, known.get(key) as T);
    }
    if (this.#isPopulated) return;
    this.#isPopulated = true;
    this.#initialLeft = this.#size - before;
    this.#hasSynced = this.#initialLeft === 0;
  }

  /**
   * Queues a Sync delta for each known object that has nothing queued.
   *
   * @throws TypeError when the queue was made without `known`
   */
  resync(): void {
    const known = this.#known('resync');
    const queued = this.#lastQueued();
    for (const key of known.keys()) {
      if (!queued.has(key)) this.push(DeltaType.sync, known.get(key) as T);
    }
  }

  /**
   * Takes the next entry and hands its deltas to `process`, one in `total` order, all of one key in
   * `per-key` order. The entry is gone even when `process` throws.
   *
   * @returns how many deltas were handed out, 0 when nothing waits
   */
  pop(process: PopHandler<T>): number {
    if (this.#first === this.#entries.length) return 0;
    const entry = this.#entries[this.#first]!;
    this.#entries[this.#first] = undefined as unknown as Entry<T>;
    this.#first++;
    if (this.#first === this.#entries.length || this.#first === COMPACT_AFTER) this.#compact();
    if (!Array.isArray(entry)) {
      this.#size--;
      this.#hand(entry, process);
      return 1;
    }
    const key = this.#keyOf(entry[0]!.object);
    if (this.#open.get(key) === entry) this.#open.delete(key);
    this.#size -= entry.length;
    for (const delta of entry) this.#hand(delta, process);
    return entry.length;
  }

  #hand(delta: Delta<T>, process: PopHandler<T>): void {
    try {
      process(delta, !this.#hasSynced);
    } finally {
      if (delta.type === DeltaType.replaceEnd) this.#hasSynced = true;
      else if (this.#initialLeft > 0 && --this.#initialLeft === 0) this.#hasSynced = true;
    }
  }

  #compact(): void {
    this.#entries.splice(0, this.#first);
    this.#first = 0;
  }

  #pushTombstone(key: string, object: T): void {
    this.push(DeltaType.deleted, new DeletedFinalStateUnknown(key, object) as T);
  }

  #lastQueued(): Map<string, Delta<T>> {
    const last = new Map<string, Delta<T>>();
    for (let i = this.#first; i < this.#entries.length; i++) {
      const entry = this.#entries[i]!;
      const delta = Array.isArray(entry) ? entry.at(-1)! : entry;
      if (!isBarrier(delta.type)) last.set(this.#keyOf(delta.object), delta);
    }
    return last;
  }

  #keyOf(object: T): string {
    return object instanceof DeletedFinalStateUnknown ? object.key : this.#options.keyOf(object);
  }

  #known(operation: string): KnownObjects<T> {
    const { known } = this.#options;
    if (known === undefined) {
      throw new TypeError(`${operation} compares with what is known: make the DeltaFIFO with \`known\``);
    }
    return known;
  }
}

function isBarrier(type: DeltaType): boolean {
  return type === DeltaType.replaceBegin || type === DeltaType.replaceEnd || type === DeltaType.bookmark;
}

function isSecondDelete(last: Delta<unknown>, next: Delta<unknown>): boolean {
  return last.type === DeltaType.deleted && next.type === DeltaType.deleted;
}
