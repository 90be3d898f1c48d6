/**
 * How an arena's segments are divided. Everything here is known to the worker alone: other threads see
 * blocks (`block.ts`), never pages. Pages and free lists lie in the worker's own memory.
 *
 * ```
 *  segment   ┌──────────────┬──────────────┬───────────── … ─┬──────────────┐
 *  (8 MiB)   │ page 0       │ page 1       │                 │ page 511     │
 *            └──────────────┴──────────────┴───────────── … ─┴──────────────┘
 *  slab      a run of pages, cut into blocks of one size class
 *  large     a run of pages for one block above the largest class
 * ```
 */
import { assertLayout } from './assert.ts';
import { BLOCK_ALIGN_BYTES } from './block.ts';

/** The unit of runs. Small enough that a large block wastes an eighth at most when it is over 64 KiB. */
export const PAGE_BYTES = 8 * 1024;

/** A segment is what one arena grows by: big enough to be rare, small enough for a small cluster. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;
export const SEGMENT_PAGES = SEGMENT_BYTES / PAGE_BYTES;

/** Eight classes per doubling: a block wastes an eighth of its bytes at most, a sixteenth on average. */
const CLASSES_PER_DOUBLING = 8;

/** Smaller blocks are rounded up to this: an identity alone has more. */
export const SMALLEST_CLASS_BYTES = 64;

/** Larger blocks get a run of pages of their own. */
export const LARGEST_CLASS_BYTES = 64 * 1024;

/** A slab holds at least this many blocks, so that the rest at its end is small beside them. */
const BLOCKS_PER_SLAB = 16;

/** Sizes of the classes in bytes, ascending, each a multiple of the block alignment. */
export const CLASS_BYTES: readonly number[] = makeClasses();

/** Pages of a slab of each class. */
export const CLASS_PAGES: readonly number[] = CLASS_BYTES.map((bytes) =>
  Math.ceil((bytes * BLOCKS_PER_SLAB) / PAGE_BYTES),
);

/** The smallest class that holds `bytes`, or -1 when it needs a run of its own. */
export function classOf(bytes: number): number {
  if (bytes > LARGEST_CLASS_BYTES) return -1;
  if (bytes <= SMALLEST_CLASS_BYTES) return 0;
  // The doubling that the size lies in, then the step within it.
  const doubling = 31 - Math.clz32(bytes - 1);
  const step = (bytes - 1 - (1 << doubling)) >> (doubling - 3);
  return (doubling - 6) * CLASSES_PER_DOUBLING + step + 1;
}

function makeClasses(): number[] {
  const classes = [SMALLEST_CLASS_BYTES];
  for (let base = SMALLEST_CLASS_BYTES; base < LARGEST_CLASS_BYTES; base *= 2) {
    for (let step = 1; step <= CLASSES_PER_DOUBLING; step++) {
      classes.push(base + (base / CLASSES_PER_DOUBLING) * step);
    }
  }
  return classes;
}

assertLayout(SEGMENT_BYTES % PAGE_BYTES === 0, 'pages fill a segment');
assertLayout(
  CLASS_BYTES.every((bytes) => bytes % BLOCK_ALIGN_BYTES === 0),
  'blocks of every class are aligned',
);
assertLayout(CLASS_BYTES.at(-1) === LARGEST_CLASS_BYTES, 'the last class is the largest');
assertLayout(
  CLASS_BYTES.every((bytes, index) => classOf(bytes) === index && classOf(bytes - 7) === index),
  'every size finds its class',
);
assertLayout(
  CLASS_PAGES.every((pages) => pages <= SEGMENT_PAGES),
  'a slab fits into a segment',
);
