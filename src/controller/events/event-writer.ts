import { ApiError, statusOf } from '../client/index.ts';
import { type DatedClock, sleep, withLimit } from '../timing.ts';
import type { CoreEvent } from './event.ts';
import type { EventClient } from './event-client.ts';
import type { CorrelatedEvent } from './event-correlator.ts';

/** The numbers of client-go's `tools/record/event.go`. */
const MAX_WAITING = 1000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** One that hangs must not hold up all that wait behind it for long. */
const REQUEST_LIMIT_MS = 30_000;

/** What a writer needs. */
export interface EventWriterOptions {
  readonly client: EventClient;
  readonly clock: DatedClock;
  readonly random: () => number;
  /** Told of an event that was given up, and why. */
  readonly onGivenUp: (event: CoreEvent, error: unknown) => void;
}

interface Waiting {
  readonly number: number;
  /** The server has not been told of it yet. */
  readonly isNew: boolean;
  event: CoreEvent;
}

interface Flush {
  readonly until: number;
  readonly done: () => void;
}

/**
 * Writes events one after another, in the order in which they came. What happens again while it waits is merged with
 * what waits, so an outage leaves as many writes as there are different events.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #closing = new AbortController();
  readonly #aborting = new AbortController();
  #flushes: Flush[] = [];
  #isWriting = false;
  /** Numbers of the last event that was put in, and of the last one that was dealt with. */
  #last = 0;
  #done = 0;
  #written = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Different events that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Requests that succeeded. */
  get written(): number {
    return this.#written;
  }

  /** @returns false when too many wait: the event is not written */
  put({ key, event }: CorrelatedEvent): boolean {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.event = event;
      return true;
    }
    if (this.#waiting.size >= MAX_WAITING) return false;
    this.#waiting.set(key, { number: ++this.#last, isNew: event.count === 1, event });
    void this.#run();
    return true;
  }

  /** Resolves when all that was put in before is written or given up. */
  flush(): Promise<void> {
    if (this.#done >= this.#last) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flushes.push({ until: this.#last, done: resolve });
    return promise;
  }

  /** Tries each event that waits once more, and gives up what is left after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    this.#closing.abort();
    const cancel = this.#options.clock.setTimer(limitMs, () => this.#aborting.abort());
    await this.flush();
    cancel();
  }

  async #run(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (let next = first(this.#waiting); next !== undefined; next = first(this.#waiting)) {
      const [key, waiting] = next;
      this.#waiting.delete(key);
      await this.#write(waiting);
      this.#done = waiting.number;
      this.#settleFlushes();
    }
    this.#isWriting = false;
  }

  async #write(waiting: Waiting): Promise<void> {
    for (let tries = 1; ; tries++) {
      const failure = await this.#try(waiting);
      if (failure === undefined) return;
      const isLast = tries === MAX_TRIES || this.#closing.signal.aborted;
      if (isLast || !isWorthAnotherTry(failure.error)) {
        this.#options.onGivenUp(waiting.event, failure.error);
        return;
      }
      await sleep(this.#options.clock, this.#delayMs(tries, failure.error), this.#closing.signal);
    }
  }

  async #try(waiting: Waiting): Promise<{ readonly error: unknown } | undefined> {
    const { clock } = this.#options;
    try {
      await withLimit(clock, REQUEST_LIMIT_MS, this.#aborting.signal, (signal) =>
        this.#send(waiting, signal),
      );
    } catch (error) {
      // An earlier try whose answer was lost has made it.
      if (statusOf(error) !== 409) return { error };
    }
    this.#written++;
    return undefined;
  }

  async #send({ event, isNew }: Waiting, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { count, lastTimestamp, message, metadata } = event;
    if (!isNew) {
      try {
        await client.patch(metadata, { count, lastTimestamp, message }, signal);
        return;
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
      }
    }
    await client.create(event, signal);
  }

  /** The first one is random, so that clients that failed together do not come back together. */
  #delayMs(tries: number, error: unknown): number {
    const delayMs = tries === 1 ? RETRY_MS * this.#options.random() : RETRY_MS;
    return Math.max(delayMs, (error instanceof ApiError && error.retryAfterMs) || 0);
  }

  #settleFlushes(): void {
    const settled = this.#flushes.filter(({ until }) => until <= this.#done);
    if (settled.length === 0) return;
    this.#flushes = this.#flushes.filter(({ until }) => until > this.#done);
    for (const { done } of settled) done();
  }
}

function first<K, V>(map: ReadonlyMap<K, V>): [K, V] | undefined {
  for (const entry of map) return entry;
  return undefined;
}

/** No answer, too many requests, and trouble on the server pass; what it refuses, it refuses again. */
function isWorthAnotherTry(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 429 || status >= 500;
}
