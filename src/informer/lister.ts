/** Reads an informer's cache. Everything is synchronous and sees what has been handled so far. */
import { BlockRef, type Indexer } from '../store/index.ts';
import { type ObjectContext, ObjectRef } from './object-ref.ts';

/** Name of the index that every informer has. */
export const NAMESPACE_INDEX = 'namespace';

/**
 * Objects are decoded on first touch, kept in a bounded cache, and shared with everyone: read-only.
 * Source: client-go's `tools/cache/listers.go` and `thread_safe_store.go`.
 */
export class Lister<T = object> {
  readonly #indexer: Indexer;
  readonly #context: ObjectContext;

  /** @internal */
  constructor(indexer: Indexer, context: ObjectContext) {
    this.#indexer = indexer;
    this.#context = context;
  }

  /** How many objects there are. */
  get size(): number {
    return this.#indexer.size;
  }

  /** Up to this version of the resource everything is in the cache; '' before the first list. */
  get resourceVersion(): string {
    return this.#indexer.resourceVersion;
  }

  /**
   * @param key - `namespace/name`, or `name` for a cluster-scoped object
   * @throws DecodeError when the body of the object is not valid
   */
  get(key: string): T | undefined {
    return this.ref(key)?.object;
  }

  has(key: string): boolean {
    return this.#indexer.find(key) !== -1;
  }

  /** A handle to the current version, nothing decoded. */
  ref(key: string): ObjectRef<T> | undefined {
    const slot = this.#indexer.find(key);
    return slot === -1 ? undefined : this.#refOf(slot);
  }

  /** All objects, or those of one namespace, in no order. Decodes each: `refs` does not. */
  list(options: { namespace?: string } = {}): T[] {
    return this.refs(options).map((ref) => ref.object);
  }

  refs(options: { namespace?: string } = {}): ObjectRef<T>[] {
    if (options.namespace !== undefined) return this.refsByIndex(NAMESPACE_INDEX, options.namespace);
    const refs: ObjectRef<T>[] = [];
    for (let slot = this.#indexer.nextSlot(-1); slot !== -1; slot = this.#indexer.nextSlot(slot)) {
      refs.push(this.#refOf(slot));
    }
    return refs;
  }

  /** All keys, in no order. */
  keys(): string[] {
    const keys: string[] = [];
    for (let slot = this.#indexer.nextSlot(-1); slot !== -1; slot = this.#indexer.nextSlot(slot)) {
      keys.push(this.#indexer.keyOf(slot));
    }
    return keys;
  }

  /**
   * The objects that have a value in an index, in no order.
   *
   * @throws UnknownFieldError when the informer has no such index
   */
  byIndex(index: string, value: string): T[] {
    return this.refsByIndex(index, value).map((ref) => ref.object);
  }

  /** As {@link byIndex}, nothing decoded. */
  refsByIndex(index: string, value: string): ObjectRef<T>[] {
    const refs: ObjectRef<T>[] = [];
    this.#indexer.byIndex(index, value, (slot) => refs.push(this.#refOf(slot)));
    return refs;
  }

  /**
   * The keys of the objects that have a value in an index, sorted.
   *
   * @throws UnknownFieldError when the informer has no such index
   */
  indexKeys(index: string, value: string): string[] {
    return this.#indexer.indexKeys(index, value);
  }

  /**
   * All values of an index that any object has, in no order.
   *
   * @throws UnknownFieldError when the informer has no such index
   */
  indexValues(index: string): string[] {
    return this.#indexer.indexValues(index);
  }

  #refOf(slot: number): ObjectRef<T> {
    return new ObjectRef<T>(this.#context, blockRefOf(this.#indexer, slot));
  }
}

/** Names the block that a slot has now. */
export function blockRefOf(indexer: Indexer, slot: number): BlockRef {
  return new BlockRef(
    indexer.segmentOf(slot),
    indexer.offset8Of(slot),
    indexer.lengthOf(slot),
    indexer.stampOf(slot),
    indexer.hashLoOf(slot),
    indexer.hashHiOf(slot),
  );
}
