/**
 * A handler that is added to a running informer walks over the store, slot by slot, and gets each object as an add.
 * Changes go on meanwhile. What lies behind the walk comes to it as events; what lies before it does not: the walk
 * finds the newest state there. So it gets every object once, misses no change, and holds nothing while it waits.
 *
 * Changes are told later than they are stored. One that was stored before the walk passed its slot is in the state
 * that the walk gave; it must not be told again. So the walk notes how far it was at which change.
 */
import type { Indexer } from '../store/index.ts';
import type { ChangeClock } from './change-clock.ts';

/** Behind the last slot. */
const THE_END = Number.POSITIVE_INFINITY;

/** Notes from which on those that nobody needs are looked for, though no change came that needs one. */
const MANY_NOTES = 64;

export class Joining {
  readonly #indexer: Indexer;
  readonly #clock: ChangeClock;
  #cursor = -1;
  /** Where the walk was when change `#notedChanges` was the last one, as long as some change is untold. */
  readonly #notedCursors: number[] = [];
  readonly #notedChanges: number[] = [];
  /** Keys that were seen and deleted since: such an object may come again in a slot before the walk. */
  readonly #deleted = new Set<string>();
  /** Up to here every change that will be told came after the walk. */
  #settled = -1;

  constructor(indexer: Indexer, clock: ChangeClock) {
    this.#indexer = indexer;
    this.#clock = clock;
  }

  /** The walk is over. */
  get isDone(): boolean {
    return this.#cursor === THE_END;
  }

  /**
   * The walk may go on: not while changes are being told, because an object that was deleted and is back in another
   * slot must not be shown again before its delete was told.
   */
  get canGoOn(): boolean {
    return !this.#clock.isTelling;
  }

  /** Every change that will be told is for this handler. */
  get isSettled(): boolean {
    return this.#settled === THE_END;
  }

  /** The next slot of the walk, or -1 when it is over. */
  next(): number {
    if (this.isDone) return -1;
    const slot = this.#indexer.nextSlot(this.#cursor);
    this.#cursor = slot === -1 ? THE_END : slot;
    const last = this.#notedChanges.length - 1;
    if (this.#notedChanges[last] === this.#clock.last) this.#notedCursors[last] = this.#cursor;
    else {
      this.#notedCursors.push(this.#cursor);
      this.#notedChanges.push(this.#clock.last);
      if (this.#notedChanges.length > MANY_NOTES) this.#settle(this.#clock.oldestUntold);
    }
    return slot;
  }

  /** A delete of an object that the handler has seen was told. */
  deleted(key: string): void {
    if (!this.isDone) this.#deleted.add(key);
  }

  /** The delete of an object with this key may not have reached the handler yet. */
  wasDeleted(object: { readonly key: string }): boolean {
    return this.#deleted.size > 0 && this.#deleted.has(object.key);
  }

  /** Whether the handler has to be told of a change of the object in this slot. */
  wants(slot: number, change: number): boolean {
    this.#settle(Math.min(change, this.#clock.oldestUntold));
    if (slot <= this.#settled) return true;
    for (let i = 0; i < this.#notedCursors.length; i++) {
      if (slot <= this.#notedCursors[i]!) return this.#notedChanges[i]! < change;
    }
    return false;
  }

  /** Forgets notes that no change asks for any more: those with smaller numbers were told. */
  #settle(untold: number): void {
    let settled = 0;
    while (settled < this.#notedChanges.length && this.#notedChanges[settled]! < untold) settled++;
    if (settled === 0) return;
    this.#settled = this.#notedCursors[settled - 1]!;
    this.#notedCursors.splice(0, settled);
    this.#notedChanges.splice(0, settled);
  }
}
