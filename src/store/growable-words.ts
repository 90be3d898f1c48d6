/**
 * Words in a growable SharedArrayBuffer. It is reserved at its limit, which costs addresses but no memory,
 * so it never moves and other threads see growth at once.
 */
import { IndexerFullError } from './indexer-full-error.ts';

/** Only the home thread may call its methods. */
export class GrowableWords {
  readonly memory: SharedArrayBuffer;
  /** Of a fixed length, re-made on growth: a view that tracks the length is many times slower. */
  words: Int32Array;
  readonly #limitWords: number;
  readonly #what: string;

  /** @param what - what the words hold, for the error at the limit */
  constructor(initialWords: number, limitWords: number, what: string) {
    this.memory = new SharedArrayBuffer(initialWords * 4, { maxByteLength: limitWords * 4 });
    this.words = new Int32Array(this.memory, 0, initialWords);
    this.#limitWords = limitWords;
    this.#what = what;
  }

  /**
   * Makes sure that there are at least `count` words. Doubling costs no more memory than it must: pages that
   * nobody wrote to are not there.
   *
   * @throws IndexerFullError when that is over the limit
   */
  ensure(count: number): void {
    if (count <= this.words.length) return;
    if (count > this.#limitWords) throw new IndexerFullError(`words of ${this.#what}`, this.#limitWords);
    let length = this.words.length;
    while (length < count) length *= 2;
    length = Math.min(length, this.#limitWords);
    try {
      this.memory.grow(length * 4);
    } catch (cause) {
      throw new IndexerFullError(`words of ${this.#what}`, this.words.length, { cause });
    }
    this.words = new Int32Array(this.memory, 0, length);
  }
}
