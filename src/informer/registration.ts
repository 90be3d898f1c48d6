/** What `addEventHandler` returns: one handler's own state, and its removal. */
import { StoppedError } from './errors.ts';
import type { ListenerFigures } from './listener.ts';

export class Registration {
  /** Name of the handler, when it has one. */
  readonly name: string | undefined;
  /**
   * Resolves when the handler has finished everything that existed when it was added or at the start. Rejects with a
   * StoppedError when it was removed, or the informer stopped, before.
   */
  readonly synced: Promise<void>;

  readonly #listener: ListenerFigures;
  readonly #remove: () => Promise<void>;
  #hasSynced = false;
  #isRemoved = false;

  /**
   * @param informerSynced - resolves when the first list is in the store
   * @internal
   */
  constructor(listener: ListenerFigures, informerSynced: Promise<void>, remove: () => Promise<void>) {
    this.name = listener.plan.name;
    this.#listener = listener;
    this.#remove = remove;
    this.synced = informerSynced.then(
      () =>
        new Promise<void>((resolve, reject) => {
          listener.caughtUp((isCaughtUp) => {
            this.#hasSynced = isCaughtUp;
            if (isCaughtUp) resolve();
            else reject(new StoppedError('the handler was removed before it had all that existed'));
          });
        }),
    );
    // Who does not look at `synced` must not get an unhandled rejection when the informer stops.
    this.synced.catch(() => {});
  }

  /** True when the handler has finished everything that existed when it was added or at the start. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  /** Events that wait for this handler. */
  get backlog(): number {
    return this.#listener.backlog;
  }

  /** Events that were merged with a later one of the same key, because the handler lagged. */
  get laps(): number {
    return this.#listener.laps;
  }

  /** Events that the handler was called with, also when it failed. */
  get delivered(): number {
    return this.#listener.delivered;
  }

  /** How often it threw or rejected. */
  get errors(): number {
    return this.#listener.errors;
  }

  /** How often it gets what exists again, in milliseconds; 0 for never. See `HandlerOptions.resyncMs`. */
  get resyncMs(): number {
    return this.#listener.resyncMs;
  }

  /**
   * Nothing is delivered to the handler afterwards. Harmless when called twice.
   *
   * @returns a promise that resolves when what the handler works on has ended; a handler that waits for its own
   * removal waits for itself
   */
  remove(): Promise<void> {
    this.#isRemoved = true;
    return this.#remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
