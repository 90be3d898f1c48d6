/**
 * Layout of a shard of the Indexer: one control area and up to six growable SharedArrayBuffers.
 *
 * ```
 *  byte     0         4       8          12       16       20        24         28        32       36      40      64
 *           ┌─────────┬───────┬──────────┬────────┬────────┬─────────┬──────────┬─────────┬────────┬───────┬───────┐
 *  control  │ version │ live  │ slot end │ slot   │ slot   │ posting │ posting  │ entry   │ value  │ please│ (pad) │
 *           │         │       │          │ cells  │ words  │ cells   │ words    │ words   │ bytes  │ wait  │       │
 *           └─────────┴───────┴──────────┴────────┴────────┴─────────┴──────────┴─────────┴────────┴───────┴───────┘
 *
 *  memory   slot cells ──▶ slot rows ──▶ blocks in the arenas      (cell-table.ts, slot.ts, block.ts)
 *                             │  ▲
 *                             ▼  │
 *                           index entries                          (posting.ts)
 *                             │  ▲
 *                             ▼  │
 *           posting cells ──▶ posting rows ──▶ index values        (cell-table.ts, posting.ts)
 * ```
 *
 * Only the home thread writes, but for one word. It stores an odd version with Atomics, fences, writes with plain stores, and
 * stores the next even version with Atomics. A reader loads an even version with Atomics, copies out what it
 * needs, fences, and starts again when the version is another one; what it copied may be torn until then, so
 * it checks row numbers against its views before it follows them.
 *
 * All memory grows and never shrinks or moves. Readers use views of a fixed length, and make new ones when a
 * length word of the control area is greater than what they see.
 */
import { assertLayout } from './assert.ts';

/** The control area fits one cache line: a reader that looks at the version has the lengths, too. */
export const SHARD_CONTROL_BYTES = 64;

/** Odd while the home thread writes. Stored and loaded with Atomics only; it wraps. */
export const SHARD_VERSION_WORD = 0;
/** Objects in the shard. */
export const SHARD_LIVE_WORD = 1;
/** Slot rows that were ever used: where a walk over the rows ends. */
export const SHARD_SLOT_END_WORD = 2;
/** Cells in use as a table, a power of two: the mask is one less. */
export const SHARD_SLOT_CELLS_WORD = 3;
/** Length of the slot rows, in words. */
export const SHARD_SLOT_WORDS_WORD = 4;
export const SHARD_POSTING_CELLS_WORD = 5;
export const SHARD_POSTING_WORDS_WORD = 6;
export const SHARD_ENTRY_WORDS_WORD = 7;
/** Length of the copies of index values, in bytes. */
export const SHARD_VALUE_BYTES_WORD = 8;
/**
 * Not 0 when a reader came too late too often: the home thread waits a moment before it writes again. Written by
 * readers and the home thread, with Atomics.
 */
export const SHARD_PLEASE_WAIT_WORD = 9;

/** A slot address is shard << SLOT_BITS | slot: one small integer, cheap to hand around. */
export const SLOT_BITS = 20;
export const SLOT_MASK = (1 << SLOT_BITS) - 1;

/**
 * Most objects of one shard. Sixteen shards then hold 16 million, and what is reserved (about 450 MiB of
 * addresses a shard, no memory) stays small enough for dozens of informers in one process.
 */
export const MAX_SHARD_SLOTS = 1 << SLOT_BITS;

/** Most shards: more only cost memory, because every index value is held once per shard. */
export const MAX_SHARDS = 256;

/** Most memberships of objects in index values, per shard: four for each object of a full shard. */
export const MAX_SHARD_ENTRIES = 4 * MAX_SHARD_SLOTS;

/** Most different index values per shard: two for each object of a full shard. */
export const MAX_SHARD_POSTINGS = 2 * MAX_SHARD_SLOTS;

/** Most bytes of index values per shard: 128 for each different value. */
export const MAX_SHARD_VALUE_BYTES = 128 * MAX_SHARD_POSTINGS;

assertLayout(SHARD_PLEASE_WAIT_WORD * 4 < SHARD_CONTROL_BYTES, 'the control words fit the control area');
assertLayout(MAX_SHARDS * MAX_SHARD_SLOTS <= 1 << 30, 'a slot address is a small positive integer');
assertLayout(MAX_SHARD_SLOTS === SLOT_MASK + 1, 'the mask covers every slot of a shard');
