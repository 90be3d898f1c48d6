/**
 * Layout of a worker's structures: the lists of keys that its MessagePack bodies share. A body names them by number, so
 * whoever decodes it has to know them.
 *
 * ```
 *  byte  0       4       8
 *        ┌───────┬───────┬─────────────────────────────┬──────────
 *        │ count │ end   │ ["kind","apiVersion",…] \n  │ next …
 *        └───────┴───────┴─────────────────────────────┴──────────
 * ```
 *
 * The worker appends, and never changes what is there. It stores `end`, then `count`, with Atomics, before it publishes
 * the record of the first body that names a new structure; so whoever found a body finds its structures.
 */

/** How many structures there are. */
export const STRUCTURES_COUNT_WORD = 0;
/** The byte behind the last of them. */
export const STRUCTURES_END_WORD = 1;
/** Where the first of them begins. */
export const STRUCTURES_FIRST_BYTE = 8;

/**
 * Some 5,000 structures of 20 keys each. What finds no room is written into its body. The pages that nobody has written to
 * cost addresses only.
 */
export const STRUCTURES_BYTES = 1024 * 1024;

/** As many as msgpackr can number: two bytes each. */
export const STRUCTURES_MAX = 8160;

/**
 * First byte of a MessagePack body. MessagePack never uses it, JSON can't begin with it, and it is no number of a record
 * format.
 */
export const MSGPACK_BODY_BYTE = 0xc1;
