/**
 * One registered handler: gets events in order, never two at once. Usually an event is delivered while the
 * ring is drained; a handler that returned a promise, or that was added to a running informer, has a
 * backlog of its own, which is worked off in slices.
 */
import type { InformerEvent } from './event.ts';
import type { Deliver } from './handlers.ts';
import { ListenerQueue } from './listener-queue.ts';

/** Longest time that a backlog is worked off before the event loop gets its turn. */
const SLICE_MS = 2;

/** What a listener needs of its informer. */
export interface ListenerHost<T> {
  /** The listener is done with an event that `offer` kept. */
  finished(event: InformerEvent<T>): void;
  /** Makes one event of two that the listener did not see yet; undefined when they cancel out. */
  merge(first: InformerEvent<T>, second: InformerEvent<T>): InformerEvent<T> | undefined;
  /** The handler threw or rejected. */
  handlerFailed(error: unknown, event: InformerEvent<T>): void;
  /** Looks whether a listener still counts. */
  now(): number;
}

/** Objects of the store at one moment, for a handler that came late. */
export interface Replay<T> {
  next(): InformerEvent<T> | undefined;
  close(): void;
}

export class Listener<T> {
  readonly #deliver: Deliver<T>;
  readonly #host: ListenerHost<T>;
  readonly #queue: ListenerQueue<T>;
  #replay: Replay<T> | undefined;
  #isBusy = false;
  #isScheduled = false;
  #isRemoved = false;
  /** Called when everything that was offered before has been delivered. */
  #whenCaughtUp: (() => void)[] = [];

  constructor(deliver: Deliver<T>, host: ListenerHost<T>) {
    this.#deliver = deliver;
    this.#host = host;
    this.#queue = new ListenerQueue(host);
  }

  /** Events that wait for this listener. */
  get backlog(): number {
    return this.#queue.size;
  }

  /** Events that were never delivered one by one, because the listener lagged and states were merged. */
  get laps(): number {
    return this.#queue.laps;
  }

  /**
   * Delivers an event, now if nothing is before it.
   *
   * @returns true when the handler is done with it; else `finished` follows
   */
  offer(event: InformerEvent<T>): boolean {
    if (this.#isRemoved) return true;
    if (this.#isBusy || this.#replay !== undefined || this.#queue.size > 0) {
      this.#queue.push(event);
      return false;
    }
    return this.#call(event);
  }

  /** Gives the objects that exist already to a listener that was just added. */
  startReplay(replay: Replay<T>): void {
    this.#replay = replay;
    this.#schedule();
  }

  /** Calls back once all that was offered so far has been delivered; at once if it has. */
  caughtUp(callback: () => void): void {
    if (this.#isIdle) callback();
    else this.#whenCaughtUp.push(callback);
  }

  /** Nothing is delivered afterwards; a promise that the handler returned is still awaited. */
  remove(): void {
    this.#isRemoved = true;
    this.#replay?.close();
    this.#replay = undefined;
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      this.#host.finished(event);
    }
  }

  get #isIdle(): boolean {
    return !this.#isBusy && this.#replay === undefined && this.#queue.size === 0;
  }

  /** True when the handler is done; else it works on the event, and `#done` follows. */
  #call(event: InformerEvent<T>): boolean {
    try {
      const result = this.#deliver(event);
      if (typeof result?.then !== 'function') return true;
      this.#isBusy = true;
      result.then(
        () => this.#done(event),
        (error: unknown) => {
          this.#host.handlerFailed(error, event);
          this.#done(event);
        },
      );
      return false;
    } catch (error) {
      this.#host.handlerFailed(error, event);
      return true;
    }
  }

  #done(event: InformerEvent<T>): void {
    this.#isBusy = false;
    this.#host.finished(event);
    if (this.#isIdle) this.#settleWaiters();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isRemoved) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#work();
    });
  }

  #work(): void {
    const end = this.#host.now() + SLICE_MS;
    while (!this.#isBusy && !this.#isRemoved) {
      const event = this.#next();
      if (event === undefined) break;
      if (this.#call(event)) this.#host.finished(event);
      if (this.#host.now() >= end) break;
    }
    if (this.#isIdle) this.#settleWaiters();
    else if (!this.#isBusy) this.#schedule();
  }

  #next(): InformerEvent<T> | undefined {
    const replayed = this.#replay?.next();
    if (replayed !== undefined) return replayed;
    this.#replay?.close();
    this.#replay = undefined;
    return this.#queue.shift();
  }

  #settleWaiters(): void {
    const waiters = this.#whenCaughtUp;
    this.#whenCaughtUp = [];
    for (const waiter of waiters) waiter();
  }
}
