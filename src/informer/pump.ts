/**
 * Moves what lies on the rings through the informers of a factory, in slices, so that the event loop gets
 * its turn. One pump per factory, on the home thread.
 */
import {
  HASH_HI,
  HASH_LO,
  KIND,
  LENGTH_BYTES,
  MOVED_OFFSET8,
  MOVED_SEGMENT,
  OFFSET8,
  RecordKind,
  SEGMENT,
  SOURCE,
  STAMP,
} from '../layout/ring.ts';
import { BlockRef, blockStamp, fromOffset8, type SegmentTable } from '../store/index.ts';
import type { WorkerLink } from '../worker/index.ts';

/** Longest time of one slice. Short ones are less often interrupted by other threads: 4 ms measured worse. */
const SLICE_MS = 2;

/** Between two slices, as long as the rings have room for what comes meanwhile. */
const REST_MS = 1;
const REST_BELOW_FILL = 0.5;

/** Records that are taken from a ring before informers work: few, so that the ring stays the buffer. */
const BATCH_RECORDS = 128;

/** Deltas that an informer may have queued before the ring is left alone. */
const QUEUE_LIMIT = 1024;

/** Where deltas come from: the link to a worker, or the worker on this thread itself. */
export type DeltaLink = Pick<
  WorkerLink,
  'deltas' | 'taken' | 'release' | 'flush' | 'receiveNow' | 'isDrained'
>;

/** An informer as the pump sees it. */
export interface DeltaConsumer {
  /** Deltas that wait in its queue. */
  readonly queued: number;
  /** Queued deltas, or the end of a Replace, that can be worked on. */
  readonly hasWork: boolean;
  push(kind: number, block: BlockRef): void;
  /**
   * A worker copied a block of this informer. Without it nothing of an informer is moved.
   *
   * @param copy - without the hash of its key
   * @param from - where the original lies, or lay
   */
  moved?(copy: BlockRef, from: { readonly segment: number; readonly offset8: number }): void;
  /** Works until it is done or `hasTime` says no. */
  work(hasTime: () => boolean): void;
  /** Called before blocks go back to their workers. */
  settle(): void;
}

export interface PumpOptions {
  readonly segments: SegmentTable;
  readonly now: () => number;
  /** CPU time of this thread, in milliseconds. */
  readonly cpuMs: () => number;
}

export class Pump {
  /** Longest slice so far, in milliseconds on the clock: other threads may have had the core meanwhile. */
  longestSliceMs = 0;
  /** Longest slice so far, in milliseconds of this thread's CPU time. */
  longestSliceCpuMs = 0;
  slices = 0;
  /** Records taken from all rings. */
  records = 0;

  readonly #options: PumpOptions;
  #links: DeltaLink[] = [];
  readonly #consumers = new Map<number, DeltaConsumer>();
  #isScheduled = false;
  #isStopped = false;
  #sliceEnd = 0;

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  addLink(link: DeltaLink): void {
    this.#links.push(link);
  }

  addConsumer(source: number, consumer: DeltaConsumer): void {
    this.#consumers.set(source, consumer);
  }

  /** Records of this source that still come are dropped, and their blocks given back. */
  removeConsumer(source: number): void {
    this.#consumers.delete(source);
  }

  /** The rings' fill, from 0 to 1: that of the fullest. */
  get ringFill(): number {
    return Math.max(0, ...this.#links.map(({ deltas }) => deltas.available / deltas.capacity));
  }

  /** There is work: a slice runs in the next turn of the event loop. */
  wake(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    setImmediate(this.#runSlice);
  }

  /**
   * After a rest, unless the rings fill up: a thread that runs on and on is interrupted by others sooner or later, and
   * that in the middle of a slice. One that rests gets its core at once when it comes back.
   */
  #goOn(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    if (this.ringFill < REST_BELOW_FILL) setTimeout(this.#runSlice, REST_MS);
    else setImmediate(this.#runSlice);
  }

  stop(): void {
    this.#isStopped = true;
  }

  readonly #runSlice = (): void => {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    const start = this.#options.now();
    const startCpu = this.#options.cpuMs();
    this.#sliceEnd = start + SLICE_MS;
    this.slices++;
    try {
      this.#work();
    } finally {
      for (const consumer of this.#consumers.values()) consumer.settle();
      for (const link of this.#links) link.flush();
      if (this.#links.some((link) => link.isDrained))
        this.#links = this.#links.filter((link) => !link.isDrained);
      this.longestSliceMs = Math.max(this.longestSliceMs, this.#options.now() - start);
      this.longestSliceCpuMs = Math.max(this.longestSliceCpuMs, this.#options.cpuMs() - startCpu);
      if (this.#hasMore() || !this.#fallAsleep()) this.#goOn();
    }
  };

  #work(): void {
    for (let isMoving = true; isMoving && this.#hasTime(); ) {
      isMoving = false;
      for (const link of this.#links) if (this.#take(link) > 0) isMoving = true;
      for (const consumer of this.#consumers.values()) {
        if (!consumer.hasWork) continue;
        consumer.work(this.#hasTime);
        isMoving = true;
      }
    }
  }

  readonly #hasTime = (): boolean => this.#options.now() < this.#sliceEnd;

  /** Moves a batch from a ring to the queues of informers. */
  #take(link: DeltaLink): number {
    const { deltas } = link;
    const words = deltas.words;
    let taken = 0;
    while (taken < BATCH_RECORDS) {
      if (this.#isBacklogged()) break;
      const word = deltas.next();
      if (word === -1) break;
      taken++;
      link.taken();
      const ref = new BlockRef(
        words[word + SEGMENT]!,
        words[word + OFFSET8]! >>> 0,
        words[word + LENGTH_BYTES]!,
        words[word + STAMP]!,
        words[word + HASH_LO]!,
        words[word + HASH_HI]!,
      );
      if (!this.#isThere(ref)) this.#fetchSegment(link, ref);
      this.#give(link, word, ref);
    }
    this.records += taken;
    return taken;
  }

  /** Gives a block to the informer that it is for, or back. */
  #give(link: DeltaLink, word: number, ref: BlockRef): void {
    const { words } = link.deltas;
    const kind = words[word + KIND]!;
    const consumer = this.#consumers.get(words[word + SOURCE]!);
    if (consumer !== undefined && kind !== RecordKind.moved) {
      consumer.push(kind, ref);
    } else if (consumer?.moved !== undefined) {
      const segment = words[word + MOVED_SEGMENT]!;
      consumer.moved(ref, { segment, offset8: words[word + MOVED_OFFSET8]! >>> 0 });
    } else {
      link.release(ref.segment, ref.offset8);
    }
  }

  /** Whether this thread has the segment that the record means: numbers are used again. */
  #isThere(ref: BlockRef): boolean {
    const segment = this.#options.segments.find(ref.segment);
    return segment !== undefined && blockStamp(segment, fromOffset8(ref.offset8)) === ref.stamp;
  }

  /** A segment is announced on the port before a record names it, but ports are read later than rings. */
  #fetchSegment(link: DeltaLink, ref: BlockRef): void {
    link.receiveNow();
    if (!this.#isThere(ref))
      throw new Error(`a record names block ${ref.offset8} of segment ${ref.segment}: not there`);
  }

  #isBacklogged(): boolean {
    for (const consumer of this.#consumers.values()) if (consumer.queued >= QUEUE_LIMIT) return true;
    return false;
  }

  #hasMore(): boolean {
    for (const consumer of this.#consumers.values()) if (consumer.hasWork) return true;
    for (const link of this.#links) if (link.deltas.available > 0) return true;
    return false;
  }

  /** False when a ring got a record meanwhile. */
  #fallAsleep(): boolean {
    let isQuiet = true;
    for (const link of this.#links) if (!link.deltas.fallAsleep()) isQuiet = false;
    return isQuiet;
  }
}
