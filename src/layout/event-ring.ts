/**
 * Layout of the ring of a subscription: events of an informer for another thread. Filled by the home thread, drained by
 * the subscriber's. Its control area is that of every ring (see ring.ts), its records are these:
 *
 * ```
 *  byte  0       4       8       12      16      20      24      28
 *        ┌───────┬───────┬───────┬───────┬───────┬───────┬───────┬───────┐
 *        │ type  │ flags │hash lo│hash hi│segment│offset8│length │ stamp │   the state after the change
 *  32    ├───────┼───────┼───────┼───────┼───────┴───────┴───────┴───────┤
 *        │segment│offset8│length │ stamp │ laps  │ (padding)             │   the state before it
 *        └───────┴───────┴───────┴───────┴───────┴───────────────────────┘
 * ```
 *
 * All words are written by the home thread with plain stores; the Atomics store of the ring's tail publishes them. The
 * blocks that a record names are held until the home thread has seen that the ring's head passed the record: the
 * subscriber stores the head when its handler is done with the event.
 */
import { assertLayout } from './assert.ts';
import { RECORDS_BYTE } from './ring.ts';

/** A cache line for each record: what one thread writes is no other record that the other one reads. */
export const EVENT_WORDS = 16;

/** Fields of a record, in words from its start. */
export const EVENT_TYPE = 0;
/** Bits, see {@link EVENT_IS_INITIAL}. */
export const EVENT_FLAGS = 1;
export const EVENT_HASH_LO = 2;
export const EVENT_HASH_HI = 3;
/** The block of the state after the change; of a delete, of the last state. */
export const EVENT_SEGMENT = 4;
export const EVENT_OFFSET8 = 5;
export const EVENT_LENGTH_BYTES = 6;
export const EVENT_STAMP = 7;
/** The block of the state before an update. */
export const EVENT_OLD_SEGMENT = 8;
export const EVENT_OLD_OFFSET8 = 9;
/** 0 when there is no such state. */
export const EVENT_OLD_LENGTH_BYTES = 10;
export const EVENT_OLD_STAMP = 11;
/** Events that were merged for this subscriber until the record was written; wraps. */
export const EVENT_LAPS = 12;

/** Values of {@link EVENT_TYPE}. */
export const EventCode = { add: 1, update: 2, delete: 3 } as const;

/** The object existed when the subscription began. */
export const EVENT_IS_INITIAL = 1;
/** A delete that nobody saw: the state may be an older one. */
export const EVENT_IS_FINAL_STATE_UNKNOWN = 2;

assertLayout(EVENT_LAPS < EVENT_WORDS, 'the fields fit the record');
assertLayout(64 % (EVENT_WORDS * 4) === 0, 'no record straddles two cache lines');
assertLayout(RECORDS_BYTE % (EVENT_WORDS * 4) === 0, 'records start on a cache line');
