/** The two lists that an index entry is in: that of its posting (both ways), and that of its object (one way). */
import {
  ENTRY_NEXT_OF_SLOT_PLUS_1,
  ENTRY_NEXT_PLUS_1,
  ENTRY_POSTING,
  ENTRY_PREVIOUS_PLUS_1,
  ENTRY_SLOT,
  ENTRY_WORDS,
  POSTING_COUNT,
  POSTING_ENTRY_PLUS_1,
  POSTING_WORDS,
} from '../layout/posting.ts';
import { SLOT_ENTRY_PLUS_1, SLOT_WORDS } from '../layout/slot.ts';
import type { RowPool } from './row-pool.ts';

/** Says that an object has the value of a posting, with an entry that was reserved. */
export function linkEntry(
  pool: RowPool,
  postings: Int32Array,
  slots: Int32Array,
  slot: number,
  posting: number,
): void {
  const entryRow = pool.take();
  const entries = pool.words;
  const entry = entryRow * ENTRY_WORDS;
  const row = posting * POSTING_WORDS;
  const slotHeadWord = slot * SLOT_WORDS + SLOT_ENTRY_PLUS_1;
  const firstPlus1 = postings[row + POSTING_ENTRY_PLUS_1]!;
  entries[entry + ENTRY_SLOT] = slot;
  entries[entry + ENTRY_POSTING] = posting;
  entries[entry + ENTRY_NEXT_PLUS_1] = firstPlus1;
  entries[entry + ENTRY_PREVIOUS_PLUS_1] = 0;
  entries[entry + ENTRY_NEXT_OF_SLOT_PLUS_1] = slots[slotHeadWord]!;
  if (firstPlus1 !== 0) entries[(firstPlus1 - 1) * ENTRY_WORDS + ENTRY_PREVIOUS_PLUS_1] = entryRow + 1;
  postings[row + POSTING_ENTRY_PLUS_1] = entryRow + 1;
  postings[row + POSTING_COUNT]!++;
  slots[slotHeadWord] = entryRow + 1;
}

/**
 * Takes an entry out of the list of its posting, and gives it back. The list of its object is the caller's.
 *
 * @returns the posting when it has no entry left, or -1
 */
export function unlinkEntry(pool: RowPool, postings: Int32Array, entryRow: number): number {
  const entries = pool.words;
  const entry = entryRow * ENTRY_WORDS;
  const posting = entries[entry + ENTRY_POSTING]!;
  const row = posting * POSTING_WORDS;
  const nextPlus1 = entries[entry + ENTRY_NEXT_PLUS_1]!;
  const previousPlus1 = entries[entry + ENTRY_PREVIOUS_PLUS_1]!;
  if (nextPlus1 !== 0) entries[(nextPlus1 - 1) * ENTRY_WORDS + ENTRY_PREVIOUS_PLUS_1] = previousPlus1;
  if (previousPlus1 !== 0) entries[(previousPlus1 - 1) * ENTRY_WORDS + ENTRY_NEXT_PLUS_1] = nextPlus1;
  else postings[row + POSTING_ENTRY_PLUS_1] = nextPlus1;
  pool.give(entryRow);
  return --postings[row + POSTING_COUNT]! === 0 ? posting : -1;
}
