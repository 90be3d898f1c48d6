/** Which indexes an Indexer has, and where the values of each come from. */
import { MAX_FIELD_IDS } from '../layout/block.ts';
import { ComputedValues, type OnIndexError, type ValuesOf } from './computed-values.ts';
import { DuplicateIndexError, IndexNotReadyError } from './index-errors.ts';
import type { IndexedFields } from './index-values.ts';
import { checkFieldId, UnknownFieldError } from './named-fields.ts';

/** An index whose values are a field of the blocks, or are computed on the home thread. */
export type IndexDefinition =
  | { readonly name: string; readonly fieldId: number }
  | { readonly name: string; readonly valuesOf: ValuesOf };

interface NamedIndex {
  /** As postings have it: the field id, or the id of computed values. */
  readonly id: number;
  /** It has all objects. */
  isReady: boolean;
}

export class IndexSet {
  readonly fields: IndexedFields = new Uint8Array(MAX_FIELD_IDS);
  readonly computed: ComputedValues;
  readonly #indexes = new Map<string, NamedIndex>();

  constructor(onError: OnIndexError) {
    this.computed = new ComputedValues(onError);
  }

  get size(): number {
    return this.#indexes.size;
  }

  has(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Names of indexes that have all objects, with their ids in postings. */
  get ready(): [name: string, id: number][] {
    return [...this.#indexes].filter(([, { isReady }]) => isReady).map(([name, { id }]) => [name, id]);
  }

  /** Names of indexes that don't have all objects yet. */
  get unready(): string[] {
    return [...this.#indexes].filter(([, index]) => !index.isReady).map(([name]) => name);
  }

  /**
   * @param isReady - false when there are objects, which it does not have
   * @throws DuplicateIndexError when there is an index of this name
   * @throws RangeError when a field id is not one
   */
  add(index: IndexDefinition, isReady: boolean): void {
    const { name } = index;
    if (this.#indexes.has(name)) throw new DuplicateIndexError(name);
    if ('fieldId' in index) {
      checkFieldId(index);
      this.fields[index.fieldId] = 1;
      this.#indexes.set(name, { id: index.fieldId, isReady });
    } else {
      this.#indexes.set(name, { id: this.computed.add(name, index.valuesOf), isReady });
    }
  }

  /** @throws UnknownFieldError when there is no such index */
  remove(name: string): void {
    const { id } = this.#get(name);
    this.#indexes.delete(name);
    if (id >= MAX_FIELD_IDS) this.computed.remove(id);
    else if (![...this.#indexes.values()].some((other) => other.id === id)) this.fields[id] = 0;
  }

  /** All indexes have all objects now. */
  markReady(): void {
    for (const index of this.#indexes.values()) index.isReady = true;
  }

  /**
   * The id of an index, as postings have it.
   *
   * @throws UnknownFieldError when there is no such index
   * @throws IndexNotReadyError when it does not have all objects yet
   */
  idOf(name: string): number {
    const index = this.#get(name);
    if (!index.isReady) throw new IndexNotReadyError(name);
    return index.id;
  }

  #get(name: string): NamedIndex {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new UnknownFieldError('index', name, [...this.#indexes.keys()]);
    return index;
  }
}
