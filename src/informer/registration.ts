/** What `addEventHandler` returns: one handler's own state, and its removal. */
import type { Listener } from './listener.ts';

export class Registration {
  /** Resolves when the handler has finished everything that existed when it was added or at the start. */
  readonly synced: Promise<void>;

  readonly #listener: Pick<Listener<never>, 'backlog' | 'laps'>;
  readonly #remove: () => void;
  #hasSynced = false;

  /** @internal */
  constructor(
    listener: Pick<Listener<never>, 'backlog' | 'laps'>,
    synced: Promise<void>,
    remove: () => void,
  ) {
    this.#listener = listener;
    this.#remove = remove;
    this.synced = synced.then(() => {
      this.#hasSynced = true;
    });
    // Who does not look at `synced` must not get an unhandled rejection when the informer stops.
    this.synced.catch(() => {});
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Events that wait for this handler. */
  get backlog(): number {
    return this.#listener.backlog;
  }

  /** Events that were merged with a later one of the same key, because the handler lagged. */
  get laps(): number {
    return this.#listener.laps;
  }

  /** Nothing is delivered to the handler afterwards. Harmless when called twice. */
  remove(): void {
    this.#remove();
  }
}
