/** What a delta says; the names of client-go's `tools/cache`, and three for a Replace that is streamed. */
export const DeltaType = {
  added: 'Added',
  updated: 'Updated',
  deleted: 'Deleted',
  /** An object of a Replace. */
  replaced: 'Replaced',
  /** An object of a resync: nothing changed, the handlers want to see it again. Resolved when popped. */
  sync: 'Sync',
  /** The server's resourceVersion moved on without a change. */
  bookmark: 'Bookmark',
  /** A streamed Replace begins. */
  replaceBegin: 'ReplaceBegin',
  /** An object of a streamed Replace that is as it was. */
  seen: 'Seen',
  /** A streamed Replace ended: what it did not hold has vanished. */
  replaceEnd: 'ReplaceEnd',
  /** An object as it should have been before, or what shows that it is gone: the store's resourceVersion stays. */
  repaired: 'Repaired',
} as const;

export type DeltaType = (typeof DeltaType)[keyof typeof DeltaType];

/** One change on its way from a Reflector to the Indexer. */
export interface Delta<T> {
  readonly type: DeltaType;
  readonly object: T;
}

/**
 * Stands for an object that was deleted while nobody watched: a list no longer had it. `object` is the last
 * state that was seen, which may be older than the one that was deleted.
 * Source: `DeletedFinalStateUnknown` in client-go's `tools/cache/delta_fifo.go`.
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly #object: T | (() => T);
  #isKnown: boolean;
  #value: T | undefined;

  /** @param object - the last known state, or a function that gets it when somebody looks */
  constructor(key: string, object: T | (() => T)) {
    this.key = key;
    this.#object = object;
    this.#isKnown = typeof object !== 'function';
    this.#value = this.#isKnown ? (object as T) : undefined;
  }

  get object(): T {
    if (!this.#isKnown) {
      this.#value = (this.#object as () => T)();
      this.#isKnown = true;
    }
    return this.#value as T;
  }
}
