/**
 * Reads one shard on any thread. Everything is copied out inside a version window and thrown away when the
 * version has changed: what is read may be torn until then, so every row number is checked before it is followed,
 * and every list ends after as many steps as it can have.
 */
import { CELL_HASH, CELL_ROW_PLUS_1, CELL_WORDS } from '../../layout/cell-table.ts';
import {
  SHARD_LIVE_WORD,
  SHARD_PLEASE_WAIT_WORD,
  SHARD_SLOT_CELLS_WORD,
  SHARD_SLOT_END_WORD,
  SHARD_VERSION_WORD,
} from '../../layout/shard.ts';
import {
  SLOT_HASH_HI,
  SLOT_HASH_LO,
  SLOT_LENGTH_BYTES,
  SLOT_OFFSET8,
  SLOT_SEGMENT,
  SLOT_STAMP,
  SLOT_WORDS,
} from '../../layout/slot.ts';
import { fromOffset8 } from '../arena.ts';
import { blockStamp, hasKey } from '../block.ts';
import { BlockRef } from '../block-ref.ts';
import type { Condition } from '../matches.ts';
import type { CachedObject } from '../object-cache.ts';
import type { SegmentTable } from '../segments.ts';
import { slotHasBlock } from '../slot-block.ts';
import type { WantedKey } from '../wanted-key.ts';
import { findPosting, hasPosting, indexValues, postingCount, visitPosting } from './index-reader.ts';
import { NONE, type ShardMemory, ShardViews, usableCells } from './shard-memory.ts';
import { beginRead, isUnchanged, PATIENT_TRIES } from './window.ts';

/** Objects that are copied in one window of a walk over all: a list is atomic per object only. */
const WALK_SLOTS = 1024;

/** The segment of a row is not here: take announcements, then try again. */
export const UNKNOWN_SEGMENT = -2;

export class ShardReader {
  /** Slot of the object that the last `find` or `current` gave a block of. */
  foundSlot: number = NONE;
  readonly #views: ShardViews;
  readonly #segments: SegmentTable;

  constructor(memory: ShardMemory, segments: SegmentTable) {
    this.#views = new ShardViews(memory);
    this.#segments = segments;
  }

  /** The shard has got an index. */
  replace(memory: ShardMemory): void {
    this.#views.replace(memory);
  }

  /** Objects in the shard. */
  get live(): number {
    return Atomics.load(this.#views.control, SHARD_LIVE_WORD);
  }

  /** The current block of the object with this key; undefined when there is none. */
  find(hashLo: number, hashHi: number, key: WantedKey): BlockRef | typeof UNKNOWN_SEGMENT | undefined {
    for (let tries = 1; ; tries++) {
      const version = this.#begin();
      const found = this.#tryFind(hashLo, hashHi, key);
      if (this.#isDone(version, tries)) return found;
    }
  }

  /** Whether the object in a slot that was found here still has the block that it had then. */
  isCurrent(slot: number, cached: CachedObject): boolean {
    for (let tries = 1; ; tries++) {
      const version = this.#begin();
      const isCurrent = slotHasBlock(this.#views.slots, slot * SLOT_WORDS, cached);
      if (!this.#isDone(version, tries)) continue;
      if (!isCurrent) return false;
      cached.control = this.#views.control;
      cached.version = version;
      return true;
    }
  }

  /** The current blocks of the objects that meet conditions: all as of one moment. At least one condition. */
  matches(conditions: readonly Condition[]): BlockRef[] {
    return this.#read(() => {
      const refs: BlockRef[] = [];
      this.#tryMatches(conditions, (slot) => refs.push(this.#refOf(slot)));
      return refs;
    });
  }

  /** How many objects meet conditions. At least one condition. */
  count(conditions: readonly Condition[]): number {
    if (conditions.length === 1) {
      return this.#read(() => {
        const posting = findPosting(this.#views, conditions[0]!);
        return posting === NONE ? 0 : postingCount(this.#views, posting);
      });
    }
    return this.#read(() => {
      let count = 0;
      this.#tryMatches(conditions, () => {
        count++;
      });
      return count;
    });
  }

  /** Adds the blocks of the objects in some slots from `slot` on; returns where to go on, or NONE at the end. */
  walk(slot: number, into: BlockRef[]): number {
    const kept = into.length;
    return this.#read(() => {
      into.length = kept;
      const { control, slots } = this.#views;
      const end = Math.min(control[SHARD_SLOT_END_WORD]!, (slots.length / SLOT_WORDS) | 0);
      const stop = Math.min(end, slot + WALK_SLOTS);
      for (let next = slot; next < stop; next++) if (this.#isLive(next)) into.push(this.#refOf(next));
      return stop < end ? stop : NONE;
    });
  }

  /** Adds all values of an index. */
  valuesOf(indexId: number, into: Set<string>): void {
    for (const value of this.#read(() => indexValues(this.#views, indexId))) into.add(value);
  }

  /** The block that the object with this key hash has now; undefined when there is none that meets the conditions. */
  current(
    hashLo: number,
    hashHi: number,
    conditions: readonly Condition[],
  ): BlockRef | typeof UNKNOWN_SEGMENT | undefined {
    return this.#read(() => {
      const slot = this.#slotOfHash(hashLo, hashHi);
      if (slot === NONE || !this.#hasAll(slot, conditions)) return undefined;
      const ref = this.#refOf(slot);
      this.foundSlot = slot;
      return this.#isKnown(ref) ? ref : UNKNOWN_SEGMENT;
    });
  }

  /** Repeats a read until it fell between two changes. */
  #read<R>(attempt: () => R): R {
    for (let tries = 1; ; tries++) {
      const version = this.#begin();
      const result = attempt();
      if (this.#isDone(version, tries)) return result;
    }
  }

  #begin(): number {
    const version = beginRead(this.#views.control, SHARD_VERSION_WORD);
    this.#views.refresh();
    return version;
  }

  #isDone(version: number, tries: number): boolean {
    const { control } = this.#views;
    const isDone = isUnchanged(control, SHARD_VERSION_WORD, version);
    if (isDone && tries > PATIENT_TRIES) this.#letGoOn();
    else if (!isDone && tries % PATIENT_TRIES === 0) Atomics.store(control, SHARD_PLEASE_WAIT_WORD, 1);
    return isDone;
  }

  #letGoOn(): void {
    Atomics.store(this.#views.control, SHARD_PLEASE_WAIT_WORD, 0);
    Atomics.notify(this.#views.control, SHARD_PLEASE_WAIT_WORD);
  }

  #tryFind(hashLo: number, hashHi: number, key: WantedKey): BlockRef | typeof UNKNOWN_SEGMENT | undefined {
    const { slotCells: cells, slots, control } = this.#views;
    const mask = usableCells(cells, control[SHARD_SLOT_CELLS_WORD]!) - 1;
    let cell = hashLo & mask;
    for (let left = mask; left >= 0; left--, cell = (cell + 1) & mask) {
      const rowPlus1 = cells[cell * CELL_WORDS + CELL_ROW_PLUS_1]!;
      if (rowPlus1 === 0) return undefined;
      if (cells[cell * CELL_WORDS + CELL_HASH] !== hashLo) continue;
      const row = (rowPlus1 - 1) * SLOT_WORDS;
      if (row + SLOT_WORDS > slots.length || slots[row + SLOT_HASH_HI] !== hashHi) continue;
      const segment = this.#segments.find(slots[row + SLOT_SEGMENT]!);
      const block = (slots[row + SLOT_OFFSET8]! >>> 0) * 8;
      if (segment === undefined || blockStamp(segment, block) !== slots[row + SLOT_STAMP]) {
        return UNKNOWN_SEGMENT;
      }
      if (!hasKey(segment, block, key.words, key.bytes, key.length)) continue;
      this.foundSlot = rowPlus1 - 1;
      return this.#refOf(this.foundSlot);
    }
    return undefined;
  }

  /** The slot of the object whose key has this hash: 64 bits, keyed, are as good as the key. */
  #slotOfHash(hashLo: number, hashHi: number): number {
    const { slotCells: cells, slots, control } = this.#views;
    const mask = usableCells(cells, control[SHARD_SLOT_CELLS_WORD]!) - 1;
    let cell = hashLo & mask;
    for (let left = mask; left >= 0; left--, cell = (cell + 1) & mask) {
      const rowPlus1 = cells[cell * CELL_WORDS + CELL_ROW_PLUS_1]!;
      if (rowPlus1 === 0) return NONE;
      const row = (rowPlus1 - 1) * SLOT_WORDS;
      if (cells[cell * CELL_WORDS + CELL_HASH] !== hashLo || row + SLOT_WORDS > slots.length) continue;
      if (slots[row + SLOT_HASH_HI] === hashHi) return rowPlus1 - 1;
    }
    return NONE;
  }

  #tryMatches(conditions: readonly Condition[], visit: (slot: number) => void): void {
    const postings: number[] = [];
    for (const condition of conditions) {
      const posting = findPosting(this.#views, condition);
      if (posting === NONE) return;
      postings.push(posting);
    }
    postings.sort((a, b) => postingCount(this.#views, a) - postingCount(this.#views, b));
    visitPosting(this.#views, postings[0]!, (slot) => {
      for (let i = 1; i < postings.length; i++) {
        if (!hasPosting(this.#views, slot, postings[i]!)) return;
      }
      if (this.#isLive(slot)) visit(slot);
    });
  }

  #hasAll(slot: number, conditions: readonly Condition[]): boolean {
    for (const condition of conditions) {
      const posting = findPosting(this.#views, condition);
      if (posting === NONE || !hasPosting(this.#views, slot, posting)) return false;
    }
    return true;
  }

  #isLive(slot: number): boolean {
    const row = slot * SLOT_WORDS;
    return row + SLOT_WORDS <= this.#views.slots.length && this.#views.slots[row + SLOT_LENGTH_BYTES] !== 0;
  }

  /** Whether the memory that a row names is what this thread takes it for: numbers of segments are used again. */
  #isKnown(ref: BlockRef): boolean {
    const segment = this.#segments.find(ref.segment);
    return segment !== undefined && blockStamp(segment, fromOffset8(ref.offset8)) === ref.stamp;
  }

  #refOf(slot: number): BlockRef {
    const { slots } = this.#views;
    const row = slot * SLOT_WORDS;
    return new BlockRef(
      slots[row + SLOT_SEGMENT]!,
      slots[row + SLOT_OFFSET8]! >>> 0,
      slots[row + SLOT_LENGTH_BYTES]!,
      slots[row + SLOT_STAMP]!,
      slots[row + SLOT_HASH_LO]!,
      slots[row + SLOT_HASH_HI]!,
    );
  }
}
