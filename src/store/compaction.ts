/**
 * What of an arena is to be moved. Blocks lie where there was room when they came. Objects that change their sizes
 * together leave slabs behind that are hardly used, and whose pages nobody else can use: blocks of the emptiest slabs of
 * a size are moved to free blocks of the others. And pages that become free lie in all segments: then the segment that
 * has the fewest pages in use is emptied into free pages of others, and given up. Neither needs memory of its own, so
 * both work in an arena that is full.
 */
import { CLASS_BYTES, MIN_SEGMENT_BYTES, PAGE_BYTES, segmentBytesFor } from '../layout/arena.ts';
import type { Arena } from './arena.ts';
import { BlockWalk } from './block-walk.ts';
import { type ArenaSegment, openPagesOf, runLengthOf, type Slab, slabsOf } from './slab.ts';

/**
 * Part of the used bytes that may lie unused beside them. Sizes are rounded up by a twentieth on average, and it takes a
 * while until copies are in place; with both an arena stays below 1.3 times what its blocks have in them.
 */
const START_PART = 0.14;

/** Once it has begun, moving goes on until less is unused, so that it does not begin again with the next change. */
const STOP_PART = 0.12;

/** Least part of a slab that has to be free before copying the rest is worth it, or pages of a segment that are lost. */
const WORTHWHILE_PART = 1 / 10;

/** Part of the unused bytes that copies may fill at a time. */
const STEP_PART = 1 / 2;
const MIN_STEP_BYTES = 1024 * 1024;

/** Pages that have to be free elsewhere for each page of slabs: not every run is used up. */
const PAGES_PER_PAGE = 1.25;

/** How often blocks are looked at before they are left where they are. */
const MOST_ROUNDS = 4;

/**
 * Bytes that may be copied for each byte that came or went. Where sizes do not pack better, copying changes nothing and
 * must not go on for ever.
 */
const COPIES_PER_TURNOVER = 2;

interface Candidate {
  readonly segment: ArenaSegment;
  /** Free pages of it that slabs of 1, 2, 4 … pages find place in. */
  readonly runs: readonly number[];
  /** Part of its pages that is in use. */
  readonly fill: number;
}

export class Compaction {
  /** Slabs that were emptied so far, and bytes that were copied for it. */
  emptied = 0;
  movedBytes = 0;

  readonly #arena: Arena;
  #slabs: readonly Slab[] = [];
  #segments: readonly ArenaSegment[] = [];
  #walk: BlockWalk | undefined;
  #rounds = 0;
  #isAtWork = false;
  #isStuck = false;
  /** Slabs that could not be emptied, and at which turnover of the arena they may be tried again. */
  #resting = new WeakMap<Slab, number>();
  /** Bytes that may be copied, and at which turnover of the arena that was reckoned. */
  #creditBytes = 0;
  #creditedBytes = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** The blocks to be moved that were not looked at in this round; undefined while there is nothing to do. */
  get walk(): BlockWalk | undefined {
    return this.#walk;
  }

  /** False while the arena is so small that there is nothing to win. */
  get isPossible(): boolean {
    return this.#arena.segmentBytes > MIN_SEGMENT_BYTES;
  }

  /** Too much lies unused, as far as was looked. */
  get isSparse(): boolean {
    return this.#isAtWork;
  }

  /** Something may be won later though nothing changes, see {@link forgive}. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * Lets all there is be copied once more, though nothing changed. Credit that was spent on blocks which were replaced right
   * afterwards is missing when changes end, and slabs may rest that can be emptied by now.
   */
  forgive(): void {
    this.#creditBytes = Math.max(this.#creditBytes, this.#arena.stats.usedBytes, MIN_STEP_BYTES);
    this.#resting = new WeakMap();
  }

  /** Chooses what is to be moved, when there is something that is worth it. */
  begin(): boolean {
    if (this.#walk !== undefined) return true;
    this.#isStuck = false;
    if (!this.#findSparse()) return false;
    this.#isStuck = this.#credit() <= 0;
    if (this.#isStuck) return false;
    const loose = this.#looseSlabs();
    const segments = this.#emptiest();
    const whole = segments.flatMap(slabsOf);
    // Whatever frees more for what is copied.
    const isWhole = costOf(whole, sizeOf(segments)) <= costOf(loose, pageBytesOf(loose));
    const slabs = isWhole ? whole : loose;
    if (slabs.length === 0) return false;
    this.#isStuck = false;
    this.#segments = isWhole ? segments : [];
    for (const segment of this.#segments) segment.isDraining = true;
    this.#arena.drain(slabs);
    this.#slabs = slabs;
    this.#rounds = 0;
    this.#startRound();
    return true;
  }

  /** A block of this length was copied. */
  moved(bytes: number): void {
    this.movedBytes += bytes;
    this.#creditBytes -= bytes;
    // The copy comes and what was copied goes: that is no reason to copy more.
    this.#creditedBytes += 2 * bytes;
  }

  /**
   * All blocks were looked at, and what became of their copies is known: all are gone, or they are looked at again, or
   * left where they are for a while.
   *
   * @returns whether there is another round, which should come a bit later
   */
  endRound(): boolean {
    if (this.#rounds < MOST_ROUNDS && this.#slabs.some(isInUse)) {
      this.#startRound();
      return true;
    }
    this.giveUp();
    return false;
  }

  /** Leaves what was not moved where it is, until so much has changed that another attempt may go better. */
  giveUp(): void {
    for (const segment of this.#segments) segment.isDraining = false;
    this.#arena.refill(this.#slabs);
    const until = this.#arena.turnoverBytes + segmentBytesFor(this.#arena.stats.usedBytes, 0);
    for (const slab of this.#slabs) {
      if (isInUse(slab)) this.#resting.set(slab, until);
      else this.emptied++;
    }
    this.#slabs = [];
    this.#segments = [];
    this.#walk = undefined;
  }

  #startRound(): void {
    this.#rounds++;
    this.#walk = new BlockWalk(this.#slabs);
  }

  /** More lies unused than an arena of this size may have. */
  #findSparse(): boolean {
    const { segmentBytes, usedBytes } = this.#arena.stats;
    const part = this.#isAtWork ? STOP_PART : START_PART;
    this.#isAtWork = segmentBytes - usedBytes > usedBytes * part + segmentBytesFor(usedBytes, 0);
    return this.#isAtWork;
  }

  #credit(): number {
    const { usedBytes } = this.#arena.stats;
    const { turnoverBytes } = this.#arena;
    const more = Math.max(0, turnoverBytes - this.#creditedBytes) * COPIES_PER_TURNOVER;
    // What has been saved up is enough to copy all there is, twice: within slabs, and out of segments.
    this.#creditBytes = Math.min(this.#creditBytes + more, 2 * Math.max(usedBytes, MIN_STEP_BYTES));
    this.#creditedBytes = Math.max(turnoverBytes, this.#creditedBytes);
    return this.#creditBytes;
  }

  /** Of each size as many slabs as the free blocks of the others suffice for, the emptiest. */
  #looseSlabs(): Slab[] {
    const mostBytes = this.#mostBytes;
    const loose: Slab[] = [];
    let bytes = 0;
    for (let sizeClass = 0; sizeClass < CLASS_BYTES.length; sizeClass++) {
      const partial = this.#arena.partialSlabs(sizeClass);
      if (partial.length < 2) continue;
      const free = partial.reduce((sum, { freeCount }) => sum + freeCount, 0);
      let room = Math.floor(free / partial[0]!.blocks);
      for (const slab of partial.toSorted((a, b) => b.freeCount - a.freeCount)) {
        if (room-- <= 0 || bytes >= mostBytes) break;
        if (slab.freeCount < slab.blocks * WORTHWHILE_PART) break;
        if (this.#rests(slab)) continue;
        loose.push(slab);
        bytes += (slab.blocks - slab.freeCount) * slab.blockBytes;
      }
    }
    return loose;
  }

  /** The segments with the fewest pages in use, as many as find place elsewhere, when something is won by it. */
  #emptiest(): ArenaSegment[] {
    const candidates: Candidate[] = [];
    const open: number[] = [];
    let spares: readonly number[] = [];
    for (const segment of this.#arena.segments) {
      if (segment === undefined || segment.isDedicated) continue;
      const runs = openPagesOf(segment);
      if (segment.freePages === segment.pageSlabs.length) spares = runs;
      else {
        for (let i = 0; i < runs.length; i++) open[i] = (open[i] ?? 0) + runs[i]!;
        candidates.push({ segment, runs, fill: 1 - segment.freePages / segment.pageSlabs.length });
      }
    }
    candidates.sort((a, b) => a.fill - b.fill);
    const emptiest: ArenaSegment[] = [];
    let neededPages = 0;
    let bytes = 0;
    for (const { segment, runs, fill } of candidates) {
      if (fill > 1 - WORTHWHILE_PART || bytes >= this.#mostBytes) break;
      const slabs = slabsOf(segment);
      if (slabs.some((slab) => this.#rests(slab))) continue;
      const length = runLengthOf(Math.max(...slabs.map(({ pages }) => pages)));
      // A spare segment that is filled instead is won only when pages lie too scattered to be used.
      const isScattered = segment.freePages - runs[length]! > segment.pageSlabs.length * WORTHWHILE_PART;
      const spare = emptiest.length === 0 && isScattered ? (spares[length] ?? 0) : 0;
      const needed = neededPages + (segment.pageSlabs.length - segment.freePages) * PAGES_PER_PAGE;
      if (needed > open[length]! - runs[length]! + spare) break;
      neededPages = needed;
      for (let i = 0; i < runs.length; i++) open[i]! -= runs[i]!;
      bytes += segment.usedBytes;
      emptiest.push(segment);
    }
    return emptiest;
  }

  /** What is copied at a time: copies find room in what is unused, and lie there beside the originals for a while. */
  get #mostBytes(): number {
    const { segmentBytes, usedBytes } = this.#arena.stats;
    const roomBytes = Math.max(MIN_STEP_BYTES, (segmentBytes - usedBytes) * STEP_PART);
    return Math.min(roomBytes, this.#creditBytes);
  }

  #rests(slab: Slab): boolean {
    const until = this.#resting.get(slab);
    if (until === undefined) return false;
    if (this.#arena.turnoverBytes < until) {
      this.#isStuck = true;
      return true;
    }
    this.#resting.delete(slab);
    return false;
  }
}

function isInUse(slab: Slab): boolean {
  return slab.freeCount < slab.blocks;
}

function usedBytesOf(slabs: readonly Slab[]): number {
  return slabs.reduce((sum, { blocks, freeCount, blockBytes }) => sum + (blocks - freeCount) * blockBytes, 0);
}

function pageBytesOf(slabs: readonly Slab[]): number {
  return slabs.reduce((sum, { pages }) => sum + pages * PAGE_BYTES, 0);
}

function sizeOf(segments: readonly ArenaSegment[]): number {
  return segments.reduce((sum, { memory }) => sum + memory.byteLength, 0);
}

/** Bytes to be copied for each byte that becomes free. */
function costOf(slabs: readonly Slab[], freedBytes: number): number {
  return slabs.length === 0 ? Number.POSITIVE_INFINITY : usedBytesOf(slabs) / freedBytes;
}
