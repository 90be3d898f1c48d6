/**
 * Values of indexes that don't lie in blocks: of indexes that were added later, and of functions of users. They are
 * computed on the home thread when an object is put in, before anything of the Indexer changes: what a function throws
 * can't leave it half changed.
 */
import { MAX_FIELD_IDS } from '../layout/block.ts';
import type { BlockRef } from './block-ref.ts';
import { unitsOf } from './value-heap.ts';

/** Gives the values of an object; each counts once. When it throws, the object has none. */
export type ValuesOf = (ref: BlockRef) => readonly string[];

/** Called each time when values of an object could not be computed. */
export type OnIndexError = (index: string, ref: BlockRef, error: unknown) => void;

interface Computed {
  readonly id: number;
  readonly name: string;
  readonly valuesOf: ValuesOf;
}

const INITIAL_BYTES = 1024;

/** Most bytes of UTF-8 for one UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

export class ComputedValues {
  /** How many values the object has that was taken last, each with the id of its index. */
  count = 0;
  readonly ids: number[] = [];
  readonly begins: number[] = [];
  readonly lengths: number[] = [];
  bytes = Buffer.from(new ArrayBuffer(INITIAL_BYTES));
  /** What copies of these values take, in units of the value heap. */
  units = 0;

  readonly #onError: OnIndexError;
  #indexes: readonly Computed[] = [];
  #end = 0;
  /** Ids of fields in blocks are below. */
  #nextId = MAX_FIELD_IDS;

  constructor(onError: OnIndexError) {
    this.#onError = onError;
  }

  /** True when no index is computed: then nothing has to be taken. */
  get isEmpty(): boolean {
    return this.#indexes.length === 0;
  }

  /** Adds an index, and returns its id, which no index had before. */
  add(name: string, valuesOf: ValuesOf): number {
    const id = this.#nextId++;
    this.#indexes = [...this.#indexes, { id, name, valuesOf }];
    return id;
  }

  remove(id: number): void {
    this.#indexes = this.#indexes.filter((index) => index.id !== id);
    this.#clear();
  }

  /** Computes the values of a block's object. */
  take(ref: BlockRef): void {
    this.#clear();
    for (const { id, name, valuesOf } of this.#indexes) {
      try {
        for (const value of valuesOf(ref)) this.#put(id, value);
      } catch (error) {
        this.#removeOf(id);
        this.#onError(name, ref, error);
      }
    }
  }

  #clear(): void {
    this.count = 0;
    this.units = 0;
    this.#end = 0;
  }

  #put(id: number, value: string): void {
    const mostBytes = value.length * BYTES_PER_UNIT;
    if (this.#end + mostBytes > this.bytes.length) this.#grow(this.#end + mostBytes);
    const length = this.bytes.write(value, this.#end);
    this.ids[this.count] = id;
    this.begins[this.count] = this.#end;
    this.lengths[this.count] = length;
    this.count++;
    this.units += unitsOf(length);
    this.#end += length;
  }

  /** Forgets the values of the index whose function threw in the middle of them. */
  #removeOf(id: number): void {
    while (this.count > 0 && this.ids[this.count - 1] === id) {
      this.count--;
      this.units -= unitsOf(this.lengths[this.count]!);
      this.#end = this.begins[this.count]!;
    }
  }

  #grow(bytes: number): void {
    const before = this.bytes;
    this.bytes = Buffer.from(new ArrayBuffer(2 * bytes));
    before.copy(this.bytes);
  }
}
