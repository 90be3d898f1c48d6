/**
 * The memory of object bodies: one arena per worker, which alone allocates and frees in it. Blocks come
 * from slabs of one size class, so that a freed block fits the next object of about its size; a slab whose
 * blocks are all free gives its pages back for other sizes, and a segment without any slab is given up.
 * What stands in the way of that is moved, see `compaction.ts`.
 */
import {
  CLASS_BYTES,
  CLASS_PAGES,
  classOf,
  LARGEST_SHARED_BYTES,
  MIN_SEGMENT_BYTES,
  PAGE_BYTES,
  SEGMENT_BYTES,
  segmentBytesFor,
} from '../layout/arena.ts';
import { BLOCK_ALIGN_BYTES, BLOCK_STAMP_WORD } from '../layout/block.ts';
import { type Budget, Budgets } from './budgets.ts';
import { Room } from './room.ts';
import { openSegment, SEGMENT_INDEX_MASK, type Segment, segmentId } from './segments.ts';
import {
  type ArenaSegment,
  closeSlab,
  findRun,
  insertDescending,
  NOBODY,
  openSlab,
  type Slab,
  slabsOf,
} from './slab.ts';

/** Unused segments that are kept, so that an arena at a boundary does not make and drop one all the time. */
const SPARE_SEGMENTS = 1;

/** Bytes above the limit, for small blocks. */
const RESERVE_BYTES = SEGMENT_BYTES;

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
  /** Bytes that were allocated and freed so far: how much has changed. */
  turnoverBytes = 0;

  readonly #options: ArenaOptions;
  readonly #segments: (ArenaSegment | undefined)[] = [];
  /** Per size class, the slabs that have a free block, the lowest last. Not those of segments that are emptied. */
  readonly #partial: Slab[][] = CLASS_BYTES.map(() => []);
  readonly #budgets = new Budgets();
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

  get segmentBytes(): number {
    return this.#segmentBytes;
  }

  /** By index; undefined where one was given up. */
  get segments(): readonly (ArenaSegment | undefined)[] {
    return this.#segments;
  }

  /** All slabs there are. */
  slabs(): Slab[] {
    return this.#segments.flatMap((segment) => (segment === undefined ? [] : slabsOf(segment)));
  }

  /** See {@link Budgets.limit}. */
  limit(source: number, group: number, limitBytes: number): void {
    this.#budgets.limit(source, group, limitBytes);
  }

  /** See {@link Budgets.exceeded}. */
  exceededBudget(source: number, bytes: number): Budget | undefined {
    return this.#budgets.exceeded(source, bytes);
  }

  /** See {@link Budgets.largest}. */
  largestConsumers(budget?: Budget): ReturnType<Budgets['largest']> {
    return this.#budgets.largest(budget);
  }

  /**
   * Finds room for a block, sets `segment`, `offset` and `stamp`, and stamps the block.
   *
   * @param bytes - length of the block
   * @param source - who it is for, for the accounts
   * @param room - what it may use besides what all may
   * @returns false when the limit is reached; then nothing was changed
   */
  allocate(bytes: number, source: number, room: Room = Room.normal): boolean {
    const sizeClass = classOf(bytes);
    const pages = sizeClass === -1 ? Math.ceil(bytes / PAGE_BYTES) : CLASS_PAGES[sizeClass]!;
    const blockBytes = sizeClass === -1 ? pages * PAGE_BYTES : CLASS_BYTES[sizeClass]!;
    if (room === Room.normal && this.#budgets.exceeded(source, blockBytes) !== undefined) return false;
    const known = sizeClass === -1 ? undefined : this.#partial[sizeClass]!.at(-1);
    const slab = known ?? this.#newSlab(sizeClass, pages, room);
    if (slab === undefined) return false;
    const block = slab.free[--slab.freeCount]!;
    if (slab.freeCount === 0 && sizeClass !== -1) this.#partial[sizeClass]!.pop();
    slab.sources[block] = source;
    this.#account(slab, source, 1);
    this.segment = slab.segment;
    this.offset = slab.firstPage * PAGE_BYTES + block * slab.blockBytes;
    this.#stampBlock(slab.segment);
    return true;
  }

  /** Whether a block of this length would find room now. */
  hasRoomFor(bytes: number, source: number): boolean {
    if (this.#budgets.exceeded(source, bytes) !== undefined || !this.allocate(bytes, TRIAL)) return false;
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
    this.#account(slab, source, -1);
    this.#afterFree(slab);
  }

  /** Slabs of a size class that have a free block and are not being emptied. */
  partialSlabs(sizeClass: number): readonly Slab[] {
    return this.#partial[sizeClass]!;
  }

  /** Hands out no block of these slabs any more, so that they become empty when what they have is moved. */
  drain(slabs: readonly Slab[]): void {
    for (const slab of slabs) {
      slab.isDraining = true;
      const partial = slab.sizeClass === -1 ? undefined : this.#partial[slab.sizeClass]!;
      if (partial !== undefined && slab.freeCount > 0) partial.splice(partial.indexOf(slab), 1);
      if (slab.freeCount === slab.blocks) this.#close(slab);
    }
  }

  /** The opposite of {@link drain}, for those that could not be emptied. */
  refill(slabs: readonly Slab[]): void {
    for (const slab of slabs) {
      if (!slab.isDraining || slab.freeCount === slab.blocks) continue;
      slab.isDraining = false;
      if (slab.sizeClass !== -1 && slab.freeCount > 0) insertDescending(this.#partial[slab.sizeClass]!, slab);
    }
  }

  #afterFree(slab: Slab): void {
    const isListed = slab.sizeClass !== -1 && !slab.isDraining;
    const partial = isListed ? this.#partial[slab.sizeClass]! : undefined;
    if (partial !== undefined && slab.freeCount === 1) insertDescending(partial, slab);
    if (slab.freeCount < slab.blocks) return;
    // The last slab of a class is kept: the next object of that size is likely to come soon.
    if (partial !== undefined) {
      if (partial.length === 1) return;
      partial.splice(partial.indexOf(slab), 1);
    }
    this.#close(slab);
  }

  #close(slab: Slab): void {
    const { segment } = slab;
    closeSlab(slab);
    if (segment.freePages < segment.pageSlabs.length) return;
    const isSpare = segment.memory.byteLength <= segmentBytesFor(this.#usedBytes, 0);
    if (isSpare && this.#spares <= SPARE_SEGMENTS) return;
    this.#segments[segment.id & SEGMENT_INDEX_MASK] = undefined;
    this.#segmentBytes -= segment.memory.byteLength;
    this.#options.onSegmentGone(segment.id);
  }

  /** How many segments there are without a slab. */
  get #spares(): number {
    let count = 0;
    for (const segment of this.#segments) {
      if (segment !== undefined && segment.freePages === segment.pageSlabs.length) count++;
    }
    return count;
  }

  #newSlab(sizeClass: number, pages: number, room: Room): Slab | undefined {
    // A segment that is empty is the last choice: filled, it could not be given up, and another one would be emptied for it.
    for (const isEmpty of [false, true]) {
      for (const segment of this.#segments) {
        if (segment === undefined || segment.isDraining || segment.freePages < pages) continue;
        if ((segment.freePages === segment.pageSlabs.length) !== isEmpty) continue;
        const firstPage = findRun(segment.pageSlabs, pages, sizeClass === -1 ? 1 : pages);
        if (firstPage !== -1) return this.#openSlab(segment, firstPage, pages, sizeClass);
      }
    }
    const segment = room === Room.move ? undefined : this.#newSegment(pages * PAGE_BYTES, room);
    return segment && this.#openSlab(segment, 0, pages, sizeClass);
  }

  #openSlab(segment: ArenaSegment, firstPage: number, pages: number, sizeClass: number): Slab {
    const slab = openSlab(segment, segment.id & SEGMENT_INDEX_MASK, firstPage, pages, sizeClass);
    if (sizeClass !== -1) insertDescending(this.#partial[sizeClass]!, slab);
    return slab;
  }

  #newSegment(runBytes: number, room: Room): ArenaSegment | undefined {
    const isDedicated = runBytes > LARGEST_SHARED_BYTES;
    const reserveBytes = room === Room.small ? RESERVE_BYTES : 0;
    const left = this.#options.limitBytes + reserveBytes - this.#segmentBytes;
    let bytes = isDedicated ? runBytes : segmentBytesFor(this.#usedBytes, runBytes);
    while (bytes > left && bytes / 2 >= Math.max(runBytes, MIN_SEGMENT_BYTES)) bytes /= 2;
    if (bytes > left) return undefined;
    let index = this.#segments.indexOf(undefined);
    if (index === -1) index = this.#segments.length;
    const opened = openSegment(segmentId(this.#options.worker, index), new SharedArrayBuffer(bytes));
    const pages = bytes / PAGE_BYTES;
    const segment: ArenaSegment = {
      ...opened,
      pageSlabs: new Array<Slab | undefined>(pages).fill(undefined),
      isDedicated,
      freePages: pages,
      usedBytes: 0,
      isDraining: false,
    };
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

  /** @param blocks - 1 for one more, -1 for one less */
  #account({ blockBytes, segment }: Slab, source: number, blocks: 1 | -1): void {
    const bytes = blocks * blockBytes;
    this.#usedBytes += bytes;
    this.#blocks += blocks;
    segment.usedBytes += bytes;
    this.turnoverBytes += blockBytes;
    this.#budgets.add(source, bytes);
  }
}

/** Who allocates only to see whether there is room. */
const TRIAL = 0;

/** Offsets as records and slots hold them. */
export function toOffset8(offsetBytes: number): number {
  return offsetBytes / BLOCK_ALIGN_BYTES;
}

export function fromOffset8(offset8: number): number {
  return (offset8 >>> 0) * BLOCK_ALIGN_BYTES;
}
