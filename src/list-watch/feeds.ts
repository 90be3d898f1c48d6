/** What a function gave, on its way from the exchange that called it to the reader that uses it. */
import type { ApiStatus } from '../reflector/index.ts';
import type { ObjectList } from './types.ts';

/** Longest time in which objects are encoded before the event loop gets its turn. */
export const SLICE_MS = 2;

/** A list of objects. */
export class ListFeed {
  readonly list: ObjectList<unknown>;
  /** The next item to be read. */
  position = 0;

  constructor(list: ObjectList<unknown>) {
    this.list = list;
  }

  get isDrained(): boolean {
    return this.position >= this.list.items.length;
  }
}

/** A watch: one event at a time, because the next is not asked for before this one is used. */
export class WatchFeed {
  /** What the iterator gave; undefined when it was used. */
  event: unknown;
  /** What the function threw, when that says what an ERROR event would. Counts behind the event. */
  status: ApiStatus | undefined;
}
