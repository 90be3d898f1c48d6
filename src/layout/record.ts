/**
 * Layout of a record: one object as the transcoder writes it and the decoder reads it. Keys and most strings are
 * numbers of a dictionary (record-dictionary.ts); strings that are not lie together at the end, in the pool.
 *
 * ```
 *  byte  0        1          2          4        8                12
 *        ┌────────┬──────────┬──────────┬────────┬────────────────┬─────────────────────┬───────────┬──────┐
 *        │ format │ sections │ own bytes│ epoch  │ struct length  │ sections × 4 bytes  │ structure │ pool │
 *        └────────┴──────────┴──────────┴────────┴────────────────┴─────────────────────┴───────────┴──────┘
 *
 *  section    byte 0 offset in the structure · 2 offset in the pool, of the nth key's value
 *  structure  one value, in preorder: a tag byte, then what the tag asks for
 *  pool       ASCII, in the order of the structure, up to the end of the record
 *
 *  tag   00 null          08 n  n bytes of the pool             20–3f  0–31 bytes of the pool
 *        01 false         09 n  n bytes ASCII follow            40–5f  object with pairs: 13 bits shape, pairs, 07
 *        02 true          0a n  n bytes JSON text of a string   60–7e  array of 0–30 values
 *        03 v  integer    07    end of an array or of pairs     7f     array, up to 07
 *        04 8  double     10–1f integers 0–15                   80–bf  string: 14 bits id
 *        05 n  number as text                                   c0–df  object: 13 bits shape, one value per key
 *        06 n  n bytes UTF-8 follow                             e0–ff  (not used)
 * ```
 *
 * `n` and `v` are in groups of seven bits, the low ones first, the eighth bit says that more follow; `v` is twice the
 * number, or twice its negative minus one. Ids of more than eight bits have their high bits in the tag. Everything is
 * little-endian. A record is written by the worker, and never changed.
 *
 * This file is read by TypeScript and by the AssemblyScript compiler, so it holds nothing but constants.
 */

/** First byte of a record. No JSON text begins with it, so a body says itself what it is. */
export const RECORD_FORMAT = 1;

export const RECORD_SECTIONS_BYTE = 1;
/**
 * So many bytes at the start of the pool are decoded string by string: metadata, of which programs keep uids and
 * names. A substring of the whole pool would keep all of it.
 */
export const RECORD_OWN_BYTE = 2;
export const RECORD_OWN_MAX = 0xffff;
/** The dictionary: see RECORD_EPOCH_INDEX_BITS. */
export const RECORD_EPOCH_BYTE = 4;
export const RECORD_STRUCT_LENGTH_BYTE = 8;
export const RECORD_HEAD_BYTES = 12;

/** One per key of the object, when it is one with a shape, and small enough for 16 bits. Else none. */
export const RECORD_SECTION_BYTES = 4;
export const RECORD_MAX_SECTIONS = 15;

/** Bits of an epoch number that count the epochs of one worker; the rest is the worker's number. */
export const RECORD_EPOCH_INDEX_BITS = 16;

export const TAG_NULL = 0x00;
export const TAG_FALSE = 0x01;
export const TAG_TRUE = 0x02;
export const TAG_INTEGER = 0x03;
/** An integer of more than 30 bits that a double holds exactly. */
export const TAG_DOUBLE = 0x04;
/** A number that is no integer, or that a double may not hold: as it was written. */
export const TAG_NUMBER_TEXT = 0x05;
export const TAG_UTF8 = 0x06;
export const TAG_END = 0x07;
export const TAG_POOL = 0x08;
/** A long string: it should not be a slice of the pool, which would then be kept with it. */
export const TAG_ASCII = 0x09;
/** A string that UTF-8 can't hold, because half of a surrogate pair is alone: quotes, escapes and all. */
export const TAG_JSON_STRING = 0x0a;
export const TAG_SMALL_INTEGER = 0x10;
export const TAG_SHORT_POOL = 0x20;
export const TAG_PAIRS = 0x40;
export const TAG_ARRAY = 0x60;
export const TAG_LONG_ARRAY = 0x7f;
export const TAG_STRING = 0x80;
export const TAG_OBJECT = 0xc0;
export const TAG_UNUSED = 0xe0;

/** Longest ASCII string that goes to the pool. */
export const RECORD_POOL_STRING_MAX = 1024;

/** An object or array deeper than this is refused: decoding goes one call deeper with each level. */
export const RECORD_MAX_DEPTH = 100;

/** Longest JSON that is made a record. A server's objects end at 1.5 MiB (etcd) or 3 MiB (its own limit). */
export const RECORD_MAX_INPUT_BYTES = 4 << 20;
/** Longest record; what would be longer gains nothing. */
export const RECORD_MAX_BYTES = 4 << 20;

/** Why an object was not made a record. */
export const REFUSED_SYNTAX = 1;
export const REFUSED_UTF8 = 2;
export const REFUSED_DEPTH = 3;
export const REFUSED_SIZE = 4;
