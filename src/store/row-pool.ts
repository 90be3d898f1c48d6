/** Rows of a fixed size in growable shared memory, with a free list through the free ones. */
import { GrowableWords } from './growable-words.ts';
import { IndexerFullError } from './indexer-full-error.ts';

export interface RowPoolOptions {
  readonly rowWords: number;
  /** Word of a free row that holds the next free row + 1. */
  readonly nextFreeWord: number;
  readonly initialRows: number;
  readonly maxRows: number;
  /** What a row is, for the error at the limit. */
  readonly what: string;
}

/** Only the home thread may call its methods. */
export class RowPool {
  readonly #memory: GrowableWords;
  readonly #rowWords: number;
  readonly #nextFreeWord: number;
  readonly #maxRows: number;
  readonly #what: string;
  #freePlus1 = 0;
  #freeCount = 0;
  #end = 0;

  constructor(options: RowPoolOptions) {
    const { rowWords, initialRows, maxRows, what } = options;
    this.#memory = new GrowableWords(initialRows * rowWords, maxRows * rowWords, what);
    this.#rowWords = rowWords;
    this.#nextFreeWord = options.nextFreeWord;
    this.#maxRows = maxRows;
    this.#what = what;
  }

  /** Row r starts at word r * rowWords. The array is another one after `reserve`. */
  get words(): Int32Array {
    return this.#memory.words;
  }

  get memory(): SharedArrayBuffer {
    return this.#memory.memory;
  }

  /** Rows that were ever used. */
  get end(): number {
    return this.#end;
  }

  /**
   * Makes sure that the next `count` calls of `take` find a row.
   *
   * @throws IndexerFullError when that is over the limit
   */
  reserve(count: number): void {
    const fresh = count - this.#freeCount;
    if (fresh <= 0) return;
    if (this.#end + fresh > this.#maxRows) throw new IndexerFullError(this.#what, this.#maxRows);
    this.#memory.ensure((this.#end + fresh) * this.#rowWords);
  }

  /** A row that was reserved; its words hold what its former use left. */
  take(): number {
    if (this.#freePlus1 === 0) return this.#end++;
    const row = this.#freePlus1 - 1;
    this.#freePlus1 = this.words[row * this.#rowWords + this.#nextFreeWord]!;
    this.#freeCount--;
    return row;
  }

  give(row: number): void {
    this.words[row * this.#rowWords + this.#nextFreeWord] = this.#freePlus1;
    this.#freePlus1 = row + 1;
    this.#freeCount++;
  }
}
