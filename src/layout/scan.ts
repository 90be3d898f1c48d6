/**
 * Layout of what the scanner says about one object, in the WASM memory of its worker: a fixed head, then
 * the list of cuts (bytes that the projection drops), then the list of field values, then notes that the
 * scanner keeps for itself.
 *
 * ```
 *  word   0              8           22         24                1024             13312        15360
 *         ┌──────────────┬───────────┬──────────┬─────────────────┬────────────────┬────────────┐
 *         │ head         │ identity  │ (unused) │ cuts            │ fields         │ own notes  │
 *         │ 8 words      │ 7 × 2     │          │ at most 500 × 2 │ at most 4096×3 │            │
 *         └──────────────┴───────────┴──────────┴─────────────────┴────────────────┴────────────┘
 * ```
 *
 * This file is read by TypeScript and by the AssemblyScript compiler, so it holds nothing but constants.
 * Addresses are bytes in WASM memory. All words are written by the WASM module and read by the same thread.
 */

/**
 * First byte of the object, and the first byte behind it. Both 0 when a watch line has no `object` that is
 * a JSON object.
 */
export const SCAN_OBJECT_START = 0;
export const SCAN_OBJECT_END = 1;
/** Where the scan stopped: behind the list item or watch event, or at the byte that is wrong. */
export const SCAN_STOP = 2;
/** See SCAN_FLAG_*. */
export const SCAN_FLAGS = 3;
/**
 * Hash of the key (see key-hash.ts). Both 0 when the scanner did not compute it: there is no name, or
 * namespace or name holds an escape, or the key is longer than SCAN_MAX_HASHED_BYTES.
 */
export const SCAN_HASH_LO = 4;
export const SCAN_HASH_HI = 5;
export const SCAN_CUT_COUNT = 6;
export const SCAN_FIELD_COUNT = 7;

/**
 * Identity, two words each: first byte of the string's content and the byte behind it, without quotes;
 * both 0 when the object has no such string.
 */
export const SCAN_IDENTITY = 8;
export const SCAN_NAMESPACE = 8;
export const SCAN_NAME = 10;
export const SCAN_UID = 12;
export const SCAN_RESOURCE_VERSION = 14;
export const SCAN_KIND = 16;
export const SCAN_API_VERSION = 18;
/** The type of a watch event. */
export const SCAN_EVENT_TYPE = 20;
/** Identity strings, the event type among them. */
export const SCAN_IDENTITY_COUNT = 7;

/**
 * Where the cuts begin: two words each, first byte and the byte behind, ascending, not overlapping. What
 * is left of the object without them is valid JSON.
 */
export const SCAN_CUTS = 24;
/** Most cuts of one object; what goes beyond stays in the body, which is correct, only longer. */
export const SCAN_MAX_CUTS = 500;
/**
 * Where the fields begin: three words each, field id | value type << 8, first byte, byte behind. In no
 * order that means anything. A key that occurs twice in one object counts with its last value only.
 */
export const SCAN_FIELDS = 1024;
export const SCAN_FIELD_WORDS = 3;
/** Most field values of one object; that more were left out is told by SCAN_FLAG_FIELDS_OVERFLOW. */
export const SCAN_MAX_FIELDS = 4096;

/** The scanned bytes (of a watch event also those around the object) hold some above 0x7f. */
export const SCAN_FLAG_NON_ASCII = 1;
/** Some field values were left out, see SCAN_MAX_FIELDS. */
export const SCAN_FLAG_FIELDS_OVERFLOW = 2;
/** Bit 8 + n: identity string n (namespace is 0, event type is 6) holds a backslash escape. */
export const SCAN_FLAG_ESCAPED_SHIFT = 8;

/** Types of a field's value. Strings are given without quotes. */
export const SCAN_VALUE_STRING = 0;
/** A string with a backslash escape in it. */
export const SCAN_VALUE_ESCAPED = 1;
/** A number, true, false or null, as written. */
export const SCAN_VALUE_LITERAL = 2;
/** An object or array, as written. */
export const SCAN_VALUE_COMPOUND = 3;

/** What a scan answers. */
export const SCAN_COMPLETE = 0;
/** The bytes ended before the object did. */
export const SCAN_INCOMPLETE = 1;
/** The byte at SCAN_STOP can't stand where it stands. */
export const SCAN_MALFORMED = 2;

/** Longest key (namespace, slash, name) that is hashed by the scanner; Kubernetes ends at 317. */
export const SCAN_MAX_HASHED_BYTES = 1000;
/** Longest key of a JSON object, in bytes, that can be part of a path when it is written with escapes. */
export const SCAN_MAX_KEY_BYTES = 1000;

/** The scanner's own: which program node gave field n, two bytes each. */
export const SCAN_FIELD_NODES = 13312;
/** The scanner's own: which program node gave identity string n, a word each. */
export const SCAN_IDENTITY_NODES = 15360;
/** Depth, surplus of braces and string state of a structural scan that goes on with the next bytes. */
export const SCAN_NEST_DEPTH = 15368;
export const SCAN_NEST_BRACES = 15369;
export const SCAN_NEST_STATE = 15370;
/** The scanner's own: two places to decode or join keys, with room for stores beyond their end. */
export const SCAN_SCRATCH = 15376;
export const SCAN_SCRATCH_WORDS = 272;
/** Words of the whole region. */
export const SCAN_RESULT_WORDS = 15920;

/** Bits of SCAN_NEST_STATE: inside a string, behind an unpaired backslash, begun with a square bracket. */
export const SCAN_NEST_IN_STRING = 1;
export const SCAN_NEST_ESCAPED = 2;
export const SCAN_NEST_BRACKET = 4;
