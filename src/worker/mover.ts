/**
 * Moves blocks within a worker's arena: what `Compaction` chose, so that memory follows what is live, and records of old
 * epochs of the dictionary, so that these can end. The worker, which alone writes to its arena, puts a copy on the ring;
 * the home thread puts it in place of the original, or drops it when that is not current any more or still needed, and
 * gives one of the two back. Small steps, with pauses between them: nobody waits for it.
 */
import { BLOCK_BODY_LENGTH_WORD, BLOCK_NAME_LENGTH_HALF } from '../layout/block.ts';
import {
  type Arena,
  type ArenaFigures,
  BlockWalk,
  Compaction,
  Room,
  type Segment,
  writeFigures,
} from '../store/index.ts';
import type { DeltaWriter, OtherBody } from './delta-writer.ts';
import { MOVES } from './ring-shares.ts';

/** Longest time of a step, and how often it is looked at: a copy takes some microseconds, a record made anew some tens. */
const STEP_MS = 1;
const BLOCKS_PER_LOOK = 16;

/** Between two steps, in which the home thread puts copies in place. */
const STEP_PAUSE_MS = 4;

/** Changes come in crowds: after one it takes a while until it is looked whether something is to be moved. */
const LOOK_AFTER_MS = 100;

/** Between two looks at the same blocks: those that were read or queued may be free, or in the store, by then. */
const ROUND_PAUSE_MS = 100;

/**
 * Before an arena that could not be helped is tried again although nothing changed in it; twice as long each time, up to
 * more than an hour, because it may be that nothing can be won.
 */
const RETRY_MS = 1000;
const MOST_DOUBLINGS = 12;

/** Between two walks through all blocks for records that are to be made anew. */
const REWRITE_PAUSE_MS = 2000;

/** Makes bodies anew while they are copied. */
export interface BodyRewriter {
  /** Whether there are bodies that should be made anew. */
  readonly wantsRewrites: boolean;
  /** The body as it should be; undefined when it is good as it is. */
  rewrite(source: number, segment: Segment, block: number): OtherBody | undefined;
  /** A block was copied as it is. */
  copied(segment: Segment, block: number): void;
}

export interface MoverOptions {
  readonly arena: Arena;
  readonly writer: DeltaWriter;
  readonly now: () => number;
  /** Calls back once after a delay; the result cancels. */
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  readonly rewriter?: BodyRewriter;
  /** Where it is written how the arena is doing. */
  readonly figures: SharedArrayBuffer;
}

export class Mover {
  readonly compaction: Compaction;
  /** Blocks and bytes that were copied. */
  movedBlocks = 0;
  movedBytes = 0;
  /** Blocks whose bodies were made anew. */
  rewritten = 0;

  readonly #options: MoverOptions;
  readonly #words: BigInt64Array;
  #cancel: (() => void) | undefined;
  /** A walk through all blocks for records that are to be made anew. */
  #rewrites: BlockWalk | undefined;
  #rewriteFromMs = Number.NEGATIVE_INFINITY;
  #hasShare = false;
  #isClosed = false;
  /** Waits for nothing but time: a change comes first. */
  #isPatient = false;
  #retries = 0;
  #retryAtMs: number | undefined;

  constructor(options: MoverOptions) {
    this.#options = options;
    this.compaction = new Compaction(options.arena);
    this.#words = new BigInt64Array(options.figures);
    options.writer.onFlush = () => this.changed();
  }

  get #figures(): ArenaFigures {
    const { movedBlocks, movedBytes, rewritten } = this;
    return {
      ...this.#options.arena.stats,
      movedBlocks,
      movedBytes,
      freedSlabs: this.compaction.emptied,
      rewritten,
    };
  }

  /** Something changed: it will be looked whether something is to be moved. */
  changed(): void {
    writeFigures(this.#words, this.#figures);
    if (this.#cancel !== undefined && !this.#isPatient) return;
    if (this.compaction.isPossible || this.#options.rewriter?.wantsRewrites) this.#wake(LOOK_AFTER_MS);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #wake(delayMs: number): void {
    this.#cancel?.();
    this.#isPatient = false;
    if (!this.#isClosed) this.#cancel = this.#options.setTimer(delayMs, this.#step);
  }

  readonly #step = (): void => {
    const { writer } = this.#options;
    const movedBefore = this.movedBlocks;
    this.#isPatient = false;
    writer.takeReleases();
    const pauseMs = this.#work();
    // The home thread is not to be woken for nothing.
    if (this.movedBlocks > movedBefore) writer.flush();
    else writeFigures(this.#words, this.#figures);
    this.#cancel = undefined;
    if (pauseMs !== undefined) this.#wake(pauseMs);
    else if (writer.hasUnread) this.#wake(LOOK_AFTER_MS);
    else if (this.compaction.isStuck) this.#waitPatiently();
  };

  #waitPatiently(): void {
    this.#retryAtMs ??= this.#options.now() + RETRY_MS * 2 ** Math.min(this.#retries++, MOST_DOUBLINGS);
    this.#wake(Math.max(0, this.#retryAtMs - this.#options.now()));
    this.#isPatient = true;
  }

  /** Time is up for an arena that could not be helped, or it needs no help any more. */
  #retry(): void {
    if (!this.compaction.isSparse) {
      this.#retries = 0;
      this.#retryAtMs = undefined;
    } else if (this.#retryAtMs !== undefined && this.#options.now() >= this.#retryAtMs) {
      this.#retryAtMs = undefined;
      this.compaction.forgive();
    }
  }

  /** While there is something to move, a part of the ring is kept for it. */
  #takeShare(isWanted: boolean): void {
    if (isWanted === this.#hasShare) return;
    this.#hasShare = isWanted;
    const { shares } = this.#options.writer;
    if (isWanted) shares.add(MOVES);
    else shares.remove(MOVES);
  }

  /** @returns when to go on; undefined when nothing is to be done */
  #work(): number | undefined {
    const { writer, now } = this.#options;
    const { compaction } = this;
    this.#retry();
    if (compaction.begin()) {
      this.#takeShare(true);
      if (!this.#copy(compaction.walk!, true)) return STEP_PAUSE_MS;
      // What became of the last copies is to be known before anybody says that a slab is not empty.
      if (writer.moving > 0) return STEP_PAUSE_MS;
      writer.takeReleases();
      return compaction.endRound() ? ROUND_PAUSE_MS : STEP_PAUSE_MS;
    }
    if (this.#rewrites === undefined && !this.#beginRewrites()) {
      if (writer.moving > 0) return STEP_PAUSE_MS;
      this.#takeShare(false);
      return undefined;
    }
    this.#takeShare(true);
    if (!this.#copy(this.#rewrites!, false)) return STEP_PAUSE_MS;
    this.#rewrites = undefined;
    this.#rewriteFromMs = now() + REWRITE_PAUSE_MS;
    return REWRITE_PAUSE_MS;
  }

  #beginRewrites(): boolean {
    const { rewriter, arena, now } = this.#options;
    if (!rewriter?.wantsRewrites || now() < this.#rewriteFromMs) return false;
    this.#rewrites = new BlockWalk(arena.slabs());
    return true;
  }

  /**
   * Copies blocks of a walk.
   *
   * @param isWhole - all of them; else those whose bodies are to be made anew
   * @returns false when there are more
   */
  #copy(walk: BlockWalk, isWhole: boolean): boolean {
    const { writer, now } = this.#options;
    const endMs = now() + STEP_MS;
    for (let looked = 1; writer.mayMove; looked++) {
      if (!walk.next()) return true;
      if (!this.#move(walk, isWhole)) {
        this.compaction.giveUp();
        return true;
      }
      if (looked % BLOCKS_PER_LOOK === 0 && now() >= endMs) return false;
    }
    return false;
  }

  /** @returns false when there is no room for a copy */
  #move({ segment, offset, source, blockBytes }: BlockWalk, isWhole: boolean): boolean {
    const { writer, rewriter } = this.#options;
    if (!isObject(segment, offset)) return true;
    const body = rewriter?.rewrite(source, segment, offset);
    if (body === undefined && !isWhole) return true;
    const room = isWhole ? Room.move : Room.small;
    const length = writer.putMoved(source, segment, offset, body, room);
    if (length === 0) return !isWhole;
    if (body === undefined) rewriter?.copied(segment, offset);
    else this.rewritten++;
    this.movedBlocks++;
    this.movedBytes += length;
    this.compaction.moved(blockBytes);
    return true;
  }
}

/** Marks, deletes without a body and control records are none: these are gone as soon as they are read. */
function isObject({ words, halves }: Segment, block: number): boolean {
  const hasBody = words[(block >>> 2) + BLOCK_BODY_LENGTH_WORD] !== 0;
  return hasBody && halves[(block >>> 1) + BLOCK_NAME_LENGTH_HALF] !== 0;
}
