/** What reads of a cache need of a store: the Indexer on its own thread, or a reader on another one. */
import type { BlockRef } from './block-ref.ts';
import type { Conditions } from './matches.ts';
import type { CachedObject } from './object-cache.ts';

export interface SourcePageOptions {
  /** Only keys behind this one. */
  readonly after: string | undefined;
  /** Most objects. */
  readonly limit: number;
  /** Asked last, because it may be slow. */
  readonly isWanted: (ref: BlockRef) => boolean;
}

export interface SourcePage {
  /** In the order of their keys. */
  readonly refs: readonly BlockRef[];
  /** There are more behind them. */
  readonly hasMore: boolean;
}

export interface ObjectSource {
  /** How many objects there are. */
  readonly size: number;
  /** Up to this version everything is visible here. */
  readonly resourceVersion: string;
  /**
   * The current block of the object with this key.
   *
   * @throws KeyError when no object can have such a key
   */
  find(key: string): BlockRef | undefined;
  /** Slot address of the object that the last `find` or `read` gave a block of. */
  readonly foundSlot: number;
  /** Whether what a key found once is still what it finds, where `isUntouched` does not know. When it is, that does. */
  isCurrent(cached: CachedObject): boolean;
  /**
   * Index values that objects have to have, for the methods below. Without any: all objects.
   *
   * @throws UnknownFieldError when there is no such index
   * @throws IndexNotReadyError when an index does not have all objects yet
   */
  conditions(values: Readonly<Record<string, string>>): Conditions;
  /** Visits the objects that meet conditions, in no order. */
  visit(conditions: Conditions, visit: (ref: BlockRef) => void): void;
  /** As `visit`, one by one; the store may change between two of them. */
  iterate(conditions: Conditions): Iterable<BlockRef>;
  count(conditions: Conditions): number;
  page(conditions: Conditions, options: SourcePageOptions): SourcePage;
  /** All values of an index that any object has, in no order. Throws as `conditions`. */
  valuesOf(name: string): string[];
  /**
   * Reads of a block that was found by conditions. Where the store changes meanwhile and the block was replaced, reads
   * of the one that its object has now.
   *
   * @returns undefined when the object has gone, or does not meet the conditions any more
   */
  read<R>(found: BlockRef, conditions: Conditions, read: (ref: BlockRef) => R): R | undefined;
}
