/**
 * Layout of the two rings between a worker and the home thread. Each is one SharedArrayBuffer with a
 * control area and fixed-size records. The delta ring is filled by the worker and drained by the home
 * thread, the release ring runs the other way.
 *
 * ```
 *  byte    0          4         8             64         68                         128
 *          ┌──────────┬─────────┬─────────────┬──────────┬──────────┬───────────────┐
 *  control │ tail     │ waiting │ news, pad   │ head     │ asleep   │ (padding)     │
 *          └──────────┴─────────┴─────────────┴──────────┴──────────┴───────────────┘
 *           the producer's cache line          the consumer's cache line
 *
 *  delta     0        4        8        12       16       20       24       28       32
 *  record    ┌────────┬────────┬────────┬────────┬────────┬────────┬────────┬────────┐
 *  (from 128)│ kind   │ source │ hash lo│ hash hi│ segment│ offset8│ length │ stamp  │
 *            └────────┴────────┴────────┴────────┴────────┴────────┴────────┴────────┘
 *
 *  release   0        4        8
 *  record    ┌────────┬────────┐
 *  (from 128)│ segment│ offset8│
 *            └────────┴────────┘
 * ```
 *
 * Publication: the producer fills a record with plain stores, then stores `tail` with Atomics. A record
 * between `head` and `tail` belongs to the consumer, every other one to the producer. Positions count
 * records modulo 2^32 and are compared by difference, so they may wrap.
 */
import { assertLayout } from './assert.ts';

/** A cache line, so that producer and consumer do not write to the same one. */
const LINE_BYTES = 64;

/** Written by the producer, read by the consumer. The Atomics store that publishes records. */
export const TAIL_WORD = 0;

/** 1 while the producer waits for space. Set by the producer, cleared by the consumer that tells it. */
export const WAITING_WORD = 1;

/**
 * Counts what the producer announced on another way, before it publishes records that need it. Written by the producer,
 * read by the consumer; it wraps.
 */
export const NEWS_WORD = 2;

/** Written by the consumer, read by the producer. The Atomics store that gives records back. */
export const HEAD_WORD = LINE_BYTES / 4;

/** 1 while the consumer sleeps. Set by the consumer, cleared by the producer that wakes it. */
export const ASLEEP_WORD = HEAD_WORD + 1;

export const RECORDS_BYTE = 2 * LINE_BYTES;

/** Words of a delta record. */
export const DELTA_WORDS = 8;

/** Fields of a delta record, in words from its start. All are written by the worker only. */
export const KIND = 0;
/** The reflector that made the record, a number given by the home thread. */
export const SOURCE = 1;
export const HASH_LO = 2;
export const HASH_HI = 3;
export const SEGMENT = 4;
/** Offset of the block in its segment, in units of 8 bytes: 32 bits reach 32 GiB. */
export const OFFSET8 = 5;
/** Length of the block; 0 when the record has none. */
export const LENGTH_BYTES = 6;
/** What the block's stamp was when the record was written. */
export const STAMP = 7;

/** In a record of kind `moved`: where the block lies that was copied. */
export const MOVED_SEGMENT = HASH_LO;
export const MOVED_OFFSET8 = HASH_HI;

/** Words of a release record. */
export const RELEASE_WORDS = 2;
export const RELEASE_SEGMENT = 0;
export const RELEASE_OFFSET8 = 1;

/** Bounds of a ring's capacity: a socket chunk should fit, and a slow consumer must be felt. */
export const MIN_RECORDS = 1 << 6;
export const MAX_RECORDS = 1 << 20;

/** What a delta record says. Values are part of the layout: a worker and its home run the same version. */
export const RecordKind = {
  /** Watch events with a body. */
  added: 1,
  modified: 2,
  deleted: 3,
  /** A watch bookmark; its block is a control body (JSON) with the resourceVersion. */
  bookmark: 4,
  /** A Replace begins: what is not seen until its end has vanished. */
  replaceBegin: 5,
  /** One object of a Replace. */
  replaceItem: 6,
  /** One object of a Replace that is as it was; its block has identity but no body. */
  replaceMark: 7,
  /** A Replace ended; its control body has the list's resourceVersion and type. */
  replaceEnd: 8,
  /** One object as it was when it was asked for alone; without a body, there was none. Of an audit. */
  repair: 9,
  /**
   * The block is a copy of another one, and is to take its place if that is current and nobody else reads it. In place of
   * the hash the record says where the other lies, see {@link MOVED_SEGMENT}.
   */
  moved: 10,
} as const;

export type RecordKind = (typeof RecordKind)[keyof typeof RecordKind];

export function ringBytes(records: number, recordWords: number): number {
  return RECORDS_BYTE + records * recordWords * 4;
}

assertLayout(STAMP === DELTA_WORDS - 1, 'the last field ends the delta record');
assertLayout(RECORDS_BYTE % LINE_BYTES === 0, 'records start on a cache line');
assertLayout(LINE_BYTES % (DELTA_WORDS * 4) === 0, 'no delta record straddles two cache lines');
assertLayout(ASLEEP_WORD * 4 < RECORDS_BYTE, 'control words end before the records');
