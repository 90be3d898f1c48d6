import type { BlockRef } from './block-ref.ts';
import type { Indexer } from './indexer.ts';
import type { Conditions } from './matches.ts';
import type { CachedObject } from './object-cache.ts';
import type { ObjectSource, SourcePage, SourcePageOptions } from './source.ts';

/** Reads the Indexer on its own thread, where nothing changes during a call. */
export class IndexerSource implements ObjectSource {
  foundSlot = -1;
  readonly #indexer: Indexer;

  constructor(indexer: Indexer) {
    this.#indexer = indexer;
  }

  get size(): number {
    return this.#indexer.size;
  }

  get resourceVersion(): string {
    return this.#indexer.resourceVersion;
  }

  find(key: string): BlockRef | undefined {
    const slot = this.#indexer.find(key);
    this.foundSlot = slot;
    return slot === -1 ? undefined : this.#indexer.refOf(slot);
  }

  isCurrent(cached: CachedObject): boolean {
    return this.#indexer.isCurrent(cached);
  }

  conditions(values: Readonly<Record<string, string>>): Conditions {
    return this.#indexer.indexes.conditions(values);
  }

  visit(conditions: Conditions, visit: (ref: BlockRef) => void): void {
    this.#indexer.indexes.visit(conditions, (slot) => visit(this.#indexer.refOf(slot)));
  }

  *iterate(conditions: Conditions): Generator<BlockRef, void> {
    for (const slot of this.#indexer.indexes.iterate(conditions)) yield this.#indexer.refOf(slot);
  }

  count(conditions: Conditions): number {
    return this.#indexer.indexes.count(conditions);
  }

  page(conditions: Conditions, { after, limit, isWanted }: SourcePageOptions): SourcePage {
    const indexer = this.#indexer;
    const { slots, hasMore } = indexer.indexes.page(conditions, {
      after,
      limit,
      isWanted: (slot) => isWanted(indexer.refOf(slot)),
    });
    return { refs: slots.map((slot) => indexer.refOf(slot)), hasMore };
  }

  valuesOf(name: string): string[] {
    return this.#indexer.indexes.valuesOf(name);
  }

  read<R>(found: BlockRef, _conditions: Conditions, read: (ref: BlockRef) => R): R {
    return read(found);
  }
}
