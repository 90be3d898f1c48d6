/**
 * Layout of a slot: the row of one object in its shard. It says which block is current.
 *
 * ```
 *  byte  0        4        8         12        16       20      24      28            32
 *        ┌────────┬────────┬─────────┬─────────┬────────┬───────┬───────┬─────────────┐
 *        │ hash lo│ hash hi│ segment │ offset8 │ length │ stamp │ sweep │ entry + 1   │
 *        └────────┴────────┴─────────┴─────────┴────────┴───────┴───────┴─────────────┘
 * ```
 *
 * All words are written by the home thread, all but the sweep inside the version window of the shard. Slots
 * never move; a removed object's slot is used again. Readers of other threads read all words but the sweep.
 */
import { assertLayout } from './assert.ts';

export const SLOT_WORDS = 8;

/** Hash of the key (see key-hash.ts), as signed words. In a free slot `hash lo` is the next free one + 1. */
export const SLOT_HASH_LO = 0;
export const SLOT_HASH_HI = 1;
/** Where the block lies: number of its segment, offset in units of 8 bytes. */
export const SLOT_SEGMENT = 2;
export const SLOT_OFFSET8 = 3;
/** Length of the block; 0 says that the slot is free. */
export const SLOT_LENGTH_BYTES = 4;
/** What the block's stamp was when it was put in place. */
export const SLOT_STAMP = 5;
/** The last sweep that saw the object. Written without a window: only the home thread reads it. */
export const SLOT_SWEEP = 6;
/** First index entry of the object + 1, or 0 when no index has it. */
export const SLOT_ENTRY_PLUS_1 = 7;

assertLayout(SLOT_ENTRY_PLUS_1 === SLOT_WORDS - 1, 'the last field ends the slot');
assertLayout(64 % (SLOT_WORDS * 4) === 0, 'no slot straddles two cache lines');
