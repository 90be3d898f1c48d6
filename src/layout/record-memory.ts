/**
 * The map of a transcoder's WASM memory, of which each instance has its own.
 *
 * ```
 *  0      1 KiB    64 KiB        2112 KiB
 *  ┌──────┬────────┬─────────────┬───────┬───────────────┬──────────────┬────────────┬───────────────────────┐
 *  │ null │ result │ dictionary  │ nodes │ cells of      │ cells of     │ strings    │ buffers of the running│
 *  │      │        │ (own copy)  │       │ shapes        │ strings      │ seen once  │ object: see below     │
 *  └──────┴────────┴─────────────┴───────┴───────────────┴──────────────┴────────────┴───────────────────────┘
 *
 *  buffers for an object of n bytes (each begins on 16 bytes)
 *  ┌─────────────────┬───────────┬───────────────────┬────────────────────────────┬──────────────────────┐
 *  │ input: n, zeros │ pool: n   │ decoded string: n │ room for head and sections │ structure: 2n, pool  │
 *  └─────────────────┴───────────┴───────────────────┴────────────────────────────┴──────────────────────┘
 * ```
 *
 * This file is read by TypeScript and by the AssemblyScript compiler, so it holds nothing but constants.
 */

/** Words of the result: address of the record, why there is none, and whether the dictionary is full. */
export const RESULT_BYTE = 1024;
export const RESULT_RECORD = 0;
export const RESULT_REFUSAL = 1;
export const RESULT_IS_FULL = 2;
/** Secret of the hashes, two words. Written by the thread before the first object. */
export const RESULT_SEED = 4;

/** Sections of the running object, two words each, until it is known whether they fit 16 bits. */
export const SECTIONS_BYTE = 2048;

export const OWN_DICTIONARY_BYTE = 65536;

/** What the transcoder keeps of each shape, and of one more place where values lie that have no shape's key. */
export const NODES_BYTE = 2162688;
export const NODE_BYTES = 40;
export const NODE_COUNT = 8193;

/** Hash tables, twice as many cells as entries. A cell is a half of the hash and a number. */
export const CELL_BYTES = 8;
export const SHAPE_CELLS_BYTE = 2490432;
export const SHAPE_CELLS = 16384;
export const STRING_CELLS_BYTE = 2621504;
export const STRING_CELLS = 32768;

/** A string, or a new key of a shape, has to be seen in two objects; this is how far back the first may lie. */
export const SEEN_BYTE = 2883648;
export const SEEN_CELLS = 262144;

export const BUFFERS_BYTE = 3932224;
/** Blocks are read and written up to so far behind the end of what they are for. Multiple of 16. */
export const OVERRUN_BYTES = 128;
/** In front of the structure: the head with all its sections, rounded up to 16. */
export const HEAD_ROOM_BYTES = 80;
/** A structure is at most twice as long as its JSON: `-0` takes four bytes, `[]` takes one. */
export const STRUCT_PER_INPUT = 2;
