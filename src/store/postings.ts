/**
 * The index of one shard: for each value of an indexed field, the slots of the objects that have it. The
 * layout is in layout/posting.ts. The values of an object are the indexed fields of its block, and those that
 * were computed for it; a value that is there twice counts once.
 */
import { FIELD_ID_SHIFT, FIELD_LENGTH_MASK } from '../layout/block.ts';
import { type HashSeed, hashBytes, type KeyHash } from '../layout/key-hash.ts';
import {
  ENTRY_NEXT_OF_SLOT_PLUS_1,
  ENTRY_NEXT_PLUS_1,
  ENTRY_POSTING,
  ENTRY_SLOT,
  ENTRY_WORDS,
  POSTING_COUNT,
  POSTING_ENTRY_PLUS_1,
  POSTING_FIELD,
  POSTING_HASH_HI,
  POSTING_HASH_LO,
  POSTING_MARK,
  POSTING_VALUE_LENGTH_BYTES,
  POSTING_VALUE16,
  POSTING_WORDS,
} from '../layout/posting.ts';
import { MAX_SHARD_ENTRIES, MAX_SHARD_POSTINGS } from '../layout/shard.ts';
import { SLOT_ENTRY_PLUS_1, SLOT_WORDS } from '../layout/slot.ts';
import { blockFieldCount, fieldsStartWord, nextFieldWord } from './block.ts';
import { CellTable } from './cell-table.ts';
import type { ComputedValues } from './computed-values.ts';
import type { IndexedFields } from './index-values.ts';
import { linkEntry, unlinkEntry } from './posting-lists.ts';
import type { IndexMemory } from './reader/shard-memory.ts';
import { RowPool } from './row-pool.ts';
import type { Segment } from './segments.ts';
import { unitsOf, ValueHeap } from './value-heap.ts';

const INITIAL_ROWS = 16;

/** Marks of a posting while the values of one object change: had before, and has now. */
const HAD = 1;
const HAS = 2;

/** Spreads equal values of different fields over the table. */
const FIELD_MIX = 0x9e3779b1 | 0;

/** Shared by all calls: hashing is never interrupted. */
const hash: KeyHash = { lo: 0, hi: 0 };

/** Only the home thread may call its methods; `set` and `drop` only inside the shard's version window. */
export class Postings {
  readonly cells = new CellTable(MAX_SHARD_POSTINGS, 'cells of index values');
  readonly rows = new RowPool({
    rowWords: POSTING_WORDS,
    nextFreeWord: POSTING_HASH_LO,
    initialRows: INITIAL_ROWS,
    maxRows: MAX_SHARD_POSTINGS,
    what: 'different index values',
  });
  readonly entries = new RowPool({
    rowWords: ENTRY_WORDS,
    nextFreeWord: ENTRY_SLOT,
    initialRows: INITIAL_ROWS,
    maxRows: MAX_SHARD_ENTRIES,
    what: 'memberships in index values',
  });
  readonly values = new ValueHeap();
  readonly #slots: RowPool;
  readonly #indexed: IndexedFields;
  /** Of the object whose values are set. */
  readonly #computed: ComputedValues;
  readonly #seed: HashSeed;
  /** Postings that the last `reserve` made room for. */
  #reserved = 0;

  constructor(slots: RowPool, indexed: IndexedFields, computed: ComputedValues, seed: HashSeed) {
    this.#slots = slots;
    this.#indexed = indexed;
    this.#computed = computed;
    this.#seed = seed;
  }

  /**
   * Makes sure that `set` with this block finds all memory that it may need, as if every value were new.
   *
   * @throws IndexerFullError when that is over a limit; nothing that readers see has changed then
   */
  reserve(segment: Segment, block: number): void {
    let count = this.#computed.count;
    let units = this.#computed.units;
    let word = fieldsStartWord(segment, block);
    for (let left = blockFieldCount(segment, block); left > 0; left--) {
      const head = segment.words[word]!;
      if (this.#indexed[head >>> FIELD_ID_SHIFT] === 1) {
        count++;
        units += unitsOf(head & FIELD_LENGTH_MASK);
      }
      word = nextFieldWord(word, head);
    }
    this.entries.reserve(count);
    this.rows.reserve(count);
    this.cells.reserve(count);
    this.values.reserve(units);
    this.#reserved = count;
  }

  /** Gives an object the values of this block instead of those that it had. After `reserve` of the block. */
  set(slot: number, segment: Segment, block: number): void {
    this.cells.grow(this.#reserved);
    this.#markOld(slot);
    let word = fieldsStartWord(segment, block);
    for (let left = blockFieldCount(segment, block); left > 0; left--) {
      const head = segment.words[word]!;
      const fieldId = head >>> FIELD_ID_SHIFT;
      if (this.#indexed[fieldId] === 1) {
        this.#join(slot, fieldId, segment.bytes, (word + 1) * 4, head & FIELD_LENGTH_MASK);
      }
      word = nextFieldWord(word, head);
    }
    if (this.#computed.count > 0) this.#joinComputed(slot);
    this.#leaveOld(slot);
  }

  /** Takes an object out of all indexes. */
  drop(slot: number): void {
    this.#markOld(slot);
    this.#leaveOld(slot);
  }

  /** The posting of a value that is given as bytes with their hash, or -1. */
  find(
    fieldId: number,
    valueHashLo: number,
    valueHashHi: number,
    bytes: Uint8Array,
    begin: number,
    length: number,
  ): number {
    const words = this.rows.words;
    const hashLo = mixedHash(valueHashLo, fieldId);
    const hashHi = valueHashHi | 0;
    for (let cell = this.cells.first(hashLo); cell !== -1; cell = this.cells.next(cell, hashLo)) {
      const posting = this.cells.rowAt(cell);
      const row = posting * POSTING_WORDS;
      if (
        words[row + POSTING_HASH_HI] === hashHi &&
        words[row + POSTING_FIELD] === fieldId &&
        words[row + POSTING_VALUE_LENGTH_BYTES] === length &&
        this.values.equals(words[row + POSTING_VALUE16]!, length, bytes, begin)
      ) {
        return posting;
      }
    }
    return -1;
  }

  /** First entry of a posting, or -1. */
  firstEntry(posting: number): number {
    return this.rows.words[posting * POSTING_WORDS + POSTING_ENTRY_PLUS_1]! - 1;
  }

  /** Next entry of the same posting, or -1. */
  nextEntry(entry: number): number {
    return this.entries.words[entry * ENTRY_WORDS + ENTRY_NEXT_PLUS_1]! - 1;
  }

  /** Entries of a posting. */
  countOf(posting: number): number {
    return this.rows.words[posting * POSTING_WORDS + POSTING_COUNT]!;
  }

  /** Whether an object has the value of a posting. */
  has(slot: number, posting: number): boolean {
    const entries = this.entries.words;
    let entryPlus1 = this.#slots.words[slot * SLOT_WORDS + SLOT_ENTRY_PLUS_1]!;
    while (entryPlus1 !== 0) {
      const entry = (entryPlus1 - 1) * ENTRY_WORDS;
      if (entries[entry + ENTRY_POSTING] === posting) return true;
      entryPlus1 = entries[entry + ENTRY_NEXT_OF_SLOT_PLUS_1]!;
    }
    return false;
  }

  slotOf(entry: number): number {
    return this.entries.words[entry * ENTRY_WORDS + ENTRY_SLOT]!;
  }

  /** Adds all values of an indexed field to `into`. */
  collectValues(fieldId: number, into: Set<string>): void {
    const words = this.rows.words;
    const end = this.rows.end * POSTING_WORDS;
    for (let row = 0; row < end; row += POSTING_WORDS) {
      if (words[row + POSTING_COUNT] === 0 || words[row + POSTING_FIELD] !== fieldId) continue;
      into.add(this.values.text(words[row + POSTING_VALUE16]!, words[row + POSTING_VALUE_LENGTH_BYTES]!));
    }
  }

  /** For readers on other threads. */
  get memory(): IndexMemory {
    return {
      cells: this.cells.memory,
      postings: this.rows.memory,
      entries: this.entries.memory,
      values: this.values.memory,
    };
  }

  get memoryBytes(): number {
    return (
      this.cells.memory.byteLength +
      this.rows.memory.byteLength +
      this.entries.memory.byteLength +
      this.values.memory.byteLength
    );
  }

  #markOld(slot: number): void {
    const entries = this.entries.words;
    const postings = this.rows.words;
    let entryPlus1 = this.#slots.words[slot * SLOT_WORDS + SLOT_ENTRY_PLUS_1]!;
    while (entryPlus1 !== 0) {
      const entry = (entryPlus1 - 1) * ENTRY_WORDS;
      postings[entries[entry + ENTRY_POSTING]! * POSTING_WORDS + POSTING_MARK] = HAD;
      entryPlus1 = entries[entry + ENTRY_NEXT_OF_SLOT_PLUS_1]!;
    }
  }

  #join(slot: number, fieldId: number, bytes: Buffer, begin: number, length: number): void {
    hashBytes(bytes, begin, begin + length, this.#seed, hash);
    let posting = this.find(fieldId, hash.lo, hash.hi, bytes, begin, length);
    if (posting === -1) posting = this.#addPosting(fieldId, bytes, begin, length);
    const markWord = posting * POSTING_WORDS + POSTING_MARK;
    const mark = this.rows.words[markWord]!;
    this.rows.words[markWord] = HAS;
    if (mark === 0) linkEntry(this.entries, this.rows.words, this.#slots.words, slot, posting);
  }

  #joinComputed(slot: number): void {
    const { count, ids, begins, lengths, bytes } = this.#computed;
    for (let i = 0; i < count; i++) this.#join(slot, ids[i]!, bytes, begins[i]!, lengths[i]!);
  }

  /** Ends what `#markOld` began: unlinks what the object does not have any more, and clears all marks. */
  #leaveOld(slot: number): void {
    const entries = this.entries.words;
    const postings = this.rows.words;
    const headWord = slot * SLOT_WORDS + SLOT_ENTRY_PLUS_1;
    let entryPlus1 = this.#slots.words[headWord]!;
    let keptPlus1 = 0;
    while (entryPlus1 !== 0) {
      const entry = (entryPlus1 - 1) * ENTRY_WORDS;
      const nextPlus1 = entries[entry + ENTRY_NEXT_OF_SLOT_PLUS_1]!;
      const markWord = entries[entry + ENTRY_POSTING]! * POSTING_WORDS + POSTING_MARK;
      const isKept = postings[markWord] === HAS;
      postings[markWord] = 0;
      if (isKept) {
        entries[entry + ENTRY_NEXT_OF_SLOT_PLUS_1] = keptPlus1;
        keptPlus1 = entryPlus1;
      } else {
        const posting = unlinkEntry(this.entries, postings, entryPlus1 - 1);
        if (posting !== -1) this.#deletePosting(posting);
      }
      entryPlus1 = nextPlus1;
    }
    this.#slots.words[headWord] = keptPlus1;
  }

  #addPosting(fieldId: number, bytes: Buffer, begin: number, length: number): number {
    const posting = this.rows.take();
    const words = this.rows.words;
    const row = posting * POSTING_WORDS;
    const hashLo = mixedHash(hash.lo, fieldId);
    words[row + POSTING_HASH_LO] = hashLo;
    words[row + POSTING_HASH_HI] = hash.hi;
    words[row + POSTING_FIELD] = fieldId;
    words[row + POSTING_VALUE16] = this.values.add(bytes, begin, length);
    words[row + POSTING_VALUE_LENGTH_BYTES] = length;
    words[row + POSTING_ENTRY_PLUS_1] = 0;
    words[row + POSTING_COUNT] = 0;
    words[row + POSTING_MARK] = 0;
    this.cells.insert(hashLo, posting);
    return posting;
  }

  #deletePosting(posting: number): void {
    const words = this.rows.words;
    const row = posting * POSTING_WORDS;
    this.cells.removeAt(this.cells.cellOf(words[row + POSTING_HASH_LO]!, posting));
    this.values.delete(words[row + POSTING_VALUE16]!, words[row + POSTING_VALUE_LENGTH_BYTES]!);
    this.rows.give(posting);
  }
}

/** Spreads equal values of different fields over the table. */
export function mixedHash(valueHashLo: number, fieldId: number): number {
  return (valueHashLo ^ Math.imul(fieldId + 1, FIELD_MIX)) | 0;
}
