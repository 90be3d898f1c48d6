/** The subscriber's end: events of an informer on another thread than its own. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { EVENT_WORDS } from '../../layout/event-ring.ts';
import { Consumer, createRing, openRing } from '../../ring/index.ts';
import type { StoreReader } from '../../store/index.ts';
import { StoppedError, UsageError } from '../errors.ts';
import { InformerEvent } from '../event.ts';
import { type HandlerPlan, planHandler } from '../handler-options.ts';
import type { Handler, HandlerResult } from '../handlers.ts';
import type { ObjectContext } from '../object-ref.ts';
import { type FeederMessage, SUBSCRIBE, type SubscriberMessage } from './messages.ts';
import { readEvent } from './records.ts';
import { postRequest } from './requests.ts';

/** All fields are optional. */
export interface SubscribeOptions<T = object> {
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /** Names the handler in errors of the informer. @default none */
  readonly name?: string;
  /**
   * Events on the way, a power of two from 64 on: the informer holds the bodies of as many for this subscriber.
   * @default 1024
   */
  readonly ringRecords?: number;
  /**
   * Events that may wait one by one on the informer's thread when the ring is full. Beyond that those of a key are merged,
   * see `HandlerOptions.backlogLimit`. @default 1024
   */
  readonly backlogLimit?: number;
  /** Called with what the handler threw or rejected with, besides the `error` event of the informer. */
  readonly onError?: (error: unknown, event: InformerEvent<T>) => void;
}

/** What a subscription needs of the lister that it belongs to. */
export interface SubscriptionHost {
  /** The thread of the informer, and the channel of its store. */
  readonly thread: number;
  readonly channel: string;
  readonly context: ObjectContext;
  readonly reader: StoreReader;
}

/** A burst should pass without a wait for the other thread. */
const DEFAULT_RING_RECORDS = 1024;

/** Longest time that events are delivered before the event loop gets its turn. */
const SLICE_MS = 2;

/**
 * Events of an informer that another thread owns. Made by `AttachedLister.subscribe`. It keeps its thread alive until it
 * is closed.
 */
export class Subscription<T = object> {
  /** Resolves when the handler is done with all that existed; rejects with a StoppedError when it never will be. */
  readonly synced: Promise<void>;
  /**
   * Resolves when nothing more will come: after `close`, with the signal, when the informer was stopped, or its thread has
   * ended. Rejects with a StoreStalledError when memory that an event needs was not announced.
   */
  readonly closed: Promise<void>;
  /** Events that the handler was called with, also when it failed. */
  delivered = 0;
  /** How often it threw or rejected. */
  errors = 0;
  /** Events that were merged with a later one of the same key, because this thread lagged. */
  laps = 0;

  readonly #host: SubscriptionHost;
  readonly #plan: HandlerPlan<T>;
  readonly #onError: SubscribeOptions<T>['onError'];
  readonly #signal: AbortSignal | undefined;
  readonly #consumer: Consumer;
  readonly #port: MessagePort;
  readonly #opening = Promise.withResolvers<void>();
  readonly #syncing = Promise.withResolvers<void>();
  readonly #closing = Promise.withResolvers<void>();
  /** The handler works on events, or the next slice is due. */
  #isBusy = false;
  #sliceEndMs = 0;
  #isClosed = false;

  /** @internal */
  static async open<T>(
    handler: Handler<T>,
    options: SubscribeOptions<T>,
    host: SubscriptionHost,
  ): Promise<Subscription<T>> {
    const { name, backlogLimit, signal } = options;
    signal?.throwIfAborted();
    const plan = planHandler(handler, {
      ...(name !== undefined && { name }),
      ...(backlogLimit !== undefined && { backlogLimit }),
    });
    const ring = makeRing(options.ringRecords ?? DEFAULT_RING_RECORDS);
    const { port1, port2 } = new MessageChannel();
    const subscription = new Subscription(plan, options, host, ring, port1);
    const { channel } = host;
    const request = { type: SUBSCRIBE, channel, ring, port: port2, name, backlogLimit } as const;
    await postRequest(host.thread, request).catch((error: unknown) => {
      void subscription.close();
      throw error;
    });
    await subscription.#opening.promise;
    return subscription;
  }

  private constructor(
    plan: HandlerPlan<T>,
    { signal, onError }: SubscribeOptions<T>,
    host: SubscriptionHost,
    ring: SharedArrayBuffer,
    port: MessagePort,
  ) {
    this.#plan = plan;
    this.#onError = onError;
    this.#signal = signal;
    this.#host = host;
    this.#consumer = new Consumer(openRing(ring, EVENT_WORDS));
    this.#port = port;
    this.synced = this.#syncing.promise;
    this.closed = this.#closing.promise;
    // Nobody has to look at them.
    this.synced.catch(() => {});
    this.closed.catch(() => {});
    this.#opening.promise.catch(() => {});
    port.on('message', (message: FeederMessage) => this.#take(message));
    port.on('close', () => this.#end());
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Events that lie on the ring and were not delivered. */
  get backlog(): number {
    return this.#isClosed ? 0 : this.#consumer.available;
  }

  /** Nothing is delivered afterwards, and the informer holds nothing for this subscriber. Harmless when called twice. */
  close(): Promise<void> {
    this.#port.close();
    this.#end();
    return this.closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #abort = (): void => {
    this.#opening.reject(this.#signal!.reason);
    void this.close();
  };

  #take(message: FeederMessage): void {
    switch (message.type) {
      case 'opened':
        this.#opening.resolve();
        this.#goOn();
        break;
      case 'refused':
        this.#end();
        break;
      case 'wake':
        this.#goOn();
        break;
      case 'synced':
        this.#syncing.resolve();
        break;
    }
  }

  #goOn(): void {
    if (this.#isBusy || this.#isClosed) return;
    this.#isBusy = true;
    this.#slice();
  }

  readonly #slice = (): void => {
    this.#sliceEndMs = performance.now() + SLICE_MS;
    this.#work();
  };

  #work(): void {
    while (!this.#isClosed) {
      let events: InformerEvent<T>[];
      try {
        events = this.#next();
      } catch (error) {
        this.#port.close();
        this.#end(error);
        return;
      }
      if (events.length === 0) {
        if (!this.#consumer.fallAsleep()) continue;
        this.#isBusy = false;
        return;
      }
      const result = this.#deliver(events);
      if (typeof result?.then === 'function') {
        result.then(undefined, (error: unknown) => this.#failed(error, events[0]!)).then(this.#handled);
        return;
      }
      this.#release();
      if (performance.now() >= this.#sliceEndMs) {
        setImmediate(this.#slice);
        return;
      }
    }
  }

  readonly #handled = (): void => {
    this.#release();
    // Promises that settle at once would never let the event loop have its turn.
    if (performance.now() >= this.#sliceEndMs) setImmediate(this.#slice);
    else this.#work();
  };

  #next(): InformerEvent<T>[] {
    const most = this.#plan.batch === undefined ? 1 : this.#plan.maxBatch;
    const events: InformerEvent<T>[] = [];
    while (events.length < most) {
      const word = this.#consumer.next();
      if (word === -1) break;
      events.push(this.#read(word));
    }
    return events;
  }

  #read(word: number): InformerEvent<T> {
    const { reader, context } = this.#host;
    const { type, block, oldBlock, isInitial, isFinalStateUnknown, laps } = readEvent(
      this.#consumer.words,
      word,
    );
    reader.awaitBlock(block);
    if (oldBlock !== undefined) reader.awaitBlock(oldBlock);
    this.laps = laps;
    return new InformerEvent<T>(context, type, block, oldBlock, isInitial, isFinalStateUnknown);
  }

  #deliver(events: readonly InformerEvent<T>[]): HandlerResult {
    const { one, batch } = this.#plan;
    this.delivered += events.length;
    try {
      return batch === undefined ? one!(events[0]!) : batch(events);
    } catch (error) {
      this.#failed(error, events[0]!);
    }
  }

  /** The events may be forgotten by the informer from now on. */
  #release(): void {
    if (this.#isClosed) return;
    if (this.#consumer.release()) this.#post({ type: 'passed' });
  }

  #failed(error: unknown, event: InformerEvent<T>): void {
    this.errors++;
    if (!this.#isClosed) {
      const { type, key } = event;
      // As text: not everything that can be thrown can be posted.
      const reason = error instanceof Error ? error.message : String(error);
      this.#post({ type: 'failed', event: { type, key }, reason });
    }
    try {
      this.#onError?.(error, event);
    } catch (second) {
      queueMicrotask(() => {
        throw second;
      });
    }
  }

  #post(message: SubscriberMessage): void {
    this.#port.postMessage(message);
  }

  /** @param failure - why it can't go on */
  #end(failure?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal?.removeEventListener('abort', this.#abort);
    const stopped = new StoppedError(
      'the informer of this handle was stopped, or its thread has ended: get a new handle',
    );
    this.#opening.reject(stopped);
    this.#syncing.reject(new StoppedError('the subscription was closed before it had all that existed'));
    if (failure === undefined) this.#closing.resolve();
    else this.#closing.reject(failure);
  }
}

function makeRing(records: number): SharedArrayBuffer {
  try {
    return createRing(records, EVENT_WORDS);
  } catch (error) {
    throw new UsageError(`ringRecords: ${(error as Error).message}`);
  }
}
