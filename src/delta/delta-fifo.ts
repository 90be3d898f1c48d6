/**
 * The queue between a Reflector and the Indexer. It holds keys in order and, per key, that key's deltas in
 * order; what is popped is gone. One class for plain objects and for references to shared memory.
 * Source: client-go's `tools/cache/delta_fifo.go` and `the_real_fifo.go`.
 */
import { DeletedFinalStateUnknown, type Delta, DeltaType } from './delta.ts';
import { DeltaQueue, type Entry } from './delta-queue.ts';
import { FIFOClosedError, RequeueError } from './errors.ts';
import { PushSignal } from './push-signal.ts';

/** A streamed Replace says its end itself, however many deltas it has. */
const UNTIL_ITS_END = Number.POSITIVE_INFINITY;

/** What the consumer has already, for Replace and resync of plain objects. */
export interface KnownObjects<T> {
  keys(): Iterable<string>;
  get(key: string): T | undefined;
}

export interface DeltaFIFOOptions<T> {
  /** The key of an object, `namespace/name`. */
  readonly keyOf: (object: T) => string;
  /**
   * `total` hands each delta out in the order of arrival, and keeps all. `per-key` hands the deltas of a key out
   * together, at the place of its first one, and keeps one of two deletes: a consumer that lags catches up in fewer
   * steps. Bookmarks and the ends of a streamed Replace are barriers there: nothing moves across them.
   * @default 'total'
   */
  readonly ordering?: 'total' | 'per-key';
  /** Needed by `replace` and `resync` only; a streamed Replace is compared by its consumer. */
  readonly known?: KnownObjects<T>;
  /** Gets the object of a delta that was dropped: of one of two deletes. For objects that have to be given back. */
  readonly onDropped?: (object: T) => void;
}

/**
 * Takes one popped delta. `isInitial` is true until the first Replace has been popped. It may throw a
 * {@link RequeueError} to get the delta again.
 */
export type PopHandler<T> = (delta: Delta<T>, isInitial: boolean) => void;

/** As {@link PopHandler}, or with a promise that is waited for. */
export type AsyncPopHandler<T> = (delta: Delta<T>, isInitial: boolean) => void | Promise<void>;

/**
 * ```ts
 * const fifo = new DeltaFIFO<Thing>({ keyOf: (thing) => thing.name, known: store });
 * fifo.replace(things);
 * for (;;) await fifo.pop(({ type, object }) => apply(type, object), { signal });
 * ```
 */
export class DeltaFIFO<T> {
  readonly #options: DeltaFIFOOptions<T>;
  readonly #isPerKey: boolean;
  readonly #pushed = new PushSignal();
  readonly #queue: DeltaQueue<T>;
  #isPopulated = false;
  /** Entries of the first Replace that still have to be popped. */
  #initialLeft = 0;
  #isClosed = false;
  /** An asynchronous consumer has an entry in its hands. */
  #isHanding = false;

  constructor(options: DeltaFIFOOptions<T>) {
    this.#options = options;
    this.#isPerKey = options.ordering === 'per-key';
    const { onDropped = () => {} } = options;
    this.#queue = new DeltaQueue((object) => this.#keyOf(object), this.#isPerKey, onDropped);
  }

  /** Deltas that wait. */
  get size(): number {
    return this.#queue.size;
  }

  /** True once all of the first Replace was processed, or when a change came before any Replace. */
  get hasSynced(): boolean {
    return this.#isPopulated && this.#initialLeft === 0;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws FIFOClosedError */
  add(object: T): void {
    this.push(DeltaType.added, object);
  }

  /** @throws FIFOClosedError */
  update(object: T): void {
    this.push(DeltaType.updated, object);
  }

  /**
   * Of a queue with `known` and order per key, the delete of what is neither known nor queued is dropped.
   *
   * @throws FIFOClosedError
   */
  delete(object: T): void {
    const { known } = this.#options;
    if (this.#isPerKey && known !== undefined) {
      const key = this.#keyOf(object);
      if (known.get(key) === undefined && this.getByKey(key) === undefined) return;
    }
    this.push(DeltaType.deleted, object);
  }

  /**
   * Appends one delta of any type.
   *
   * @throws FIFOClosedError
   */
  push(type: DeltaType, object: T): void {
    if (this.#isClosed) throw new FIFOClosedError('the DeltaFIFO was closed: nothing can be added');
    if (!this.#isPopulated) this.#populate(type);
    this.#queue.push({ type, object });
    if (this.#pushed.isAwaited) this.#pushed.tell();
  }

  /**
   * Replaces everything by `objects`: a tombstone for each key that is known or queued and not among them, then a
   * Replaced delta for each. A key whose delete waits already gets no second one.
   *
   * @throws TypeError when the queue was made without `known`
   * @throws FIFOClosedError
   */
  replace(objects: readonly T[]): void {
    const known = this.#known('replace');
    const isFirst = !this.#isPopulated;
    // What is queued now is not what populates it.
    this.#isPopulated = true;
    const keep = new Set(objects.map((object) => this.#keyOf(object)));
    const lastQueued = this.#lastQueued();
    for (const [key, { type, object }] of lastQueued) {
      if (!keep.has(key) && type !== DeltaType.deleted) this.#pushTombstone(key, object);
    }
    for (const key of [...known.keys()]) {
      if (!keep.has(key) && !lastQueued.has(key)) this.#pushTombstone(key, known.get(key) as T);
    }
    for (const object of objects) this.push(DeltaType.replaced, object);
    if (isFirst) this.#initialLeft = this.#queue.entries;
  }

  /**
   * Queues a Sync delta for each known object that has nothing queued.
   *
   * @throws TypeError when the queue was made without `known`
   * @throws FIFOClosedError
   */
  resync(): void {
    const known = this.#known('resync');
    const queued = this.#lastQueued();
    for (const key of [...known.keys()]) {
      if (!queued.has(key)) this.push(DeltaType.sync, known.get(key) as T);
    }
  }

  /** The newest queued object of each key that waits, deleted ones included. */
  list(): T[] {
    return [...this.#lastQueued().values()].map(({ object }) => object);
  }

  /** The keys that wait, each once, in the order of their first delta. */
  listKeys(): string[] {
    return [...this.#lastQueued().keys()];
  }

  /** The deltas that wait for the key of this object, or undefined. */
  get(object: T): readonly Delta<T>[] | undefined {
    return this.getByKey(this.#keyOf(object));
  }

  /** The deltas that wait for this key, oldest first, or undefined. Looks through the queue: for inspection. */
  getByKey(key: string): readonly Delta<T>[] | undefined {
    const deltas: Delta<T>[] = [];
    this.#queue.visit((delta) => {
      if (this.#keyOf(delta.object) === key) deltas.push(delta);
    });
    return deltas.length === 0 ? undefined : deltas;
  }

  /**
   * Waits for an entry and hands its deltas to `process`: one in `total` order, all of a key in `per-key` order.
   * One consumer at a time gets something: a second call waits for the first one's promise.
   *
   * @returns how many deltas were handed out
   * @throws what `process` throws; the delta is gone then, except after a {@link RequeueError}
   * @throws FIFOClosedError when nothing waits and the queue was closed
   * @throws the signal's reason when it is aborted
   */
  async pop(process: AsyncPopHandler<T>, { signal }: { signal?: AbortSignal } = {}): Promise<number> {
    for (;;) {
      signal?.throwIfAborted();
      const entry = this.#take();
      if (entry !== undefined) return await this.#handToAsync(entry, process);
      if (this.#isClosed && !this.#isHanding) {
        throw new FIFOClosedError('the DeltaFIFO was closed and is empty: nothing will come to be popped');
      }
      await this.#pushed.wait(signal);
    }
  }

  /**
   * As {@link pop}, without waiting.
   *
   * @returns how many deltas were handed out, 0 when nothing waits
   */
  tryPop(process: PopHandler<T>): number {
    const entry = this.#take();
    if (entry === undefined) return 0;
    const isInitial = !this.hasSynced;
    if (!Array.isArray(entry)) {
      try {
        process(entry, isInitial);
      } catch (error) {
        this.#failed([entry], 0, error);
        throw error;
      }
      this.#processed(entry);
      return 1;
    }
    let handed = 0;
    try {
      for (; handed < entry.length; handed++) process(entry[handed]!, isInitial);
    } catch (error) {
      this.#failed(entry, handed, error);
      throw error;
    }
    this.#processed(entry[0]!);
    return entry.length;
  }

  /** Nothing can be added afterwards; what waits can still be popped. Harmless when called twice. */
  close(): void {
    this.#isClosed = true;
    this.#pushed.tell();
  }

  async #handToAsync(entry: Entry<T>, process: AsyncPopHandler<T>): Promise<number> {
    const deltas = Array.isArray(entry) ? entry : [entry];
    const isInitial = !this.hasSynced;
    this.#isHanding = true;
    let handed = 0;
    try {
      for (; handed < deltas.length; handed++) await process(deltas[handed]!, isInitial);
      this.#processed(deltas[0]!);
      return deltas.length;
    } catch (error) {
      this.#failed(deltas, handed, error);
      throw error;
    } finally {
      this.#isHanding = false;
      this.#pushed.tell();
    }
  }

  /** The next entry, unless a consumer still has the one before. */
  #take(): Entry<T> | undefined {
    return this.#isHanding ? undefined : this.#queue.take();
  }

  #processed(delta: Delta<T>): void {
    if (this.#initialLeft === 0) return;
    if (delta.type === DeltaType.replaceEnd) this.#initialLeft = 0;
    else this.#initialLeft--;
  }

  /** The delta that failed is gone unless its consumer wants it again; those behind it are not. */
  #failed(deltas: readonly Delta<T>[], index: number, error: unknown): void {
    const left = deltas.slice(error instanceof RequeueError ? index : index + 1);
    if (left.length === 0) this.#processed(deltas[0]!);
    else this.#queue.putBack(left);
  }

  /** The first that comes says what `hasSynced` waits for: a change for nothing, a streamed Replace for its end. */
  #populate(type: DeltaType): void {
    if (type === DeltaType.bookmark || type === DeltaType.sync) return;
    this.#isPopulated = true;
    if (type === DeltaType.replaceBegin) this.#initialLeft = UNTIL_ITS_END;
  }

  #pushTombstone(key: string, object: T): void {
    const last = object instanceof DeletedFinalStateUnknown ? object.object : object;
    this.push(DeltaType.deleted, new DeletedFinalStateUnknown(key, last) as T);
  }

  #lastQueued(): Map<string, Delta<T>> {
    const last = new Map<string, Delta<T>>();
    this.#queue.visit((delta) => void last.set(this.#keyOf(delta.object), delta));
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
