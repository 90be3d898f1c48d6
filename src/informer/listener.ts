/**
 * One registered handler: gets events in order, never two at once of the same key. Usually an event is delivered
 * while the ring is drained; a handler that returned a promise, that wants batches, or that was added to a running
 * informer, has a backlog of its own, which is worked off in slices.
 */
import type { InformerEvent } from './event.ts';
import type { EventQueue, Merger } from './event-queue.ts';
import type { HandlerPlan } from './handler-options.ts';
import type { Joining } from './joining.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { Latency } from './latencies.ts';
import { ListenerQueue } from './listener-queue.ts';
import type { ObjectRef } from './object-ref.ts';
import type { ResyncListener } from './resync.ts';

/** Longest time that a backlog is worked off before the event loop gets its turn. */
const SLICE_MS = 2;

/** What a listener needs of its informer. */
export interface ListenerHost<T> extends Merger<T> {
  /** The listener is done with an event that `offer` kept. */
  finished(event: InformerEvent<T>): void;
  /** The event as a handler with this filter sees it; undefined when it does not. */
  filtered(event: InformerEvent<T>, filter: (ref: ObjectRef<T>) => boolean): InformerEvent<T> | undefined;
  /** The add of an object that exists already, to be `finished`. */
  existing(slot: number): InformerEvent<T>;
  /** The handler threw or rejected. */
  handlerFailed(error: unknown, event: InformerEvent<T>, listener: Listener<T>): void;
  now(): number;
  /** Where the time of calls is noted, when somebody wants to know. */
  readonly handlerLatency: Latency | undefined;
}

/** What a registration shows of its listener. */
export interface ListenerFigures {
  readonly plan: { readonly name: string | undefined };
  /** Events that wait for this listener. */
  readonly backlog: number;
  /** Events that were never delivered one by one, because the listener lagged and states were merged. */
  readonly laps: number;
  /** Events that the handler was called with, also when it failed. */
  readonly delivered: number;
  /** How often it threw or rejected. */
  readonly errors: number;
  readonly resyncMs: number;
  /** Calls back once all that was offered so far has been delivered; at once if it has. */
  caughtUp(callback: (isCaughtUp: boolean) => void): void;
}

export class Listener<T> implements ResyncListener, ListenerFigures {
  readonly plan: HandlerPlan<T>;
  delivered = 0;
  errors = 0;
  /** See `resync.ts`. */
  resyncMs = 0;
  nextResyncMs = 0;
  isResyncing = false;

  readonly #host: ListenerHost<T>;
  readonly #queue: EventQueue<T>;
  /** Until it has all that existed when it was added. */
  #joining: Joining | undefined;
  #inFlight = 0;
  #isScheduled = false;
  #isRemoved = false;
  /** Called with true when everything that was offered before has been delivered, with false when it won't be. */
  #whenCaughtUp: ((isCaughtUp: boolean) => void)[] = [];
  #whenStill: (() => void)[] = [];

  /** @param joining - the walk over what exists, for a listener that comes late */
  constructor(plan: HandlerPlan<T>, host: ListenerHost<T>, joining: Joining | undefined) {
    this.plan = plan;
    this.#host = host;
    this.#joining = joining;
    this.#queue = plan.isPerKey
      ? new KeyedQueue(host, plan.backlogLimit)
      : new ListenerQueue(host, plan.backlogLimit);
    if (joining !== undefined) this.#schedule();
  }

  get backlog(): number {
    return this.#queue.size;
  }

  get laps(): number {
    return this.#queue.laps;
  }

  /** It may still have to get objects that existed when it was added. */
  get isJoining(): boolean {
    return this.#joining !== undefined;
  }

  /**
   * Delivers an event, now if nothing is before it.
   *
   * @param slot - where the object lies in the store
   * @param change - number of the change
   * @returns true when the handler is done with it; else `finished` follows
   */
  offer(event: InformerEvent<T>, slot: number, change: number): boolean {
    if (this.#isRemoved) return true;
    if (this.#joining !== undefined && !this.#wants(event, slot, change)) return true;
    const isFree = this.#inFlight === 0 && !this.#isWalking && this.#queue.size === 0;
    if (isFree && this.plan.one !== undefined) return this.#call(event, this.plan.one);
    this.#queue.push(event);
    if (this.#inFlight < this.plan.maxInFlight) this.#schedule();
    return false;
  }

  caughtUp(callback: (isCaughtUp: boolean) => void): void {
    if (this.#isRemoved) callback(false);
    else if (this.#isIdle) callback(true);
    else this.#whenCaughtUp.push(callback);
  }

  /**
   * Nothing is delivered afterwards.
   *
   * @returns a promise that resolves when what the handler works on is done
   */
  remove(): Promise<void> {
    if (!this.#isRemoved) {
      this.#isRemoved = true;
      this.#joining = undefined;
      for (const event of this.#queue.clear()) this.#host.finished(event);
      this.#settleWaiters(false);
    }
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenStill.push(resolve));
  }

  get #isIdle(): boolean {
    return this.#inFlight === 0 && !this.#isWalking && this.#queue.size === 0;
  }

  get #isWalking(): boolean {
    return this.#joining !== undefined && !this.#joining.isDone;
  }

  #wants(event: InformerEvent<T>, slot: number, change: number): boolean {
    const joining = this.#joining!;
    const wants = joining.wants(slot, change);
    if (wants && event.type === 'delete') joining.deleted(event.key);
    if (joining.isSettled) this.#joining = undefined;
    return wants;
  }

  /** True when the handler is done; else it works on the event, and `#done` follows. */
  #call(event: InformerEvent<T>, deliver: NonNullable<HandlerPlan<T>['one']>): boolean {
    const latency = this.#host.handlerLatency;
    const startMs = latency === undefined ? 0 : this.#host.now();
    let isPending = false;
    try {
      const { filter } = this.plan;
      const seen = filter === undefined ? event : this.#host.filtered(event, filter);
      if (seen === undefined) return true;
      this.delivered++;
      const result = deliver(seen);
      if (typeof result?.then !== 'function') return true;
      isPending = true;
      this.#inFlight++;
      this.#queue.started(event);
      result.then(
        () => this.#done(event, latency, startMs),
        (error: unknown) => {
          this.#failed(error, event);
          this.#done(event, latency, startMs);
        },
      );
      return false;
    } catch (error) {
      this.#failed(error, event);
      return true;
    } finally {
      if (!isPending) latency?.observe(this.#host.now() - startMs);
    }
  }

  #done(event: InformerEvent<T>, latency: Latency | undefined, startMs: number): void {
    latency?.observe(this.#host.now() - startMs);
    this.#inFlight--;
    this.#queue.finished(event);
    this.#host.finished(event);
    this.#goOn();
  }

  /** Takes a batch; false when nothing waits. */
  #runBatch(deliver: NonNullable<HandlerPlan<T>['batch']>): boolean {
    const taken: InformerEvent<T>[] = [];
    const seen: InformerEvent<T>[] = [];
    while (taken.length < this.plan.maxBatch) {
      const event = this.#next();
      if (event === undefined) break;
      taken.push(event);
      this.#collect(event, seen);
    }
    if (taken.length === 0) return false;
    const latency = this.#host.handlerLatency;
    const startMs = latency === undefined ? 0 : this.#host.now();
    const finish = () => {
      latency?.observe(this.#host.now() - startMs);
      for (const event of taken) this.#host.finished(event);
    };
    let result: void | Promise<void> | undefined;
    try {
      this.delivered += seen.length;
      if (seen.length > 0) result = deliver(seen);
    } catch (error) {
      this.#failed(error, seen[0]!);
    }
    if (typeof result?.then !== 'function') {
      finish();
      return true;
    }
    this.#inFlight++;
    result
      .then(undefined, (error: unknown) => this.#failed(error, seen[0]!))
      .then(() => {
        this.#inFlight--;
        finish();
        this.#goOn();
      });
    return true;
  }

  #collect(event: InformerEvent<T>, seen: InformerEvent<T>[]): void {
    const { filter } = this.plan;
    try {
      const one = filter === undefined ? event : this.#host.filtered(event, filter);
      if (one !== undefined) seen.push(one);
    } catch (error) {
      this.#failed(error, event);
    }
  }

  #failed(error: unknown, event: InformerEvent<T>): void {
    this.errors++;
    this.#host.handlerFailed(error, event, this);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isRemoved) return;
    this.#isScheduled = true;
    setImmediate(this.#work);
  }

  readonly #work = (): void => {
    this.#isScheduled = false;
    const end = this.#host.now() + SLICE_MS;
    while (this.#inFlight < this.plan.maxInFlight && !this.#isRemoved) {
      if (!this.#runNext()) break;
      if (this.#host.now() >= end) break;
    }
    this.#goOn();
  };

  #runNext(): boolean {
    const { one, batch } = this.plan;
    if (batch !== undefined) return this.#runBatch(batch);
    const event = this.#next();
    if (event === undefined) return false;
    if (this.#call(event, one!)) this.#host.finished(event);
    return true;
  }

  #goOn(): void {
    if (this.#inFlight === 0) this.#settleStill();
    if (this.#isIdle) this.#settleWaiters(!this.#isRemoved);
    else if (this.#inFlight < this.plan.maxInFlight && (this.#isWalking || this.#queue.hasNext)) {
      this.#schedule();
    }
  }

  /** What exists first, then what happened since. */
  #next(): InformerEvent<T> | undefined {
    const joining = this.#joining;
    while (joining !== undefined && !joining.isDone) {
      if (!joining.canGoOn) return undefined;
      const slot = joining.next();
      if (slot === -1) break;
      const event = this.#host.existing(slot);
      if (!joining.wasDeleted(event)) return event;
      this.#queue.push(event);
    }
    return this.#queue.shift();
  }

  #settleStill(): void {
    const waiters = this.#whenStill;
    if (waiters.length === 0) return;
    this.#whenStill = [];
    for (const waiter of waiters) waiter();
  }

  #settleWaiters(isCaughtUp: boolean): void {
    const waiters = this.#whenCaughtUp;
    if (waiters.length === 0) return;
    this.#whenCaughtUp = [];
    for (const waiter of waiters) waiter(isCaughtUp);
  }
}
