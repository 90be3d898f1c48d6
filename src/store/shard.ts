/**
 * A part of the Indexer: its own hash table, slots, index and version word (see layout/shard.ts). Whatever
 * changes for readers changes between an odd and an even version, so they see all of it or nothing.
 */
import type { HashSeed } from '../layout/key-hash.ts';
import {
  MAX_SHARD_SLOTS,
  SHARD_CONTROL_BYTES,
  SHARD_ENTRY_WORDS_WORD,
  SHARD_LIVE_WORD,
  SHARD_PLEASE_WAIT_WORD,
  SHARD_POSTING_CELLS_WORD,
  SHARD_POSTING_WORDS_WORD,
  SHARD_SLOT_CELLS_WORD,
  SHARD_SLOT_END_WORD,
  SHARD_SLOT_WORDS_WORD,
  SHARD_VALUE_BYTES_WORD,
  SHARD_VERSION_WORD,
} from '../layout/shard.ts';
import {
  SLOT_ENTRY_PLUS_1,
  SLOT_HASH_HI,
  SLOT_HASH_LO,
  SLOT_LENGTH_BYTES,
  SLOT_OFFSET8,
  SLOT_SEGMENT,
  SLOT_STAMP,
  SLOT_SWEEP,
  SLOT_WORDS,
} from '../layout/slot.ts';
import { hasKey, sameKey } from './block.ts';
import { BlockRef } from './block-ref.ts';
import { CellTable } from './cell-table.ts';
import type { ComputedValues } from './computed-values.ts';
import { fence } from './fence.ts';
import type { IndexSet } from './index-set.ts';
import { sameIndexValues } from './index-values.ts';
import { letReadersThrough } from './please-wait.ts';
import { Postings } from './postings.ts';
import type { ShardMemory } from './reader/shard-memory.ts';
import { RowPool } from './row-pool.ts';
import type { Segment, SegmentTable } from './segments.ts';
import type { WantedKey } from './wanted-key.ts';

const INITIAL_SLOTS = 8;

export interface ShardOptions {
  readonly segments: SegmentTable;
  readonly seed: HashSeed;
  /** While there are none, no memory is kept for them. */
  readonly indexes: IndexSet;
}

/** Only the home thread may call its methods. Hashes are signed words here, as they lie in the slots. */
export class Shard {
  readonly control = new Int32Array(new SharedArrayBuffer(SHARD_CONTROL_BYTES));
  readonly cells = new CellTable(MAX_SHARD_SLOTS, 'cells of slots');
  readonly slots = new RowPool({
    rowWords: SLOT_WORDS,
    nextFreeWord: SLOT_HASH_LO,
    initialRows: INITIAL_SLOTS,
    maxRows: MAX_SHARD_SLOTS,
    what: 'objects',
  });
  postings: Postings | undefined;
  /** Bytes of the blocks of all objects. */
  blockBytes = 0;
  readonly #segments: SegmentTable;
  readonly #seed: HashSeed;
  readonly #indexes: IndexSet;
  readonly #computed: ComputedValues;

  constructor({ segments, seed, indexes }: ShardOptions) {
    this.#segments = segments;
    this.#seed = seed;
    this.#indexes = indexes;
    this.#computed = indexes.computed;
    if (indexes.size > 0) this.openIndex();
    this.#writeLengths();
  }

  /** Makes memory for an index, unless there is some. */
  openIndex(): void {
    this.postings ??= new Postings(this.slots, this.#indexes.fields, this.#computed, this.#seed);
  }

  get live(): number {
    return this.control[SHARD_LIVE_WORD]!;
  }

  /** For readers on other threads. */
  get memory(): ShardMemory {
    return {
      control: this.control.buffer,
      cells: this.cells.memory,
      slots: this.slots.memory,
      index: this.postings?.memory,
    };
  }

  /** Shared memory of the index. */
  get indexBytes(): number {
    return this.postings?.memoryBytes ?? 0;
  }

  /** Shared memory of all but the blocks. */
  get memoryBytes(): number {
    return (
      this.control.byteLength +
      this.cells.memory.byteLength +
      this.slots.memory.byteLength +
      (this.postings?.memoryBytes ?? 0)
    );
  }

  /** The slot of the object whose key is the same as in this block, or -1. */
  findBlock(hashLo: number, hashHi: number, segment: Segment, block: number): number {
    for (let cell = this.cells.first(hashLo); cell !== -1; cell = this.cells.next(cell, hashLo)) {
      const slot = this.cells.rowAt(cell);
      if (this.slots.words[slot * SLOT_WORDS + SLOT_HASH_HI] !== hashHi) continue;
      if (sameKey(this.segmentOf(slot), this.blockOf(slot), segment, block)) return slot;
    }
    return -1;
  }

  /** The slot of the object with this key, or -1. */
  findKey(hashLo: number, hashHi: number, key: WantedKey): number {
    for (let cell = this.cells.first(hashLo); cell !== -1; cell = this.cells.next(cell, hashLo)) {
      const slot = this.cells.rowAt(cell);
      if (this.slots.words[slot * SLOT_WORDS + SLOT_HASH_HI] !== hashHi) continue;
      if (hasKey(this.segmentOf(slot), this.blockOf(slot), key.words, key.bytes, key.length)) return slot;
    }
    return -1;
  }

  segmentOf(slot: number): Segment {
    return this.#segments.get(this.slots.words[slot * SLOT_WORDS + SLOT_SEGMENT]!);
  }

  /** Names the object's block. */
  refOf(slot: number): BlockRef {
    const words = this.slots.words;
    const row = slot * SLOT_WORDS;
    return new BlockRef(
      words[row + SLOT_SEGMENT]!,
      words[row + SLOT_OFFSET8]! >>> 0,
      words[row + SLOT_LENGTH_BYTES]!,
      words[row + SLOT_STAMP]!,
      words[row + SLOT_HASH_LO]!,
      words[row + SLOT_HASH_HI]!,
    );
  }

  /** First byte of the object's block in its segment. */
  blockOf(slot: number): number {
    return (this.slots.words[slot * SLOT_WORDS + SLOT_OFFSET8]! >>> 0) * 8;
  }

  /**
   * Puts in an object that is not there, with the index values of its block and those that were computed for it.
   * Returns its slot.
   *
   * @throws IndexerFullError when a limit is reached; nothing has changed then
   */
  add(
    hashLo: number,
    hashHi: number,
    segment: Segment,
    offset8: number,
    lengthBytes: number,
    stamp: number,
    sweep: number,
  ): number {
    this.slots.reserve(1);
    this.cells.reserve(1);
    this.postings?.reserve(segment, offset8 * 8);
    this.#open();
    const slot = this.slots.take();
    const words = this.slots.words;
    const row = slot * SLOT_WORDS;
    words[row + SLOT_HASH_LO] = hashLo;
    words[row + SLOT_HASH_HI] = hashHi;
    words[row + SLOT_ENTRY_PLUS_1] = 0;
    this.#place(row, segment.id, offset8, lengthBytes, stamp);
    words[row + SLOT_SWEEP] = sweep;
    this.cells.grow(1);
    this.cells.insert(hashLo, slot);
    this.postings?.set(slot, segment, offset8 * 8);
    this.control[SHARD_LIVE_WORD]!++;
    this.#writeLengths();
    this.#close();
    return slot;
  }

  /**
   * Puts another block of the same object in place.
   *
   * @throws IndexerFullError when a limit of the index is reached; nothing has changed then
   */
  replace(
    slot: number,
    segment: Segment,
    offset8: number,
    lengthBytes: number,
    stamp: number,
    sweep: number,
  ): void {
    const row = slot * SLOT_WORDS;
    const postings = this.#changesIndex(slot, segment, offset8 * 8) ? this.postings : undefined;
    postings?.reserve(segment, offset8 * 8);
    this.#open();
    this.#place(row, segment.id, offset8, lengthBytes, stamp);
    if (postings !== undefined) {
      postings.set(slot, segment, offset8 * 8);
      this.#writeLengths();
    }
    this.#close();
    this.slots.words[row + SLOT_SWEEP] = sweep;
  }

  /** Puts a copy of the object's block in its place: the index has the same values. */
  move(slot: number, segment: number, offset8: number, lengthBytes: number, stamp: number): void {
    this.#open();
    this.#place(slot * SLOT_WORDS, segment, offset8, lengthBytes, stamp);
    this.#close();
  }

  /**
   * Gives an object the values of the indexes that there are now.
   *
   * @throws IndexerFullError when a limit of the index is reached; nothing has changed then
   */
  reindex(slot: number): void {
    const postings = this.postings!;
    const segment = this.segmentOf(slot);
    const block = this.blockOf(slot);
    postings.reserve(segment, block);
    this.#open();
    postings.set(slot, segment, block);
    this.#writeLengths();
    this.#close();
  }

  /** Takes an object out of the shard; its slot is free afterwards. */
  remove(slot: number): void {
    const row = slot * SLOT_WORDS;
    const words = this.slots.words;
    this.#open();
    this.postings?.drop(slot);
    this.cells.removeAt(this.cells.cellOf(words[row + SLOT_HASH_LO]!, slot));
    this.blockBytes -= words[row + SLOT_LENGTH_BYTES]!;
    words[row + SLOT_LENGTH_BYTES] = 0;
    this.slots.give(slot);
    this.control[SHARD_LIVE_WORD]!--;
    this.#close();
  }

  /** The first object in a slot from `slot` on, or -1. */
  nextLive(slot: number): number {
    const words = this.slots.words;
    const end = this.slots.end;
    for (let next = slot; next < end; next++) {
      if (words[next * SLOT_WORDS + SLOT_LENGTH_BYTES] !== 0) return next;
    }
    return -1;
  }

  isLive(slot: number): boolean {
    return this.slots.words[slot * SLOT_WORDS + SLOT_LENGTH_BYTES] !== 0;
  }

  #changesIndex(slot: number, segment: Segment, block: number): boolean {
    if (this.postings === undefined) return false;
    if (!this.#computed.isEmpty) return true;
    const { fields } = this.#indexes;
    return !sameIndexValues(this.segmentOf(slot), this.blockOf(slot), segment, block, fields);
  }

  #place(row: number, segmentId: number, offset8: number, lengthBytes: number, stamp: number): void {
    const words = this.slots.words;
    this.blockBytes += lengthBytes - words[row + SLOT_LENGTH_BYTES]!;
    words[row + SLOT_SEGMENT] = segmentId;
    words[row + SLOT_OFFSET8] = offset8;
    words[row + SLOT_LENGTH_BYTES] = lengthBytes;
    words[row + SLOT_STAMP] = stamp;
  }

  /** Nothing between `#open` and `#close` may throw: all memory is reserved before. */
  #open(): void {
    if (Atomics.load(this.control, SHARD_PLEASE_WAIT_WORD) !== 0) letReadersThrough(this.control);
    Atomics.store(this.control, SHARD_VERSION_WORD, (this.control[SHARD_VERSION_WORD]! + 1) | 0);
    fence();
  }

  #close(): void {
    Atomics.store(this.control, SHARD_VERSION_WORD, (this.control[SHARD_VERSION_WORD]! + 1) | 0);
  }

  #writeLengths(): void {
    const control = this.control;
    control[SHARD_SLOT_END_WORD] = this.slots.end;
    control[SHARD_SLOT_CELLS_WORD] = this.cells.cells;
    control[SHARD_SLOT_WORDS_WORD] = this.slots.words.length;
    if (this.postings === undefined) return;
    control[SHARD_POSTING_CELLS_WORD] = this.postings.cells.cells;
    control[SHARD_POSTING_WORDS_WORD] = this.postings.rows.words.length;
    control[SHARD_ENTRY_WORDS_WORD] = this.postings.entries.words.length;
    control[SHARD_VALUE_BYTES_WORD] = this.postings.values.memory.byteLength;
  }
}
