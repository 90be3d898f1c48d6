/**
 * Layout of a scan program in WASM memory: a trie of nodes, each with its keys. Written once by the
 * TypeScript side when a program is loaded, then only read, by the WASM module.
 *
 * ```
 *  byte  0        4            8              16        20       24       28       32       36         40     48
 *        ┌────────┬────────────┬──────────────┬─────────┬────────┬────────┬────────┬────────┬──────────┬──────┐
 *  node  │ flags  │ number|last│ key lengths  │ keys    │ at     │ each   │ at     │ at     │ fields|  │ ids  │
 *        │        │            │ (bit mask)   │ (count) │ (keys) │ (node) │ (count)│ (list) │ keys ids │ at   │
 *        └────────┴────────────┴──────────────┴─────────┴────────┴────────┴────────┴────────┴──────────┴──────┘
 *
 *  byte  0               8        12       16       24
 *        ┌───────────────┬────────┬────────┬────────┐          ┌────────┬────────┐
 *  key   │ first 8 bytes │ length │ child  │ bytes  │    at    │ index  │ child  │
 *        └───────────────┴────────┴────────┴────────┘          └────────┴────────┘
 * ```
 *
 * This file is read by TypeScript and by the AssemblyScript compiler, so it holds nothing but constants.
 * Everything is in bytes; links are addresses in WASM memory, 0 for none.
 */

export const NODE_BYTES = 48;

export const NODE_FLAGS = 0;
/** Nodes are numbered depth first, so a subtree is a range: its first number | its last number << 16. */
export const NODE_NUMBERS = 4;
/** Bit min(length, 63) is set when a key of that length is wanted. */
export const NODE_LENGTH_MASK = 8;
export const NODE_KEY_COUNT = 16;
export const NODE_KEYS = 20;
/** The child for every array element that has no child of its own. */
export const NODE_EACH = 24;
export const NODE_AT_COUNT = 28;
export const NODE_AT = 32;
/** How many field ids take this value | how many take its keys << 16. */
export const NODE_ID_COUNTS = 36;
/** The ids, a word each: first those that take the value, then those that take the keys. */
export const NODE_IDS = 40;

/** The value is cut out of the object. */
export const NODE_FLAG_DROP = 1;
/** The value is the Kubernetes object itself. */
export const NODE_FLAG_OBJECT = 2;
/** Objects at this place are walked, not skipped. */
export const NODE_FLAG_WALK_OBJECT = 4;
/** Arrays at this place are walked, not skipped. */
export const NODE_FLAG_WALK_ARRAY = 8;
/** Of an object at this place, keys without a node are cut out. */
export const NODE_FLAG_KEEPS_NAMED = 16;
/** From here on: number of the identity string that this value is, plus 1. */
export const NODE_IDENTITY_SHIFT = 8;

export const KEY_ENTRY_BYTES = 24;
/** The first eight bytes of the key as one little-endian number, zeros behind a shorter one. */
export const KEY_PREFIX = 0;
export const KEY_LENGTH = 8;
export const KEY_CHILD = 12;
export const KEY_BYTES = 16;

export const AT_ENTRY_BYTES = 8;
export const AT_INDEX = 0;
export const AT_CHILD = 4;

/** Most keys of one node: a 64-bit mask notes which of them an object has shown already. */
export const MAX_NODE_KEYS = 64;
/** Most nodes of one program: their numbers have 16 bits, and 0 is none. */
export const MAX_NODES = 0xffff;
