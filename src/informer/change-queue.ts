/**
 * Changes that are in the store and were not told yet: those of a batch of deltas, or of a whole relist. Kept in
 * arrays that are used again, so that a change costs no allocation of its own.
 */
import { type BlockRef, placeOf } from '../store/index.ts';
import type { ChangeClock } from './change-clock.ts';

/** What happened to an object in the store. */
export const ChangeType = {
  added: 0,
  updated: 1,
  deleted: 2,
  /** A list had it as it was: for handlers that asked for resyncs. */
  same: 3,
  /** A resync: for handlers whose period is over. */
  sync: 4,
} as const;

export type ChangeType = (typeof ChangeType)[keyof typeof ChangeType];

/** Room that is kept when all was told. A batch of deltas needs less, a relist may have needed much more. */
const KEPT_CHANGES = 1024;

/** Up to here looking through all changes is cheaper than a set of their blocks. */
const SEARCHED_CHANGES = 64;

export class ChangeQueue {
  /** The change that `shift` took. */
  type: ChangeType = ChangeType.added;
  block!: BlockRef;
  /** The block that was replaced, to be given back when the change was told. */
  oldBlock: BlockRef | undefined;
  slot = -1;
  isInitial = false;
  isFinalStateUnknown = false;

  readonly #clock: ChangeClock;
  #types: ChangeType[] = [];
  #blocks: BlockRef[] = [];
  #oldBlocks: (BlockRef | undefined)[] = [];
  #slots: number[] = [];
  #flags: number[] = [];
  #numbers: number[] = [];
  #first = 0;
  #end = 0;
  /** Changes from here on must not be told yet; -1 when all can. */
  #heldFrom = -1;
  /** Places of all blocks in here, once somebody asked while there were many. */
  #places: Set<number> | undefined;

  constructor(clock: ChangeClock) {
    this.#clock = clock;
    clock.add(this);
  }

  get size(): number {
    return this.#end - this.#first;
  }

  /** Changes that can be told now. */
  get tellable(): number {
    return (this.#heldFrom === -1 ? this.#end : this.#heldFrom) - this.#first;
  }

  /** What comes from now on is not to be told before `release`. */
  hold(): void {
    if (this.#heldFrom === -1) this.#heldFrom = this.#end;
  }

  release(): void {
    this.#heldFrom = -1;
  }

  /** Number of the oldest change in here. */
  get firstNumber(): number {
    return this.#numbers[this.#first]!;
  }

  push(
    type: ChangeType,
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    slot: number,
    isInitial: boolean,
    isFinalStateUnknown: boolean,
  ): void {
    const at = this.#end++;
    this.#types[at] = type;
    this.#blocks[at] = block;
    this.#oldBlocks[at] = oldBlock;
    this.#slots[at] = slot;
    this.#flags[at] = (isInitial ? 1 : 0) | (isFinalStateUnknown ? 2 : 0);
    this.#numbers[at] = ++this.#clock.last;
    this.#places?.add(placeOf(block));
  }

  /**
   * Moves the oldest change to the fields of this object.
   *
   * @returns its number, or 0 when there is none
   */
  shift(): number {
    if (this.#first === this.#end) return 0;
    const at = this.#first++;
    this.type = this.#types[at]!;
    this.block = this.#blocks[at]!;
    this.oldBlock = this.#oldBlocks[at];
    this.slot = this.#slots[at]!;
    this.isInitial = (this.#flags[at]! & 1) !== 0;
    this.isFinalStateUnknown = (this.#flags[at]! & 2) !== 0;
    const number = this.#numbers[at]!;
    if (this.#first === this.#end) this.#reset();
    return number;
  }

  /** Whether some change in here tells of the state in this block. */
  has(block: BlockRef): boolean {
    if (this.size <= SEARCHED_CHANGES) {
      for (let at = this.#first; at < this.#end; at++) {
        const { segment, offset8 } = this.#blocks[at]!;
        if (segment === block.segment && offset8 === block.offset8) return true;
      }
      return false;
    }
    this.#places ??= new Set(this.#blocks.slice(this.#first, this.#end).map(placeOf));
    return this.#places.has(placeOf(block));
  }

  #reset(): void {
    this.#places = undefined;
    this.#first = 0;
    if (this.#heldFrom !== -1) this.#heldFrom = 0;
    if (this.#end > KEPT_CHANGES) {
      this.#types = [];
      this.#blocks = [];
      this.#oldBlocks = [];
      this.#slots = [];
      this.#flags = [];
      this.#numbers = [];
    }
    this.#end = 0;
  }
}
