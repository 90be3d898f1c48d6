/**
 * Layout of what readers on other threads need of a store besides its shards: one small area.
 *
 * ```
 *  byte  0               4              8           12        16                       272
 *        ┌───────────────┬──────────────┬───────────┬─────────┬────────────────────────┐
 *        │ announcements │ rv version   │ rv length │ (pad)   │ resourceVersion, ASCII │
 *        └───────────────┴──────────────┴───────────┴─────────┴────────────────────────┘
 * ```
 *
 * Only the home thread writes. Announcements are counted with Atomics after each was posted, and before
 * anything in shared memory names what it announces: a reader that finds the count changed takes its messages.
 * The resourceVersion is written inside a version window of its own, as shards are (see shard.ts), after all
 * that it stands for is visible.
 */
import { assertLayout } from './assert.ts';

/** Stored and loaded with Atomics; it wraps. Readers that wait for one sleep on this word. */
export const STORE_ANNOUNCEMENTS_WORD = 0;
/** Odd while the resourceVersion is written. Stored and loaded with Atomics only; it wraps. */
export const STORE_RV_VERSION_WORD = 1;
export const STORE_RV_LENGTH_WORD = 2;

export const STORE_RV_BYTE = 16;
/** A resourceVersion of a real server has 20 digits at most; a longer one than this is not shown to readers. */
export const STORE_RV_MAX_BYTES = 256;

export const STORE_CONTROL_BYTES = STORE_RV_BYTE + STORE_RV_MAX_BYTES;

assertLayout((STORE_RV_LENGTH_WORD + 1) * 4 <= STORE_RV_BYTE, 'the words lie before the text');
