/**
 * Layout of one epoch of a dictionary: strings by id, and shapes, which are the keys of objects in their order. Shapes
 * are a tree: each adds one key to its parent.
 *
 * ```
 *  byte      0        4        8          12         16        20        64
 *            ┌────────┬────────┬──────────┬──────────┬─────────┬─────────┬──────────────┬─────────────┬──────┐
 *            │ format │ epoch  │ strings  │ shapes   │ text    │ (unused)│ string table │ shape table │ text │
 *            │        │        │ (count)  │ (count)  │ (bytes) │         │ 16384 × 8    │ 8192 × 12   │      │
 *            └────────┴────────┴──────────┴──────────┴─────────┴─────────┴──────────────┴─────────────┴──────┘
 *
 *            0        4                                  0        4            8
 *            ┌────────┬────────────────┐                 ┌────────┬────────────┬────────────────┐
 *  string    │ offset │ length | flags │          shape  │ parent │ key offset │ length | flags │
 *            └────────┴────────────────┘                 └────────┴────────────┴────────────────┘
 * ```
 *
 * Offsets count from the start of the text, which is UTF-8. Shape 0 is the object without keys.
 *
 * It exists twice: in the memory of the transcoder, which appends to it, and in a SharedArrayBuffer that all threads
 * read. The worker copies what is new to the shared one with plain stores, then stores the two counts with Atomics;
 * only then the record that uses it goes on its way. Nothing below the counts is ever written again.
 *
 * This file is read by TypeScript and by the AssemblyScript compiler, so it holds nothing but constants.
 */

export const DICTIONARY_FORMAT = 1;

/** Words of the head. The counts are stored with Atomics in the shared copy. */
export const DICTIONARY_FORMAT_WORD = 0;
export const DICTIONARY_EPOCH_WORD = 1;
export const DICTIONARY_STRING_COUNT_WORD = 2;
export const DICTIONARY_SHAPE_COUNT_WORD = 3;
export const DICTIONARY_TEXT_BYTES_WORD = 4;
export const DICTIONARY_HEAD_BYTES = 64;

/** As many as fit two bytes of a record beside the tag. */
export const DICTIONARY_MAX_STRINGS = 16384;
export const DICTIONARY_MAX_SHAPES = 8192;

export const DICTIONARY_STRINGS_BYTE = 64;
export const DICTIONARY_STRING_BYTES = 8;
export const DICTIONARY_SHAPES_BYTE = 131136;
export const DICTIONARY_SHAPE_BYTES = 12;
export const DICTIONARY_TEXT_BYTE = 229440;
/** All of it. What is never written to costs no memory, only addresses. */
export const DICTIONARY_BYTES = 2097152;

/** Upper bits of a length: the text has bytes above 0x7f; it was read without escapes, so JSON has it as it is. */
export const DICTIONARY_NON_ASCII = 0x80000000;
export const DICTIONARY_PLAIN = 0x40000000;
export const DICTIONARY_LENGTH_MASK = 0xffff;

/** Longest string that is put into a dictionary: labels have 63 characters, images about as many. */
export const DICTIONARY_MAX_STRING_BYTES = 96;
/** Longest key of a shape, with its closing quote; annotations have keys of up to 317 bytes. */
export const DICTIONARY_MAX_KEY_BYTES = 400;
/** Most keys of a shape; an object with more has the rest as pairs. Maps are that large, types never. */
export const DICTIONARY_MAX_KEYS = 128;
