import { CELL_WORDS } from '../../layout/cell-table.ts';
import {
  SHARD_ENTRY_WORDS_WORD,
  SHARD_POSTING_CELLS_WORD,
  SHARD_POSTING_WORDS_WORD,
  SHARD_SLOT_CELLS_WORD,
  SHARD_SLOT_WORDS_WORD,
  SHARD_VALUE_BYTES_WORD,
} from '../../layout/shard.ts';

/** The memory of one shard, as it travels to other threads. */
export interface ShardMemory {
  readonly control: SharedArrayBuffer;
  readonly cells: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  /** Absent while the store has no index. */
  readonly index: IndexMemory | undefined;
}

export interface IndexMemory {
  readonly cells: SharedArrayBuffer;
  readonly postings: SharedArrayBuffer;
  readonly entries: SharedArrayBuffer;
  readonly values: SharedArrayBuffer;
}

/** Not the number of a row. */
export const NONE = -1;

const NOTHING: Int32Array = new Int32Array(0);

/** Views of a shard's memory, of fixed lengths: what tracks the length of growing memory is many times slower. */
export class ShardViews {
  readonly control: Int32Array;
  slotCells: Int32Array = NOTHING;
  slots: Int32Array = NOTHING;
  postingCells: Int32Array = NOTHING;
  postings: Int32Array = NOTHING;
  entries: Int32Array = NOTHING;
  values: Buffer = Buffer.alloc(0);
  #memory: ShardMemory;

  constructor(memory: ShardMemory) {
    this.#memory = memory;
    this.control = new Int32Array(memory.control);
  }

  get hasIndex(): boolean {
    return this.#memory.index !== undefined;
  }

  /** The shard has got an index meanwhile. */
  replace(memory: ShardMemory): void {
    this.#memory = memory;
  }

  /**
   * Makes views of what has grown. The lengths in the control area may be of another version than the rest until the
   * read is checked; they never say more than there is memory.
   */
  refresh(): void {
    const { control } = this;
    const { cells, slots, index } = this.#memory;
    if (control[SHARD_SLOT_CELLS_WORD]! * CELL_WORDS > this.slotCells.length) this.slotCells = wordsOf(cells);
    if (control[SHARD_SLOT_WORDS_WORD]! > this.slots.length) this.slots = wordsOf(slots);
    if (index !== undefined) this.#refreshIndex(index);
  }

  #refreshIndex(index: IndexMemory): void {
    const { control } = this;
    if (control[SHARD_POSTING_CELLS_WORD]! * CELL_WORDS > this.postingCells.length) {
      this.postingCells = wordsOf(index.cells);
    }
    if (control[SHARD_POSTING_WORDS_WORD]! > this.postings.length) this.postings = wordsOf(index.postings);
    if (control[SHARD_ENTRY_WORDS_WORD]! > this.entries.length) this.entries = wordsOf(index.entries);
    if (control[SHARD_VALUE_BYTES_WORD]! > this.values.length) {
      this.values = Buffer.from(index.values, 0, index.values.byteLength);
    }
  }
}

function wordsOf(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, 0, memory.byteLength >>> 2);
}

/** Cells of a table that can be looked at: a power of two, or 0. A length that is ahead of the view is another version's. */
export function usableCells(cells: Int32Array, said: number): number {
  return said * CELL_WORDS <= cells.length ? said : 0;
}
