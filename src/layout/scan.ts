/**
 * Layout of what the scanner says about one object, in the WASM memory of its worker: a fixed head, then
 * the list of cuts (bytes that the projection drops), then the list of field values.
 *
 * This file is read by TypeScript and by the AssemblyScript compiler, so it holds nothing but constants.
 * Addresses are bytes in WASM memory. All words are written by the WASM module and read by the same thread.
 */

/** First byte of the object, and the first byte behind it. */
export const SCAN_OBJECT_START = 0;
export const SCAN_OBJECT_END = 1;
/** Where the scan stopped: behind the list item or watch line, or at the byte that is wrong. */
export const SCAN_STOP = 2;
/** See SCAN_FLAG_*. */
export const SCAN_FLAGS = 3;
/** Hash of the key (see key-hash.ts). */
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

/** Where the cuts begin: two words each, first byte and the byte behind, ascending, not overlapping. */
export const SCAN_CUTS = 24;
/** Most cuts of one object; what goes beyond stays in the body, which is correct, only longer. */
export const SCAN_MAX_CUTS = 500;
/** Where the fields begin: three words each, field id | value type << 8, first byte, byte behind. */
export const SCAN_FIELDS = 1024;
export const SCAN_FIELD_WORDS = 3;
/** Most field values of one object; more are counted by SCAN_FLAG_FIELDS_OVERFLOW. */
export const SCAN_MAX_FIELDS = 4096;

/** The object holds bytes above 0x7f. */
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
