/** Slabs: runs of pages of an arena's segment, cut into blocks of one size. Known to the arena's worker alone. */
import { CLASS_BYTES, PAGE_BYTES } from '../layout/arena.ts';
import type { Segment } from './segments.ts';

/** In `sources`, for a block that is free. */
export const NOBODY = -1;

export interface Slab {
  readonly segment: ArenaSegment;
  readonly firstPage: number;
  readonly pages: number;
  /** Index of the size class, -1 for a large block. */
  readonly sizeClass: number;
  readonly blockBytes: number;
  /** Stack of free block numbers; the upper part, from `freeCount`, is unused. */
  readonly free: Uint16Array;
  /** Who allocated each block. */
  readonly sources: Int32Array;
  readonly blocks: number;
  /** Position among all slabs: the lower ones are filled first, so that the upper ones become empty. */
  readonly order: number;
  freeCount: number;
  /** It is being emptied: no block of it is handed out. */
  isDraining: boolean;
}

/** A segment as its arena sees it. */
export interface ArenaSegment extends Segment {
  readonly pageSlabs: (Slab | undefined)[];
  /** Made for one large block. */
  readonly isDedicated: boolean;
  freePages: number;
  /** Bytes of blocks in use, rounded up to their size classes. */
  usedBytes: number;
  /** It is being emptied: no slab is opened in it. */
  isDraining: boolean;
}

/** More pages than any segment has, to make one number of segment and page. */
const MAX_ORDER_PAGES = 1 << 20;

/**
 * Takes pages of a segment.
 *
 * @param index - position of the segment in its arena
 */
export function openSlab(
  segment: ArenaSegment,
  index: number,
  firstPage: number,
  pages: number,
  sizeClass: number,
): Slab {
  const blockBytes = sizeClass === -1 ? pages * PAGE_BYTES : CLASS_BYTES[sizeClass]!;
  const blocks = Math.floor((pages * PAGE_BYTES) / blockBytes);
  const free = new Uint16Array(blocks);
  // The stack hands out the lowest block first, so that a fresh slab is touched from its start.
  for (let i = 0; i < blocks; i++) free[i] = blocks - 1 - i;
  const slab: Slab = {
    segment,
    firstPage,
    pages,
    sizeClass,
    blockBytes,
    free,
    sources: new Int32Array(blocks).fill(NOBODY),
    blocks,
    order: index * MAX_ORDER_PAGES + firstPage,
    freeCount: blocks,
    isDraining: false,
  };
  segment.pageSlabs.fill(slab, firstPage, firstPage + pages);
  segment.freePages -= pages;
  return slab;
}

/** Gives the pages of a slab back to its segment. */
export function closeSlab({ segment, firstPage, pages }: Slab): void {
  segment.pageSlabs.fill(undefined, firstPage, firstPage + pages);
  segment.freePages += pages;
}

/** All slabs of a segment. */
export function slabsOf({ pageSlabs }: ArenaSegment): Slab[] {
  const slabs: Slab[] = [];
  for (let page = 0; page < pageSlabs.length; ) {
    const slab = pageSlabs[page];
    if (slab !== undefined) slabs.push(slab);
    page += slab?.pages ?? 1;
  }
  return slabs;
}

/** Keeps slabs sorted with the lowest at the end, where it is taken from. */
export function insertDescending(slabs: Slab[], slab: Slab): void {
  let low = 0;
  let high = slabs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slabs[middle]!.order > slab.order) low = middle + 1;
    else high = middle;
  }
  slabs.splice(low, 0, slab);
}

/**
 * First page of a run of free pages, or -1.
 *
 * @param step - the run begins at a multiple of this
 */
export function findRun(pageSlabs: readonly (Slab | undefined)[], pages: number, step: number): number {
  for (let first = 0; first + pages <= pageSlabs.length; ) {
    let taken = first;
    while (taken < first + pages && pageSlabs[taken] === undefined) taken++;
    if (taken === first + pages) return first;
    const { firstPage, pages: slabPages } = pageSlabs[taken]!;
    first = Math.ceil((firstPage + slabPages) / step) * step;
  }
  return -1;
}

/** How many lengths of runs are told apart: slabs have 1, 2, 4 … 64 pages. */
const RUN_LENGTHS = 7;

/** Position among the lengths of runs of the shortest that has so many pages. */
export function runLengthOf(pages: number): number {
  return Math.min(RUN_LENGTHS - 1, 32 - Math.clz32(pages - 1));
}

/** Free pages of a segment that slabs of 1, 2, 4 … 64 pages find place in. */
export function openPagesOf({ pageSlabs }: ArenaSegment): number[] {
  const open = new Array<number>(RUN_LENGTHS).fill(0);
  let run = 0;
  for (let page = 0; page <= pageSlabs.length; page++) {
    if (page < pageSlabs.length && pageSlabs[page] === undefined) {
      run++;
      continue;
    }
    for (let length = 0; length < RUN_LENGTHS && run >> length > 0; length++) {
      // Slabs are aligned.
      const first = (page - run + (1 << length) - 1) >> length;
      open[length]! += Math.max(0, (page >> length) - first) << length;
    }
    run = 0;
  }
  return open;
}
