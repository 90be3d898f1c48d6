/**
 * How a worker's arena is doing: one row in shared memory, so that the home thread can look without a message.
 *
 * ```
 *  byte  0              8            16       24             32            40            48          56
 *        ┌──────────────┬────────────┬────────┬──────────────┬─────────────┬─────────────┬───────────┐
 *        │ segment bytes│ used bytes │ blocks │ moved blocks │ moved bytes │ freed slabs │ rewritten │
 *        └──────────────┴────────────┴────────┴──────────────┴─────────────┴─────────────┴───────────┘
 * ```
 *
 * All fields have 64 bits, are written by the worker only, with Atomics, and read by the home thread, with Atomics. They
 * are independent of each other: a reader may see one new and another old.
 */

/** Bytes of all segments, and of the blocks in use in them, rounded up to their size classes. */
export const FIGURE_SEGMENT_BYTES = 0;
export const FIGURE_USED_BYTES = 1;
export const FIGURE_BLOCKS = 2;
/** Blocks that were copied so that memory becomes free, their bytes, and slabs that became free by it. */
export const FIGURE_MOVED_BLOCKS = 3;
export const FIGURE_MOVED_BYTES = 4;
export const FIGURE_FREED_SLABS = 5;
/** Blocks that were copied so that their bodies are made anew. */
export const FIGURE_REWRITTEN = 6;

export const FIGURE_COUNT = 7;
export const FIGURES_BYTES = FIGURE_COUNT * 8;
