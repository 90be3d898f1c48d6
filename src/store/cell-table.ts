/** A hash table that finds row numbers by the lower half of a hash; the layout is in layout/cell-table.ts. */
import {
  CELL_HASH,
  CELL_ROW_PLUS_1,
  CELL_WORDS,
  CELLS_PER_LOAD,
  ROWS_PER_LOAD,
} from '../layout/cell-table.ts';
import { GrowableWords } from './growable-words.ts';

const INITIAL_CELLS = 16;

/**
 * Different rows may have the same hash, so a search is a loop over candidates:
 * `for (let cell = table.first(hash); cell !== -1; cell = table.next(cell, hash))`.
 * Hashes are signed words. Only the home thread may call the methods.
 */
export class CellTable {
  readonly #memory: GrowableWords;
  #mask = INITIAL_CELLS - 1;
  #count = 0;

  /** @param maxRows - a power of two */
  constructor(maxRows: number, what: string) {
    this.#memory = new GrowableWords(INITIAL_CELLS * CELL_WORDS, 2 * maxRows * CELL_WORDS, what);
  }

  get memory(): SharedArrayBuffer {
    return this.#memory.memory;
  }

  get cells(): number {
    return this.#mask + 1;
  }

  /** The first cell with this hash, or -1. */
  first(hash: number): number {
    return this.#seek(hash, hash & this.#mask);
  }

  /** The next cell with this hash behind `cell`, or -1. */
  next(cell: number, hash: number): number {
    return this.#seek(hash, (cell + 1) & this.#mask);
  }

  rowAt(cell: number): number {
    return this.#memory.words[cell * CELL_WORDS + CELL_ROW_PLUS_1]! - 1;
  }

  /** The cell that holds this very row; it has to be in the table. */
  cellOf(hash: number, row: number): number {
    let cell = this.first(hash);
    while (this.rowAt(cell) !== row) cell = this.next(cell, hash);
    return cell;
  }

  /**
   * Makes sure that there is memory for `count` more rows. Changes nothing that readers see.
   *
   * @throws IndexerFullError when that is over the limit
   */
  reserve(count: number): void {
    this.#memory.ensure(this.#cellsFor(count) * CELL_WORDS);
  }

  /** Spreads the rows over the memory that `reserve` made, when `count` more would be too dense as it is. */
  grow(count: number): void {
    const cells = this.#cellsFor(count);
    if (cells > this.cells) this.#spread(cells);
  }

  /** After `grow`, inside the version window. */
  insert(hash: number, row: number): void {
    const words = this.#memory.words;
    let cell = hash & this.#mask;
    while (words[cell * CELL_WORDS + CELL_ROW_PLUS_1] !== 0) cell = (cell + 1) & this.#mask;
    words[cell * CELL_WORDS + CELL_HASH] = hash;
    words[cell * CELL_WORDS + CELL_ROW_PLUS_1] = row + 1;
    this.#count++;
  }

  removeAt(cell: number): void {
    const words = this.#memory.words;
    const mask = this.#mask;
    let hole = cell;
    for (let at = (cell + 1) & mask; words[at * CELL_WORDS + CELL_ROW_PLUS_1] !== 0; at = (at + 1) & mask) {
      const home = words[at * CELL_WORDS + CELL_HASH]! & mask;
      // A cell may move back into the hole unless its probe starts behind the hole.
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      words[hole * CELL_WORDS + CELL_HASH] = words[at * CELL_WORDS + CELL_HASH]!;
      words[hole * CELL_WORDS + CELL_ROW_PLUS_1] = words[at * CELL_WORDS + CELL_ROW_PLUS_1]!;
      hole = at;
    }
    words[hole * CELL_WORDS + CELL_ROW_PLUS_1] = 0;
    this.#count--;
  }

  #seek(hash: number, from: number): number {
    const words = this.#memory.words;
    const mask = this.#mask;
    for (let cell = from; ; cell = (cell + 1) & mask) {
      const word = cell * CELL_WORDS;
      if (words[word + CELL_ROW_PLUS_1] === 0) return -1;
      if (words[word + CELL_HASH] === hash) return cell;
    }
  }

  #cellsFor(more: number): number {
    const rows = this.#count + more;
    let cells = this.cells;
    while (rows * CELLS_PER_LOAD > cells * ROWS_PER_LOAD) cells *= 2;
    return cells;
  }

  #spread(cells: number): void {
    const before = this.#memory.words.slice(0, this.cells * CELL_WORDS);
    this.#memory.words.fill(0, 0, before.length);
    this.#mask = cells - 1;
    this.#count = 0;
    for (let word = 0; word < before.length; word += CELL_WORDS) {
      const rowPlus1 = before[word + CELL_ROW_PLUS_1]!;
      if (rowPlus1 !== 0) this.insert(before[word + CELL_HASH]!, rowPlus1 - 1);
    }
  }
}
