/**
 * How an arena's segments are divided. Everything here is known to the worker alone: other threads see
 * blocks (`block.ts`), never pages. Pages and free lists lie in the worker's own memory.
 *
 * ```
 *  segment   ┌──────────────┬──────────────┬───────────── … ─┬──────────────┐
 *  (1–8 MiB) │ page 0       │ page 1       │                 │ page 127–1023│
 *            └──────────────┴──────────────┴───────────── … ─┴──────────────┘
 *  slab      a run of pages, cut into blocks of one size class
 *  large     a run of pages for one block above the largest class
 * ```
 */
import { assertLayout } from './assert.ts';
import { BLOCK_ALIGN_BYTES } from './block.ts';

/** The unit of runs. Small enough that a large block wastes an eighth at most when it is over 64 KiB. */
export const PAGE_BYTES = 8 * 1024;

/** A segment is what an arena grows by, and is emptied and given up by: from this for a small cluster … */
export const MIN_SEGMENT_BYTES = 1024 * 1024;

/** … to this for a large one, so that segments are rare. Only a block that is larger has a larger one, for itself. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;

/** The next segment is a part of what is in use, so that one that is hardly used is a small part of the whole. */
const SEGMENTS_IN_USE = 16;

/** Larger blocks get segments of their own: they would leave too much of a shared one unused. */
export const LARGEST_SHARED_BYTES = SEGMENT_BYTES / 4;

/**
 * Bytes of the next segment of an arena.
 *
 * @param usedBytes - of the blocks that it has
 * @param runBytes - what has to fit in; a few of them shall, so that the rest at the end is small
 */
export function segmentBytesFor(usedBytes: number, runBytes: number): number {
  let bytes = MIN_SEGMENT_BYTES;
  while (bytes < SEGMENT_BYTES && (bytes * 2 <= usedBytes / SEGMENTS_IN_USE || bytes < 4 * runBytes))
    bytes *= 2;
  return bytes;
}

/** Eight classes per doubling: a block wastes an eighth of its bytes at most, a twentieth on average. */
const CLASSES_PER_DOUBLING = 8;

/** Smaller blocks are rounded up to this: an identity alone has more. */
export const SMALLEST_CLASS_BYTES = 64;

/** Larger blocks get a run of pages of their own. */
export const LARGEST_CLASS_BYTES = 64 * 1024;

/**
 * A slab of the larger classes has from eight to fifteen blocks, whose sizes are chosen so that they fill it: the slabs of
 * a doubling are all as large as eight of its largest blocks, so a power of two, and lie at multiples of their size. Thus
 * pages that one class gives back fit others, and nothing is left between slabs.
 */
const MIN_SLAB_BLOCKS = 8;
const MAX_SLAB_BLOCKS = 2 * MIN_SLAB_BLOCKS - 1;

/** Up to here a slab is one page, which has so many blocks that the rest at its end is small. */
const LARGEST_EVEN_BYTES = PAGE_BYTES / (2 * MIN_SLAB_BLOCKS);

/** Sizes of the classes in bytes, ascending, each a multiple of the block alignment. */
export const CLASS_BYTES: readonly number[] = makeClasses();

/** Pages of a slab of each class, a power of two. */
export const CLASS_PAGES: readonly number[] = CLASS_BYTES.map(slabPages);

/** The smallest class that holds `bytes`, or -1 when it needs a run of its own. */
export function classOf(bytes: number): number {
  if (bytes > LARGEST_CLASS_BYTES) return -1;
  if (bytes <= SMALLEST_CLASS_BYTES) return 0;
  // The doubling that the size lies in, then the step within it.
  const doubling = 31 - Math.clz32(bytes - 1);
  const first = (doubling - 6) * CLASSES_PER_DOUBLING + 1;
  const base = 1 << doubling;
  if (base < LARGEST_EVEN_BYTES) return first + ((bytes - 1 - base) >> (doubling - 3));
  const aligned = (bytes + BLOCK_ALIGN_BYTES - 1) & -BLOCK_ALIGN_BYTES;
  const blocks = Math.min(MAX_SLAB_BLOCKS, Math.floor((2 * base * MIN_SLAB_BLOCKS) / aligned));
  return first + MAX_SLAB_BLOCKS - blocks;
}

function makeClasses(): number[] {
  const classes = [SMALLEST_CLASS_BYTES];
  for (let base = SMALLEST_CLASS_BYTES; base < LARGEST_CLASS_BYTES; base *= 2) {
    for (let step = 1; step <= CLASSES_PER_DOUBLING; step++) {
      const even = base + (base / CLASSES_PER_DOUBLING) * step;
      const share = (2 * base * MIN_SLAB_BLOCKS) / (MAX_SLAB_BLOCKS + 1 - step);
      classes.push(base < LARGEST_EVEN_BYTES ? even : share & -BLOCK_ALIGN_BYTES);
    }
  }
  return classes;
}

function slabPages(blockBytes: number): number {
  let pages = 1;
  while (pages * PAGE_BYTES < blockBytes * MIN_SLAB_BLOCKS) pages *= 2;
  return pages;
}

assertLayout(MIN_SEGMENT_BYTES % PAGE_BYTES === 0, 'pages fill a segment');
assertLayout(SEGMENT_BYTES % MIN_SEGMENT_BYTES === 0, 'segments double up to the largest');
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
  CLASS_PAGES.every((pages) => pages * PAGE_BYTES <= MIN_SEGMENT_BYTES),
  'a slab fits into each segment',
);
