/**
 * Reads the index of a shard on any thread, inside a version window of the caller (see shard-reader.ts): what is
 * read may be torn, so nothing here trusts a row number or the end of a list.
 */
import { CELL_HASH, CELL_ROW_PLUS_1, CELL_WORDS } from '../../layout/cell-table.ts';
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
  POSTING_VALUE_LENGTH_BYTES,
  POSTING_VALUE16,
  POSTING_WORDS,
  VALUE_UNIT_BYTES,
} from '../../layout/posting.ts';
import { SHARD_POSTING_CELLS_WORD } from '../../layout/shard.ts';
import { SLOT_ENTRY_PLUS_1, SLOT_WORDS } from '../../layout/slot.ts';
import type { Condition } from '../matches.ts';
import { mixedHash } from '../postings.ts';
import { NONE, type ShardViews, usableCells } from './shard-memory.ts';

/** The posting of a value, or NONE. */
export function findPosting(views: ShardViews, condition: Condition): number {
  const { postingCells: cells, postings, control } = views;
  const { indexId, bytes, hashHi } = condition;
  const hashLo = mixedHash(condition.hashLo, indexId);
  const mask = usableCells(cells, control[SHARD_POSTING_CELLS_WORD]!) - 1;
  let cell = hashLo & mask;
  for (let left = mask; left >= 0; left--, cell = (cell + 1) & mask) {
    const rowPlus1 = cells[cell * CELL_WORDS + CELL_ROW_PLUS_1]!;
    if (rowPlus1 === 0) return NONE;
    if (cells[cell * CELL_WORDS + CELL_HASH] !== hashLo) continue;
    const row = (rowPlus1 - 1) * POSTING_WORDS;
    if (
      row + POSTING_WORDS <= postings.length &&
      postings[row + POSTING_HASH_HI] === (hashHi | 0) &&
      postings[row + POSTING_FIELD] === indexId &&
      postings[row + POSTING_VALUE_LENGTH_BYTES] === bytes.length &&
      hasValue(views, postings[row + POSTING_VALUE16]!, bytes)
    ) {
      return rowPlus1 - 1;
    }
  }
  return NONE;
}

/** Objects that have the value of a posting. */
export function postingCount(views: ShardViews, posting: number): number {
  return views.postings[posting * POSTING_WORDS + POSTING_COUNT] ?? 0;
}

/** Visits the slots of the objects that have the value of a posting. */
export function visitPosting(views: ShardViews, posting: number, visit: (slot: number) => void): void {
  const { entries } = views;
  let entryPlus1 = views.postings[posting * POSTING_WORDS + POSTING_ENTRY_PLUS_1] ?? 0;
  for (let left = postingCount(views, posting); left > 0 && entryPlus1 !== 0; left--) {
    const entry = (entryPlus1 - 1) * ENTRY_WORDS;
    if (entry + ENTRY_WORDS > entries.length) return;
    visit(entries[entry + ENTRY_SLOT]!);
    entryPlus1 = entries[entry + ENTRY_NEXT_PLUS_1]!;
  }
}

/** Whether the object in a slot has the value of a posting. */
export function hasPosting(views: ShardViews, slot: number, posting: number): boolean {
  const { entries } = views;
  let entryPlus1 = views.slots[slot * SLOT_WORDS + SLOT_ENTRY_PLUS_1] ?? 0;
  for (let left = (entries.length / ENTRY_WORDS) | 0; left > 0 && entryPlus1 !== 0; left--) {
    const entry = (entryPlus1 - 1) * ENTRY_WORDS;
    if (entry + ENTRY_WORDS > entries.length) return false;
    if (entries[entry + ENTRY_POSTING] === posting) return true;
    entryPlus1 = entries[entry + ENTRY_NEXT_OF_SLOT_PLUS_1]!;
  }
  return false;
}

/** All values of an index that any object of the shard has. */
export function indexValues(views: ShardViews, indexId: number): string[] {
  const { postings, values } = views;
  const found: string[] = [];
  for (let row = 0; row + POSTING_WORDS <= postings.length; row += POSTING_WORDS) {
    if (postings[row + POSTING_COUNT] === 0 || postings[row + POSTING_FIELD] !== indexId) continue;
    const begin = (postings[row + POSTING_VALUE16]! >>> 0) * VALUE_UNIT_BYTES;
    const end = begin + postings[row + POSTING_VALUE_LENGTH_BYTES]!;
    if (begin <= end && end <= values.length) found.push(values.toString('utf8', begin, end));
  }
  return found;
}

function hasValue(views: ShardViews, value16: number, bytes: Buffer): boolean {
  const { values } = views;
  const begin = (value16 >>> 0) * VALUE_UNIT_BYTES;
  if (begin + bytes.length > values.length) return false;
  for (let i = 0; i < bytes.length; i++) if (values[begin + i] !== bytes[i]) return false;
  return true;
}
