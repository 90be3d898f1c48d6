/**
 * One call of a function on behalf of a reflector, told to it as if it were a request: with pauses, an end, and turns
 * for the event loop in between.
 */
import { isUint8Array } from 'node:util/types';
import type { ApiRequest, Exchange, ResponseHandlers } from '../reflector/index.ts';
import { describeValue, isMap, ListWatchError } from './errors.ts';
import { extractList, resourceVersionOf } from './extract-list.ts';
import { ListFeed, SLICE_MS, WatchFeed } from './feeds.ts';
import type { LocalSink } from './local-sink.ts';
import { isWatchRequest, listOptionsOf, watchOptionsOf } from './request-options.ts';
import { failureOfThrown, refusalOf } from './thrown.ts';
import type { ListerWatcher, ObjectList } from './types.ts';

/** A body that is there as a whole is handed on in parts, as sockets do: scanning one takes a fraction of a slice. */
const PART_BYTES = 64 * 1024;

/** Lets the reader look into its feed. */
const TICK = new Uint8Array(0);

const OK = 200;

type AnyIterator = AsyncIterator<unknown> | Iterator<unknown>;

export class FunctionExchange implements Exchange {
  readonly #listerWatcher: ListerWatcher;
  readonly #sink: LocalSink;
  readonly #handlers: ResponseHandlers;
  readonly #abort = new AbortController();
  #iterator: AnyIterator | undefined;
  #hasResponded = false;
  #isPaused = false;
  #isOver = false;
  #goOn: (() => void) | undefined;

  constructor(listerWatcher: ListerWatcher, sink: LocalSink, handlers: ResponseHandlers) {
    this.#listerWatcher = listerWatcher;
    this.#sink = sink;
    this.#handlers = handlers;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#goOn?.();
  }

  abort(): void {
    if (!this.#end()) return;
    this.#abort.abort();
    this.#giveUpIterator();
  }

  /** Calls the function and hands on what it gives. Never rejects. */
  async run(request: ApiRequest): Promise<void> {
    this.#sink.thrown = undefined;
    const isWatch = isWatchRequest(request);
    try {
      if (isWatch) await this.#watch(request);
      else await this.#list(request);
    } catch (error) {
      this.#fail(isWatch ? 'watch' : 'list', error);
    }
  }

  async #list(request: ApiRequest): Promise<void> {
    const options = listOptionsOf(request, this.#abort.signal);
    const answer: unknown = await this.#listerWatcher.list(options);
    await this.#ready();
    if (this.#isOver) return;
    if (isUint8Array(answer) || isAsyncIterable(answer)) {
      this.#sink.listFeed = undefined;
      this.#respond();
      await this.#sendBody(answer);
    } else {
      const feed = new ListFeed(checkedList(answer, options.continue === undefined));
      this.#sink.listFeed = feed;
      this.#respond();
      await this.#sendItems(feed);
    }
    if (this.#end()) this.#handlers.onEnd();
  }

  async #watch(request: ApiRequest): Promise<void> {
    const feed = new WatchFeed();
    const stream: unknown = await this.#listerWatcher.watch(watchOptionsOf(request, this.#abort.signal));
    // Of a stream that nobody reads any more no iterator is made.
    if (this.#isOver) return;
    const iterator = isUint8Array(stream) ? [stream].values() : iteratorOf(stream);
    this.#sink.watchFeed = feed;
    this.#respond();
    await this.#pull(iterator, async (value) => {
      if (isUint8Array(value)) {
        await this.#sendBytes(value);
      } else {
        feed.event = value ?? null;
        this.#handlers.onData(TICK);
        await this.#ready();
      }
    });
    if (this.#end()) this.#handlers.onEnd();
  }

  #respond(): void {
    this.#hasResponded = true;
    this.#handlers.onResponse(OK, {});
  }

  async #sendItems(feed: ListFeed): Promise<void> {
    while (!this.#isOver && !feed.isDrained) {
      await this.#ready();
      if (!this.#isOver && !feed.isDrained) this.#handlers.onData(TICK);
    }
  }

  async #sendBody(body: Uint8Array | AsyncIterable<unknown>): Promise<void> {
    if (isUint8Array(body)) return this.#sendBytes(body);
    await this.#pull(body[Symbol.asyncIterator](), async (chunk) => {
      if (isUint8Array(chunk)) return this.#sendBytes(chunk);
      const message = `a list body came as ${describeValue(chunk)} instead of bytes (Uint8Array)`;
      throw new ListWatchError(message, { code: 'not-bytes' });
    });
  }

  async #sendBytes(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isOver; at += PART_BYTES) {
      this.#handlers.onData(bytes.subarray(at, at + PART_BYTES));
      await this.#ready();
    }
  }

  /** Takes from an iterator until it or the exchange ends. */
  async #pull(iterator: AnyIterator, use: (value: unknown) => Promise<void>): Promise<void> {
    this.#iterator = iterator;
    await this.#ready();
    while (!this.#isOver) {
      const { done, value } = await iterator.next();
      if (done === true) {
        this.#iterator = undefined;
        return;
      }
      if (!this.#isOver) await use(value);
    }
  }

  /** Waits until the reflector has room and the event loop had its turn. */
  async #ready(): Promise<void> {
    while (!this.#isOver) {
      if (this.#isPaused) {
        await new Promise<void>((resolve) => {
          this.#goOn = resolve;
        });
        this.#goOn = undefined;
      } else if (this.#sink.now() >= this.#sink.sliceEndMs) {
        await new Promise(setImmediate);
        this.#sink.sliceEndMs = this.#sink.now() + SLICE_MS;
      } else {
        return;
      }
    }
  }

  #fail(verb: 'list' | 'watch', error: unknown): void {
    if (this.#isOver) return;
    this.#giveUpIterator();
    this.#sink.thrown = error;
    const refusal = refusalOf(error);
    if (refusal !== undefined && verb === 'watch' && this.#hasResponded) {
      this.#sink.watchFeed.status = refusal.status;
      this.#handlers.onData(TICK);
    } else if (refusal !== undefined && !this.#hasResponded) {
      this.#end();
      this.#handlers.onResponse(refusal.httpStatus, { 'content-type': 'application/json' });
      this.#handlers.onData(Buffer.from(JSON.stringify(refusal.status)));
      this.#handlers.onEnd();
    } else {
      this.#end();
      this.#handlers.onError(failureOfThrown(verb, error));
    }
  }

  /** An iterator's `return` may wait for what it is doing, or throw: nobody waits for it. */
  #giveUpIterator(): void {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    void (async () => iterator?.return?.())().catch(() => {});
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#goOn?.();
    return true;
  }
}

/** @throws ListWatchError when it is no list that can be used */
function checkedList(answer: unknown, isFirstPage: boolean): ObjectList<unknown> {
  const list = answer as ObjectList<unknown>;
  extractList(list);
  if (isFirstPage && resourceVersionOf(list) === '') {
    const message = 'the list has no metadata.resourceVersion, from which the watch is to start';
    throw new ListWatchError(message, { code: 'no-resource-version' });
  }
  return list;
}

/** @throws ListWatchError when it has none */
function iteratorOf(stream: unknown): AnyIterator {
  if (isAsyncIterable(stream)) return stream[Symbol.asyncIterator]();
  if (isMap(stream) || Array.isArray(stream)) {
    const iterable = stream as Partial<Iterable<unknown>>;
    if (typeof iterable[Symbol.iterator] === 'function')
      return (stream as Iterable<unknown>)[Symbol.iterator]();
  }
  const message = `the watch function gave ${describeValue(stream)} instead of something to iterate over`;
  throw new ListWatchError(message, { code: 'not-a-watch' });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    isMap(value) && typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}
