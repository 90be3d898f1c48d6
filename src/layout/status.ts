/**
 * How a reflector is doing: one row in shared memory, so that anyone can look at any time without a message.
 *
 * ```
 *  byte  0           4       8          12       16        20          24             28       32
 *        ┌───────────┬───────┬──────────┬────────┬─────────┬───────────┬──────────────┬────────┐
 *        │ contact ms│ lists │ relists  │ watches│ rewatch.│ fallbacks │ backoff until│ syncs  │
 *        ├───────────┴───────┼──────────┴────────┼─────────┴───────────┴──────────────┴────────┘
 *  32    │ transform errors  │ index errors      │ 40 (4 bytes each)
 *        ├───────────────────┼───────────────────┘
 *  40    │ body fallbacks    │ ring waits        │ memory waits      │ (padding) │
 *        ├───────────────────┴───────────────────┼───────────────────┴───────────┘
 *  56    │ received bytes (8)                    │ 64
 *        └───────────────────────────────────────┘
 * ```
 *
 * Every field is written by the worker only, with Atomics, and read by the home thread, with Atomics. Fields
 * are independent of each other: a reader may see one new and another old. Times are milliseconds since an
 * epoch that the home thread chose, 0 for never; they last for 24 days, then they are as good as never.
 */
import { assertLayout } from './assert.ts';

/** When something came from the server last. */
export const STATUS_CONTACT_MS = 0;
/** Lists that were begun, pages not counted; relists are those of a cache that was there. */
export const STATUS_LISTS = 1;
export const STATUS_RELISTS = 2;
/** Watches that were opened; rewatches are those that went on where another one ended. */
export const STATUS_WATCHES = 3;
export const STATUS_REWATCHES = 4;
/** Streams of initial events that did not work, so that a list was used. */
export const STATUS_FALLBACKS = 5;
/** Until when nothing is tried; in the past when something is. */
export const STATUS_BACKOFF_UNTIL_MS = 6;
/** Lists that were completed. */
export const STATUS_SYNCS = 7;
/** Failures of the transform function, and of index functions, that run in the worker. */
export const STATUS_TRANSFORM_ERRORS = 8;
export const STATUS_INDEX_ERRORS = 9;
/** Bodies that could not be made records, and were put as JSON. */
export const STATUS_BODY_FALLBACKS = 10;

/** How often the worker stopped reading because the ring was full, and because the arena was. */
export const STATUS_RING_WAITS = 11;
export const STATUS_MEMORY_WAITS = 12;
/** Bytes of bodies that came from the server, decompressed: 64 bits, counted in words of 8 bytes. */
export const STATUS_RECEIVED_WORD64 = 7;

export const STATUS_WORDS = 16;
export const STATUS_BYTES = STATUS_WORDS * 4;

assertLayout(
  STATUS_MEMORY_WAITS < STATUS_RECEIVED_WORD64 * 2,
  'the last small field ends before the large one',
);
assertLayout(STATUS_RECEIVED_WORD64 * 2 + 2 === STATUS_WORDS, 'the last field ends the status');
