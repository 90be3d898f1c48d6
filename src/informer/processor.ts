/**
 * `distribute`: gives each event to all listeners, and keeps its bodies readable until the last of them is done.
 * Source: `sharedProcessor` in client-go's `tools/cache/shared_informer.go`.
 */
import type { BlockRef, Holds, Indexer } from '../store/index.ts';
import type { ChangeClock } from './change-clock.ts';
import { InformerEvent, type InformerEventType } from './event.ts';
import type { HandlerPlan } from './handler-options.ts';
import { Joining } from './joining.ts';
import type { Latencies, Latency } from './latencies.ts';
import { Listener, type ListenerHost } from './listener.ts';
import type { ObjectContext, ObjectRef } from './object-ref.ts';

export interface ProcessorOptions<T> {
  readonly context: ObjectContext;
  readonly indexer: Indexer;
  readonly holds: Holds;
  readonly clock: ChangeClock;
  readonly now: () => number;
  readonly onHandlerError: (error: unknown, event: InformerEvent<T>, listener: Listener<T>) => void;
}

export class Processor<T> implements ListenerHost<T> {
  /** Changes given to `distribute`, and errors of handlers. */
  distributed = 0;
  handlerErrors = 0;
  /** Set once somebody wants to know how long things take. */
  latencies: Latencies | undefined;

  readonly #options: ProcessorOptions<T>;
  readonly #listeners = new Set<Listener<T>>();
  /** Of listeners that were removed. */
  #lapsBefore = 0;

  constructor(options: ProcessorOptions<T>) {
    this.#options = options;
  }

  get listeners(): ReadonlySet<Listener<T>> {
    return this.#listeners;
  }

  /** Events that were merged for all listeners that ever were. */
  get lapsTotal(): number {
    let laps = this.#lapsBefore;
    for (const listener of this.#listeners) laps += listener.laps;
    return laps;
  }

  get handlerLatency(): Latency | undefined {
    return this.latencies?.handlers;
  }

  /** Some listener asked for resyncs. */
  get hasResyncs(): boolean {
    for (const listener of this.#listeners) if (listener.resyncMs > 0) return true;
    return false;
  }

  /** Adds a listener, which gets what exists before any later event. */
  add(plan: HandlerPlan<T>): Listener<T> {
    const { indexer, clock } = this.#options;
    // What is stored but not told yet must not be told to it either.
    const isLate = indexer.size > 0 || clock.oldestUntold <= clock.last;
    const joining = isLate ? new Joining(indexer, clock) : undefined;
    const listener = new Listener(plan, this, joining);
    this.#listeners.add(listener);
    return listener;
  }

  remove(listener: Listener<T>): Promise<void> {
    if (this.#listeners.delete(listener)) this.#lapsBefore += listener.laps;
    return listener.remove();
  }

  /**
   * Tells all listeners of one change. Afterwards the caller may retire both blocks: those that a listener
   * still needs are held.
   *
   * @param slot - where the object lies in the store, or lay
   * @param change - number of the change
   */
  distribute(
    type: InformerEventType,
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    isInitial: boolean,
    isFinalStateUnknown: boolean,
    slot: number,
    change: number,
  ): void {
    this.distributed++;
    if (this.#listeners.size === 0) return;
    const event = this.#event(type, block, oldBlock, isInitial, isFinalStateUnknown);
    // The distributor counts as one, so that a listener that is done at once does not end the event.
    event.pending = 1;
    for (const listener of this.#listeners) {
      event.pending++;
      if (listener.offer(event, slot, change)) event.pending--;
    }
    event.pending--;
    if (event.pending > 0) this.#hold(event, event.pending);
  }

  /**
   * Gives an object that did not change to listeners that want it again, as an update from its state to its state.
   *
   * @param isRelist - to all that asked for resyncs; else to those whose period is over
   */
  distributeAgain(block: BlockRef, slot: number, change: number, isRelist: boolean): void {
    const event = this.#event('update', block, block, false, false);
    event.pending = 1;
    for (const listener of this.#listeners) {
      const isWanted = isRelist ? listener.resyncMs > 0 : listener.isResyncing;
      // Whoever is getting what exists for the first time needs it no second time.
      if (!isWanted || listener.isJoining) continue;
      event.pending++;
      if (listener.offer(event, slot, change)) event.pending--;
    }
    event.pending--;
    if (event.pending > 0) this.#hold(event, event.pending);
  }

  existing(slot: number): InformerEvent<T> {
    const block = this.#options.indexer.refOf(slot);
    return this.#hold(this.#event('add', block, undefined, true, false), 1);
  }

  filtered(event: InformerEvent<T>, filter: (ref: ObjectRef<T>) => boolean): InformerEvent<T> | undefined {
    if (event.oldRef === undefined) return filter(event) ? event : undefined;
    const wasSeen = filter(event.oldRef);
    if (filter(event)) {
      return wasSeen ? event : this.#event('add', event.block, undefined, false, false);
    }
    return wasSeen ? this.#event('delete', event.oldRef.block, undefined, false, false) : undefined;
  }

  finished(event: InformerEvent<T>): void {
    event.pending--;
    if (event.pending > 0 || !event.isHeld) return;
    event.isHeld = false;
    this.#options.holds.unhold(event.block);
    if (event.oldBlock !== undefined) this.#options.holds.unhold(event.oldBlock);
  }

  merge(first: InformerEvent<T>, second: InformerEvent<T>): InformerEvent<T> | undefined {
    const merged = this.#merged(first, second);
    // The merged event takes its holds before the two give up theirs.
    if (merged !== undefined) this.#hold(merged, 1);
    this.finished(first);
    this.finished(second);
    return merged;
  }

  handlerFailed(error: unknown, event: InformerEvent<T>, listener: Listener<T>): void {
    this.handlerErrors++;
    this.#options.onHandlerError(error, event, listener);
  }

  now(): number {
    return this.#options.now();
  }

  #merged(first: InformerEvent<T>, second: InformerEvent<T>): InformerEvent<T> | undefined {
    if (second.type !== 'delete') {
      // add + update is an add of the newer state; update + update an update from the oldest one.
      return this.#event(first.type, second.block, first.oldBlock, first.isInitial, false);
    }
    if (first.type === 'add') return undefined;
    return this.#event('delete', second.block, undefined, false, second.isFinalStateUnknown);
  }

  #event(
    type: InformerEventType,
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    isInitial: boolean,
    isFinalStateUnknown: boolean,
  ): InformerEvent<T> {
    return new InformerEvent<T>(this.#options.context, type, block, oldBlock, isInitial, isFinalStateUnknown);
  }

  #hold(event: InformerEvent<T>, pending: number): InformerEvent<T> {
    event.pending = pending;
    event.isHeld = true;
    this.#options.holds.hold(event.block);
    if (event.oldBlock !== undefined) this.#options.holds.hold(event.oldBlock);
    return event;
  }
}
