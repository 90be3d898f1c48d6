/** The indexes of an Indexer: which there are, and which objects have a value in them. */
import type { HashSeed } from '../layout/key-hash.ts';
import { SLOT_BITS, SLOT_MASK } from '../layout/shard.ts';
import { blockKey } from './block.ts';
import type { IndexDefinition, IndexSet } from './index-set.ts';
import { type Page, type PageOptions, pageOf } from './key-order.ts';
import { type Conditions, conditionOf, countMatches, iterateMatches, visitMatches } from './matches.ts';
import type { Shard } from './shard.ts';

/** Only the home thread may call its methods. Objects are named by slot addresses, as in the Indexer. */
export class Indexes {
  readonly #shards: readonly Shard[];
  readonly #set: IndexSet;
  readonly #seed: HashSeed;
  /** Slot address from which on objects still have to be indexed anew; -1 when none has. */
  #cursor = -1;

  constructor(shards: readonly Shard[], set: IndexSet, seed: HashSeed) {
    this.#shards = shards;
    this.#set = set;
    this.#seed = seed;
  }

  has(name: string): boolean {
    return this.#set.has(name);
  }

  /** Names of indexes that have all objects, with their ids in postings. */
  get ready(): [name: string, id: number][] {
    return this.#set.ready;
  }

  /** Names of indexes that don't have all objects yet. */
  get unready(): string[] {
    return this.#set.unready;
  }

  /**
   * Adds an index. When there are objects, call `reindex` until it is done; before, nobody can ask this index.
   *
   * @throws DuplicateIndexError when there is an index of this name
   */
  add(index: IndexDefinition): void {
    const isEmpty = this.#shards.every((shard) => shard.live === 0);
    this.#set.add(index, isEmpty);
    for (const shard of this.#shards) shard.openIndex();
    if (!isEmpty) this.#cursor = 0;
  }

  /**
   * Removes an index. Call `reindex` until it is done, to give the memory back.
   *
   * @throws UnknownFieldError when there is no such index
   */
  remove(name: string): void {
    this.#set.remove(name);
    this.#cursor = 0;
  }

  /**
   * Goes on to bring objects into the indexes that there are now, and out of those that are gone. Between slices the
   * Indexer may change.
   *
   * @param limit - how many slots this slice looks at
   * @returns false when nothing is left to do
   * @throws IndexerFullError when an index is at a limit: remove it
   */
  reindex(limit: number): boolean {
    if (this.#cursor === -1) return false;
    const { computed } = this.#set;
    let left = limit;
    let shardIndex = this.#cursor >>> SLOT_BITS;
    let slot = this.#cursor & SLOT_MASK;
    for (; shardIndex < this.#shards.length; shardIndex++, slot = 0) {
      const shard = this.#shards[shardIndex]!;
      for (; slot < shard.slots.end; slot++) {
        this.#cursor = (shardIndex << SLOT_BITS) | slot;
        if (left-- <= 0) return true;
        if (!shard.isLive(slot)) continue;
        if (!computed.isEmpty) computed.take(shard.refOf(slot));
        shard.reindex(slot);
      }
    }
    this.#cursor = -1;
    this.#set.markReady();
    return false;
  }

  /**
   * Index values that objects have to have, for the methods below. Without any: all objects.
   *
   * @throws UnknownFieldError when there is no such index
   * @throws IndexNotReadyError when an index does not have all objects yet
   */
  conditions(values: Readonly<Record<string, string>>): Conditions {
    const conditions = Object.entries(values).map(([name, value]) =>
      conditionOf(this.#set.idOf(name), value, this.#seed),
    );
    return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
  }

  /** Visits the objects that meet conditions, in no order. `visit` must not change the Indexer. */
  visit(conditions: Conditions, visit: (slot: number) => void): void {
    visitMatches(this.#shards, conditions, visit);
  }

  /** As `visit`, one by one; the Indexer may change between two of them. */
  iterate(conditions: Conditions): Generator<number, void> {
    return iterateMatches(this.#shards, conditions);
  }

  /** How many objects meet conditions. */
  count(conditions: Conditions): number {
    return countMatches(this.#shards, conditions);
  }

  /** The objects that meet conditions and come first in the order of their keys. */
  page(conditions: Conditions, options: PageOptions): Page {
    return pageOf(this.#shards, conditions, options);
  }

  /**
   * The keys of the objects that have a value in an index, sorted.
   *
   * @throws UnknownFieldError, IndexNotReadyError as `conditions`
   */
  keysOf(name: string, value: string): string[] {
    const keys: string[] = [];
    this.visit(this.conditions({ [name]: value }), (slot) => keys.push(this.#keyOf(slot)));
    return keys.sort();
  }

  /**
   * All values of an index that any object has, in no order.
   *
   * @throws UnknownFieldError, IndexNotReadyError as `conditions`
   */
  valuesOf(name: string): string[] {
    const indexId = this.#set.idOf(name);
    const values = new Set<string>();
    for (const shard of this.#shards) shard.postings?.collectValues(indexId, values);
    return [...values];
  }

  #keyOf(slot: number): string {
    const shard = this.#shards[slot >>> SLOT_BITS]!;
    return blockKey(shard.segmentOf(slot & SLOT_MASK), shard.blockOf(slot & SLOT_MASK));
  }
}
