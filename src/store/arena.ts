/**
 * The memory of object bodies: one arena per worker, which alone allocates and frees in it. Blocks come
 * from slabs of one size class, so that a freed block fits the next object of about its size; a slab whose
 * blocks are all free gives its pages back for other sizes, and a segment without any slab is given up.
 */
import {
  CLASS_BYTES,
  CLASS_PAGES,
  classOf,
  PAGE_BYTES,
  SEGMENT_BYTES,
  SEGMENT_PAGES,
} from '../layout/arena.ts';
import { BLOCK_ALIGN_BYTES, BLOCK_STAMP_WORD } from '../layout/block.ts';
import { openSegment, SEGMENT_INDEX_MASK, type Segment, segmentId } from './segments.ts';

/** Unused segments that are kept, so that an arena at a boundary does not make and drop one all the time. */
const SPARE_SEGMENTS = 1;

/** Above the limit, for blocks that must find room when nothing else does. */
const RESERVE_BYTES = SEGMENT_BYTES;

interface Slab {
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
}

interface ArenaSegment extends Segment {
  readonly pageSlabs: (Slab | undefined)[];
  freePages: number;
}

export interface ArenaOptions {
  /** Number of the worker; part of the numbers of its segments. */
  readonly worker: number;
  /** Most bytes of all segments together. */
  readonly limitBytes: number;
  /** Called with a new segment before any block of it is handed out. */
  readonly onSegment: (segment: Segment) => void;
  /** Called when a segment holds nothing any more and is given up. */
  readonly onSegmentGone: (id: number) => void;
}

export interface ArenaStats {
  /** Bytes of all segments. */
  readonly segmentBytes: number;
  /** Bytes of blocks in use, rounded up to their size classes. */
  readonly usedBytes: number;
  readonly blocks: number;
  readonly limitBytes: number;
}

export class Arena {
  /** Where the last allocated block lies. */
  segment: Segment | undefined;
  /** In bytes from the start of the segment. */
  offset = 0;
  stamp = 0;

  readonly #options: ArenaOptions;
  readonly #segments: (ArenaSegment | undefined)[] = [];
  /** Per size class, the slabs that have a free block, the lowest last. */
  readonly #partial: Slab[][] = CLASS_BYTES.map(() => []);
  readonly #usedBySource = new Map<number, number>();
  #segmentBytes = 0;
  #usedBytes = 0;
  #blocks = 0;

  constructor(options: ArenaOptions) {
    this.#options = options;
  }

  get stats(): ArenaStats {
    return {
      segmentBytes: this.#segmentBytes,
      usedBytes: this.#usedBytes,
      blocks: this.#blocks,
      limitBytes: this.#options.limitBytes,
    };
  }

  /** Bytes in use by source, the largest first. */
  largestConsumers(): { source: number; bytes: number }[] {
    return [...this.#usedBySource]
      .map(([source, bytes]) => ({ source, bytes }))
      .sort((a, b) => b.bytes - a.bytes);
  }

  /**
   * Finds room for a block, sets `segment`, `offset` and `stamp`, and stamps the block.
   *
   * @param bytes - length of the block
   * @param source - who it is for, for the accounts
   * @param mayUseReserve - for small blocks that make room possible: deletes, marks, control records
   * @returns false when the limit is reached; then nothing was changed
   */
  allocate(bytes: number, source: number, mayUseReserve = false): boolean {
    const sizeClass = classOf(bytes);
    const slab =
      sizeClass === -1
        ? this.#newSlab(-1, Math.ceil(bytes / PAGE_BYTES), mayUseReserve)
        : (this.#partial[sizeClass]!.at(-1) ??
          this.#newSlab(sizeClass, CLASS_PAGES[sizeClass]!, mayUseReserve));
    if (slab === undefined) return false;
    const block = slab.free[--slab.freeCount]!;
    if (slab.freeCount === 0 && sizeClass !== -1) this.#partial[sizeClass]!.pop();
    slab.sources[block] = source;
    this.#account(source, slab.blockBytes, 1);
    this.segment = slab.segment;
    this.offset = slab.firstPage * PAGE_BYTES + block * slab.blockBytes;
    this.#stampBlock(slab.segment);
    return true;
  }

  /** Whether a block of this length would find room now. */
  hasRoomFor(bytes: number): boolean {
    if (!this.allocate(bytes, TRIAL)) return false;
    this.free(this.segment!.id, this.offset);
    return true;
  }

  /**
   * Takes a block back.
   *
   * @throws Error when no such block is in use: somebody released it twice
   */
  free(id: number, offset: number): void {
    const segment = this.#segments[id & SEGMENT_INDEX_MASK];
    const slab = segment?.pageSlabs[Math.floor(offset / PAGE_BYTES)];
    if (segment === undefined || slab === undefined) {
      throw new Error(`segment ${id} has no block at byte ${offset}: it was released twice`);
    }
    const block = (offset - slab.firstPage * PAGE_BYTES) / slab.blockBytes;
    const source = slab.sources[block]!;
    if (source === NOBODY || !Number.isInteger(block)) {
      throw new Error(`block ${block} of segment ${id} at byte ${offset} was released twice`);
    }
    slab.sources[block] = NOBODY;
    slab.free[slab.freeCount++] = block;
    this.#account(source, -slab.blockBytes, -1);
    this.#afterFree(slab);
  }

  #afterFree(slab: Slab): void {
    const isLarge = slab.sizeClass === -1;
    const partial = isLarge ? undefined : this.#partial[slab.sizeClass]!;
    if (partial !== undefined && slab.freeCount === 1) insertDescending(partial, slab);
    if (slab.freeCount < slab.blocks) return;
    // The last slab of a class is kept: the next object of that size is likely to come soon.
    if (partial !== undefined) {
      if (partial.length === 1) return;
      partial.splice(partial.indexOf(slab), 1);
    }
    const { segment, firstPage, pages } = slab;
    for (let page = firstPage; page < firstPage + pages; page++) segment.pageSlabs[page] = undefined;
    segment.freePages += pages;
    if (segment.freePages === segment.pageSlabs.length) this.#dropIfSpare(segment);
  }

  #dropIfSpare(segment: ArenaSegment): void {
    const isOversize = segment.pageSlabs.length > SEGMENT_PAGES;
    const spares = this.#segments.filter((other) => other?.freePages === other?.pageSlabs.length && other);
    if (!isOversize && spares.length <= SPARE_SEGMENTS) return;
    this.#segments[segment.id & SEGMENT_INDEX_MASK] = undefined;
    this.#segmentBytes -= segment.memory.byteLength;
    this.#options.onSegmentGone(segment.id);
  }

  #newSlab(sizeClass: number, pages: number, mayUseReserve: boolean): Slab | undefined {
    for (const segment of this.#segments) {
      if (segment === undefined || segment.freePages < pages) continue;
      const firstPage = findRun(segment.pageSlabs, pages);
      if (firstPage !== -1) return this.#openSlab(segment, firstPage, pages, sizeClass);
    }
    const segment = this.#newSegment(Math.max(SEGMENT_PAGES, pages), mayUseReserve);
    return segment && this.#openSlab(segment, 0, pages, sizeClass);
  }

  #openSlab(segment: ArenaSegment, firstPage: number, pages: number, sizeClass: number): Slab {
    const blockBytes = sizeClass === -1 ? pages * PAGE_BYTES : CLASS_BYTES[sizeClass]!;
    const blocks = Math.floor((pages * PAGE_BYTES) / blockBytes);
    const free = new Uint16Array(blocks);
    // The stack hands out the lowest block first, so that a fresh slab is touched from its start.
    for (let i = 0; i < blocks; i++) free[i] = blocks - 1 - i;
    const sources = new Int32Array(blocks).fill(NOBODY);
    const order = (segment.id & SEGMENT_INDEX_MASK) * MAX_ORDER_PAGES + firstPage;
    const freeCount = blocks;
    const slab = {
      segment,
      firstPage,
      pages,
      sizeClass,
      blockBytes,
      free,
      sources,
      blocks,
      order,
      freeCount,
    };
    for (let page = firstPage; page < firstPage + pages; page++) segment.pageSlabs[page] = slab;
    segment.freePages -= pages;
    if (sizeClass !== -1) insertDescending(this.#partial[sizeClass]!, slab);
    return slab;
  }

  #newSegment(pages: number, mayUseReserve: boolean): ArenaSegment | undefined {
    const bytes = Math.max(SEGMENT_BYTES, pages * PAGE_BYTES);
    const limitBytes = this.#options.limitBytes + (mayUseReserve ? RESERVE_BYTES : 0);
    if (this.#segmentBytes + bytes > limitBytes) return undefined;
    let index = this.#segments.indexOf(undefined);
    if (index === -1) index = this.#segments.length;
    const opened = openSegment(segmentId(this.#options.worker, index), new SharedArrayBuffer(bytes));
    const pageSlabs = new Array<Slab | undefined>(pages).fill(undefined);
    const segment: ArenaSegment = { ...opened, pageSlabs, freePages: pages };
    this.#segments[index] = segment;
    this.#segmentBytes += bytes;
    this.#options.onSegment(opened);
    return segment;
  }

  #stampBlock(segment: Segment): void {
    // Stamps of an arena never repeat before 2^32 allocations, and are never 0.
    this.stamp = (this.stamp + 1) | 0 || 1;
    Atomics.store(segment.words, this.offset / 4 + BLOCK_STAMP_WORD, this.stamp);
  }

  #account(source: number, bytes: number, blocks: number): void {
    this.#usedBytes += bytes;
    this.#blocks += blocks;
    this.#usedBySource.set(source, (this.#usedBySource.get(source) ?? 0) + bytes);
  }
}

/** Who allocates only to see whether there is room. */
const TRIAL = 0;

/** In `sources`, for a block that is free. */
const NOBODY = -1;

/** More pages than any segment has, to make one number of segment and page. */
const MAX_ORDER_PAGES = 1 << 20;

/** Keeps slabs sorted with the lowest at the end, where it is taken from. */
function insertDescending(slabs: Slab[], slab: Slab): void {
  let low = 0;
  let high = slabs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slabs[middle]!.order > slab.order) low = middle + 1;
    else high = middle;
  }
  slabs.splice(low, 0, slab);
}

/** First page of a run of free pages, or -1. */
function findRun(pageSlabs: readonly (Slab | undefined)[], pages: number): number {
  let run = 0;
  for (let page = 0; page < pageSlabs.length; page++) {
    run = pageSlabs[page] === undefined ? run + 1 : 0;
    if (run === pages) return page - pages + 1;
  }
  return -1;
}

/** Offsets as records and slots hold them. */
export function toOffset8(offsetBytes: number): number {
  return offsetBytes / BLOCK_ALIGN_BYTES;
}

export function fromOffset8(offset8: number): number {
  return (offset8 >>> 0) * BLOCK_ALIGN_BYTES;
}
