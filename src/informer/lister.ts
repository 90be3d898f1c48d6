/** Reads an informer's cache. Everything is synchronous and sees what has been handled so far. */
import {
  type BlockRef,
  Bodies,
  type Conditions,
  DetachedError,
  isUntouched,
  type ObjectCache,
  type ObjectSource,
  StoreReader,
} from '../store/index.ts';
import { NotFoundError, UsageError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { InformerHandle } from './handle.ts';
import type { Handler } from './handlers.ts';
import { NamespaceLister } from './namespace-lister.ts';
import { type ObjectContext, ObjectRef } from './object-ref.ts';
import { Query, type Selection } from './query.ts';
import { type SubscribeOptions, Subscription, type SubscriptionHost } from './subscription/index.ts';

export { NAMESPACE_INDEX } from './query.ts';

/** No condition that an object has to meet. */
const ALL: Conditions = [];

/**
 * Objects are decoded on first touch, kept in a bounded cache, and shared with everyone: read-only.
 * Source: client-go's `tools/cache/listers.go` and `thread_safe_store.go`.
 */
export class Lister<T = object> {
  readonly #source: ObjectSource;
  readonly #context: ObjectContext;
  readonly #cache: ObjectCache;
  /** @internal */
  constructor(source: ObjectSource, context: ObjectContext) {
    this.#source = source;
    this.#context = context;
    this.#cache = context.bodies.cache;
  }

  /**
   * Reads the cache of an informer on another thread than its own, in the same memory: nothing is copied, no message is
   * sent for a read, and what the informer's thread has handled is visible at once. `get`, and the objects of an index
   * value that lie in one shard, are of one moment; a list is not. What is decoded is decoded for this thread.
   *
   * @param handle - what `informer.handle()` gave, posted to this thread
   * @throws StoreHandleError when it is no handle, or one of another version of kubering
   */
  static attach<T = object>(handle: InformerHandle, options: AttachOptions = {}): AttachedLister<T> {
    return new AttachedLister<T>(handle, options);
  }

  /** How many objects there are. */
  get size(): number {
    return this.#source.size;
  }

  /** Up to this version of the resource everything is in the cache; '' before the first list. */
  get resourceVersion(): string {
    return this.#source.resourceVersion;
  }

  /**
   * @param key - `namespace/name`, or `name` for a cluster-scoped object
   * @throws KeyError when no object can have such a key, for example because it has two slashes
   * @throws DecodeError when the body of the object is not valid
   */
  get(key: string): T | undefined {
    const cached = this.#cache.atKey(key);
    if (cached !== undefined && (isUntouched(cached) || this.#source.isCurrent(cached))) {
      return this.#cache.use(cached) as T;
    }
    const found = this.#source.find(key);
    return found === undefined ? undefined : this.#read(key, found);
  }

  /** @throws NotFoundError when there is no such object, and as `get` */
  getOrThrow(key: string): T {
    const object = this.get(key);
    if (object === undefined) throw new NotFoundError(key);
    return object;
  }

  /** The objects of one namespace, by name. */
  namespace(namespace: string): NamespaceLister<T> {
    if (typeof namespace !== 'string' || namespace === '') {
      throw new UsageError('a view is of one namespace: give its name; the lister itself has all of them');
    }
    return new NamespaceLister<T>(this, namespace);
  }

  /** Throws as `get`. */
  has(key: string): boolean {
    return this.#source.find(key) !== undefined;
  }

  /** A handle to the current version, nothing decoded. Throws as `get`. */
  ref(key: string): ObjectRef<T> | undefined {
    const found = this.#source.find(key);
    return found === undefined ? undefined : new ObjectRef<T>(this.#context, found);
  }

  /**
   * Objects by index values, namespace and labels. The smallest of the indexes is walked; the others are looked up.
   *
   * @param where - index names with the values that objects have to have there; none: all objects
   * @throws UnknownFieldError when the informer has no such index
   * @throws IndexNotReadyError when an index was just added and does not have all objects yet
   * @throws LabelSelectorError when the label selector is none
   */
  query(where: Readonly<Record<string, string>> = {}, selection: Selection = {}): Query<T> {
    return new Query<T>(this.#source, this.#context, where, selection);
  }

  /** All objects, or those that are selected, in no order. Decodes each: `refs` does not. Throws as `query`. */
  list(selection: Selection = {}): T[] {
    return this.query({}, selection).objects();
  }

  /** As {@link list}, nothing decoded. */
  refs(selection: Selection = {}): ObjectRef<T>[] {
    return this.query({}, selection).refs();
  }

  /** All keys, or those of the objects that are selected, in no order. Throws as `query`. */
  keys(selection: Selection = {}): string[] {
    return this.query({}, selection).keys();
  }

  /** How many objects there are, or are selected; nothing decoded. Throws as `query`. */
  count(selection: Selection = {}): number {
    return this.query({}, selection).count();
  }

  /** The objects that have a value in an index, in no order. Throws as `query`. */
  byIndex(index: string, value: string): T[] {
    return this.query({ [index]: value }).objects();
  }

  /** As {@link byIndex}, nothing decoded. */
  refsByIndex(index: string, value: string): ObjectRef<T>[] {
    return this.query({ [index]: value }).refs();
  }

  /** The keys of the objects that have a value in an index, sorted. Throws as `query`. */
  indexKeys(index: string, value: string): string[] {
    return this.query({ [index]: value })
      .keys()
      .sort();
  }

  /** All values of an index that any object has, in no order. Throws as `query`. */
  indexValues(index: string): string[] {
    return this.#source.valuesOf(index);
  }

  /** What a key found; from now on it finds that without a look into the store. */
  #read(key: string, found: BlockRef): T | undefined {
    const source = this.#source;
    const { bodies } = this.#context;
    return source.read(found, ALL, (ref) => bodies.decodeAs(key, source.foundSlot, ref) as T);
  }
}

/** All fields are optional. */
export interface AttachOptions {
  /** Most bytes of bodies whose objects stay decoded on this thread. @default 32 MiB */
  readonly decodeCacheBytes?: number;
  /** Freezes decoded objects, so that code that writes to a shared object throws. For tests. @default false */
  readonly freeze?: boolean;
}

/** A worker looks at few objects again and again; what it decoded is there besides what other threads decoded. */
const ATTACHED_CACHE_BYTES = 32 * 1024 * 1024;

/** The cache of an informer, read on another thread than its own. Made by {@link Lister.attach}. */
export class AttachedLister<T = object> extends Lister<T> {
  readonly #reader: StoreReader;
  readonly #bodies: Bodies;
  readonly #subscribing: SubscriptionHost;
  readonly #subscriptions = new Set<Subscription<T>>();

  /** @internal */
  constructor({ store, thread, columns, indexPaths }: InformerHandle, options: AttachOptions) {
    const { decodeCacheBytes = ATTACHED_CACHE_BYTES, freeze = false } = options;
    let bodies: Bodies | undefined;
    const reader = new StoreReader(store, ({ typeMeta }) => {
      if (bodies !== undefined) bodies.typeMeta = typeMeta;
    });
    const { segments } = reader;
    bodies = new Bodies({ segments, cacheBytes: decodeCacheBytes, freeze });
    bodies.typeMeta = reader.typeMeta;
    const paths = new Map(indexPaths);
    const context: ObjectContext = {
      segments,
      bodies,
      columns: new Map(columns),
      indexOfPath: (path) => {
        const name = paths.get(path);
        return name !== undefined && reader.hasIndex(name) ? name : undefined;
      },
    };
    super(reader, context);
    this.#reader = reader;
    this.#bodies = bodies;
    this.#subscribing = { thread, channel: store.channel, context, reader };
  }

  /**
   * Events on this thread, with the handlers of `SharedInformer.addEventHandler`: first what exists, as adds that are
   * initial, then every change, in order, one at a time. They come over a ring in shared memory; nothing is copied or
   * decoded before it is looked at, and an event can be read until the handler is done with it.
   *
   * The informer never waits for this thread. It holds the bodies of the events that lie on the ring; while the ring is
   * full events wait with it, and are merged per key when they are many, see `Subscription.laps`. It counts a
   * subscription as one of its handlers, and reports what the handler throws as an `error` of its own. It drops a
   * subscription whose thread has ended.
   *
   * @returns a promise that rejects with a StoppedError when the informer was stopped or its thread has ended, with a
   * DetachedError after `detach`, and with the reason of the signal
   * @throws UsageError (as a rejection) when the handler is none, or an option is out of range
   */
  async subscribe(handler: Handler<T>, options: SubscribeOptions<T> = {}): Promise<Subscription<T>> {
    if (this.#reader.isDetached) throw new DetachedError();
    const subscription = await Subscription.open<T>(handler, options, this.#subscribing);
    this.#subscriptions.add(subscription);
    void subscription.closed.catch(() => {}).then(() => this.#subscriptions.delete(subscription));
    if (this.#reader.isDetached) void subscription.close();
    return subscription;
  }

  /**
   * The same for a `for await` loop: `for await (const event of await lister.events())`. The loop is the handler: an event
   * can be read until the next one is asked for. It ends with the signal, with the loop, and with the informer. Rejects as
   * {@link subscribe}.
   */
  async events(options: SubscribeOptions<T> = {}): Promise<EventStream<T>> {
    let opening: Promise<Subscription<T>> | undefined;
    const register = (handler: Handler<T>) => {
      opening = this.subscribe(handler, options);
      return { remove: () => opening!.then((subscription) => subscription.close()) };
    };
    const stream = new EventStream<T>(register, undefined, () => {});
    const subscription = await opening!;
    void subscription.closed.catch(() => {}).then(stream.end);
    return stream;
  }

  /** Lets go of the informer's memory, and ends subscriptions. Reads throw a `DetachedError` afterwards. */
  detach(): void {
    for (const subscription of this.#subscriptions) void subscription.close();
    this.#reader.detach();
    this.#bodies.cache.clear();
  }

  [Symbol.dispose](): void {
    this.detach();
  }
}
