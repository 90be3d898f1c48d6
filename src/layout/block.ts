/**
 * Layout of a block in an arena: one object's identity, the values of its index functions and columns,
 * and its body. Blocks are 8-byte aligned and named by (segment, offset / 8).
 *
 * ```
 *  byte  0        4            8            12         14       16        18       20       22       24
 *        ┌────────┬────────────┬────────────┬──────────┬────────┬─────────┬────────┬────────┬────────┐
 *        │ stamp  │ body offset│ body length│ ns length│ name l.│ uid len.│ rv len.│ fields │ flags  │
 *        ├────────┴────────────┴────────────┴──────────┴────────┴─────────┴────────┴────────┴────────┤
 *  24    │ key: namespace "/" name (only name when there is no namespace) · uid · resourceVersion     │
 *        ├────────────────────────────────────────────────────────────────────────────────────────────┤
 *  4-al. │ per field: word (field id << 24 | length in bytes), value bytes, padding to 4              │
 *        ├────────────────────────────────────────────────────────────────────────────────────────────┤
 *        │ body                                                                                       │
 *        └────────────────────────────────────────────────────────────────────────────────────────────┘
 * ```
 *
 * All bytes are written by the worker that owns the arena, before the ring record that names the block is
 * published, and never again until the home thread has released the block. The stamp is stored with
 * Atomics before any other byte of a new block, and differs from that of the block's former use: whoever
 * kept a handle compares it before and after reading, and so never takes another object's bytes.
 */
import { assertLayout } from './assert.ts';

/** Written by the worker with Atomics, read by everyone with Atomics. Never 0 in a block in use. */
export const BLOCK_STAMP_WORD = 0;
/** From the start of the block, in bytes. */
export const BLOCK_BODY_OFFSET_WORD = 1;
export const BLOCK_BODY_LENGTH_WORD = 2;

/** 16-bit fields, in units of two bytes from the start of the block. */
export const BLOCK_NAMESPACE_LENGTH_HALF = 6;
export const BLOCK_NAME_LENGTH_HALF = 7;
export const BLOCK_UID_LENGTH_HALF = 8;
export const BLOCK_RV_LENGTH_HALF = 9;
export const BLOCK_FIELD_COUNT_HALF = 10;
export const BLOCK_FLAGS_HALF = 11;

/** Where the key starts. */
export const BLOCK_KEY_BYTE = 24;

/** Flag: the whole block, its body included when that is JSON, is ASCII, so one byte is one character. */
export const BLOCK_FLAG_ASCII = 1;

/** Between namespace and name in a key. */
export const KEY_SEPARATOR_BYTE = 0x2f;

/** Unit of block addresses: offsets are stored divided by this. */
export const BLOCK_ALIGN_BYTES = 8;

/** Longest namespace, name, uid or resourceVersion that fits its 16-bit length. */
export const MAX_IDENTITY_BYTES = 0xffff;

/** A field's word holds its id in the upper 8 bits and its length in the lower 24. */
export const FIELD_ID_SHIFT = 24;
export const FIELD_LENGTH_MASK = 0xffffff;
export const MAX_FIELD_IDS = 256;
/** Most field values of one object (an index over `[*]` may give many); the rest is not indexed. */
export const MAX_BLOCK_FIELDS = 0xffff;

assertLayout(BLOCK_FLAGS_HALF * 2 + 2 === BLOCK_KEY_BYTE, 'the key follows the header');
assertLayout(BLOCK_NAMESPACE_LENGTH_HALF * 2 === (BLOCK_BODY_LENGTH_WORD + 1) * 4, 'halves follow the words');
assertLayout(BLOCK_KEY_BYTE % 4 === 0, 'the header ends on a word');
