/** Gives each event to all listeners, and keeps its bodies readable until the last of them is done. */
import type { BlockRef, Holds } from '../store/index.ts';
import { InformerEvent, type InformerEventType } from './event.ts';
import type { Deliver } from './handlers.ts';
import { Listener, type ListenerHost, type Replay } from './listener.ts';
import type { ObjectContext } from './object-ref.ts';

export interface ProcessorOptions<T> {
  readonly context: ObjectContext;
  readonly holds: Holds;
  readonly now: () => number;
  readonly onHandlerError: (error: unknown, event: InformerEvent<T>) => void;
}

export class Processor<T> implements ListenerHost<T> {
  /** Events given to `distribute`, and errors of handlers. */
  distributed = 0;
  handlerErrors = 0;

  readonly #options: ProcessorOptions<T>;
  readonly #listeners = new Set<Listener<T>>();

  constructor(options: ProcessorOptions<T>) {
    this.#options = options;
  }

  get listeners(): ReadonlySet<Listener<T>> {
    return this.#listeners;
  }

  add(deliver: Deliver<T>): Listener<T> {
    const listener = new Listener(deliver, this);
    this.#listeners.add(listener);
    return listener;
  }

  /** Gives the objects that exist already to one listener, before any later event. */
  replay(listener: Listener<T>, blocks: readonly BlockRef[]): void {
    const close = this.#options.holds.snapshot();
    let next = 0;
    const replay: Replay<T> = {
      next: () => {
        const block = blocks[next++];
        return block && this.#hold(this.#event('add', block, undefined, true, false));
      },
      close,
    };
    listener.startReplay(replay);
  }

  remove(listener: Listener<T>): void {
    this.#listeners.delete(listener);
    listener.remove();
  }

  /**
   * Tells all listeners of one change. Afterwards the caller may retire both blocks: those that a listener
   * still needs are held.
   */
  distribute(
    type: InformerEventType,
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    isInitial: boolean,
    isFinalStateUnknown: boolean,
  ): void {
    this.distributed++;
    if (this.#listeners.size === 0) return;
    const event = this.#event(type, block, oldBlock, isInitial, isFinalStateUnknown);
    // The distributor counts as one, so that a listener that is done at once does not end the event.
    event.pending = 1;
    for (const listener of this.#listeners) {
      event.pending++;
      if (listener.offer(event)) event.pending--;
    }
    event.pending--;
    if (event.pending > 0) this.#hold(event, event.pending);
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
    if (merged !== undefined) this.#hold(merged);
    this.finished(first);
    this.finished(second);
    return merged;
  }

  handlerFailed(error: unknown, event: InformerEvent<T>): void {
    this.handlerErrors++;
    this.#options.onHandlerError(error, event);
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

  #hold(event: InformerEvent<T>, pending = 1): InformerEvent<T> {
    event.pending = pending;
    event.isHeld = true;
    this.#options.holds.hold(event.block);
    if (event.oldBlock !== undefined) this.#options.holds.hold(event.oldBlock);
    return event;
  }
}
