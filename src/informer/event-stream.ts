/** Events for a `for await` loop. The loop is a handler: it gets the next event when it asks for it. */
import type { InformerEvent } from './event.ts';
import type { EventHandler } from './handlers.ts';

type Result<T> = IteratorResult<InformerEvent<T>, undefined>;

const END: Result<never> = { done: true, value: undefined };

export class EventStream<T> implements AsyncIterableIterator<InformerEvent<T>, undefined> {
  readonly #registration: { remove(): unknown };
  readonly #onEnd: (stream: EventStream<T>) => void;
  readonly #signal: AbortSignal | undefined;
  /** An event that nobody has asked for yet. */
  #ready: InformerEvent<T> | undefined;
  /** Who asked for an event that has not come yet, in order. */
  #asking: ((result: Result<T>) => void)[] = [];
  /** Ends the handling of the event that was given last. */
  #release: (() => void) | undefined;
  #isEnded = false;

  /**
   * @param register - adds a handler to the informer
   * @param onEnd - called once, when nothing more will come
   */
  constructor(
    register: (handler: EventHandler<T>) => { remove(): unknown },
    signal: AbortSignal | undefined,
    onEnd: (stream: EventStream<T>) => void,
  ) {
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#registration = register({ onEvent: (event) => this.#take(event) });
    signal?.addEventListener('abort', this.end, { once: true });
    if (signal?.aborted) this.end();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  next(): Promise<Result<T>> {
    if (this.#isEnded) return Promise.resolve(END);
    const event = this.#ready;
    if (event !== undefined) {
      this.#ready = undefined;
      return Promise.resolve({ done: false, value: event });
    }
    return new Promise((resolve) => {
      this.#asking.push(resolve);
      this.#release?.();
      this.#release = undefined;
    });
  }

  return(): Promise<Result<T>> {
    this.end();
    return Promise.resolve(END);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }

  #take(event: InformerEvent<T>): void | Promise<void> {
    if (this.#isEnded) return;
    const asking = this.#asking.shift();
    if (asking === undefined) this.#ready = event;
    else asking({ done: false, value: event });
    // Somebody who asked for several at once is done with this one already.
    if (this.#asking.length > 0) return;
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Nothing more is given; whoever asks is told so. */
  readonly end = (): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#signal?.removeEventListener('abort', this.end);
    this.#ready = undefined;
    this.#release?.();
    for (const asking of this.#asking.splice(0)) asking(END);
    void this.#registration.remove();
    this.#onEnd(this);
  };
}
