/**
 * Layout of the index of a shard. A posting is one value of one index; an entry says that one object has
 * it. Entries are in two lists: that of their posting (both ways) and that of their object (one way).
 *
 * ```
 *  byte     0        4        8       12       16       20        24      28     32
 *           ┌────────┬────────┬───────┬────────┬────────┬─────────┬───────┬──────┐
 *  posting  │ hash lo│ hash hi│ field │ value16│ length │ entry+1 │ count │ mark │
 *           └────────┴────────┴───────┴────────┴────────┴─────────┴───────┴──────┘
 *
 *  byte     0        4         8        12           16              20
 *           ┌────────┬─────────┬────────┬────────────┬───────────────┐
 *  entry    │ slot   │ posting │ next+1 │ previous+1 │ next of slot+1│
 *           └────────┴─────────┴────────┴────────────┴───────────────┘
 *
 *  value    the bytes of a value, from value16 * 16 on, in a piece of 16, 32, … 1024 bytes (steps of 16) or
 *           of a power of two above that
 * ```
 *
 * All is written by the home thread, inside the version window of the shard; readers of other threads read
 * all but the mark. A posting without entries is given back at once, and so is its value.
 */
import { assertLayout } from './assert.ts';

export const POSTING_WORDS = 8;

/** Hash of the value's bytes, the lower half mixed with the field. In a free posting: the next free one + 1. */
export const POSTING_HASH_LO = 0;
export const POSTING_HASH_HI = 1;
/** Field id of the index; from 256 on for an index whose values don't lie in blocks. */
export const POSTING_FIELD = 2;
/** Where the copy of the value starts, in units of 16 bytes. */
export const POSTING_VALUE16 = 3;
export const POSTING_VALUE_LENGTH_BYTES = 4;
/** First entry + 1. */
export const POSTING_ENTRY_PLUS_1 = 5;
/** Entries in the list; 0 says that the posting is free. */
export const POSTING_COUNT = 6;
/** Used while one object's values change, 0 otherwise. Only the home thread reads it. */
export const POSTING_MARK = 7;

export const ENTRY_WORDS = 5;

/** The object, by its slot. In a free entry: the next free one + 1. */
export const ENTRY_SLOT = 0;
/** The posting, by its row. */
export const ENTRY_POSTING = 1;
/** Neighbours in the list of the posting, + 1; 0 at the ends. */
export const ENTRY_NEXT_PLUS_1 = 2;
export const ENTRY_PREVIOUS_PLUS_1 = 3;
/** Next entry of the same object, + 1. */
export const ENTRY_NEXT_OF_SLOT_PLUS_1 = 4;

/** Unit of value addresses. */
export const VALUE_UNIT_BYTES = 16;
/** Values up to this many units lie in pieces that fit to the unit: labels, names and uids are short. */
export const VALUE_EXACT_UNITS = 64;

assertLayout(POSTING_MARK === POSTING_WORDS - 1, 'the last field ends the posting');
assertLayout(64 % (POSTING_WORDS * 4) === 0, 'no posting straddles two cache lines');
assertLayout(ENTRY_NEXT_OF_SLOT_PLUS_1 === ENTRY_WORDS - 1, 'the last field ends the entry');
assertLayout(
  (VALUE_EXACT_UNITS & (VALUE_EXACT_UNITS - 1)) === 0,
  'powers of two go on where exact pieces end',
);
