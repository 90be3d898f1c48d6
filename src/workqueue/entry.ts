/** Where an entry stands. It only moves on; an item that is added again while it is processed gets a new entry. */
export const Phase = {
  /** Its delay is not over (priority queue only). */
  waiting: 0,
  /** In the queue, or held back until the same item is no longer processed. */
  ready: 1,
  /** A consumer has it. */
  processing: 2,
  ended: 3,
} as const;

export type Phase = (typeof Phase)[keyof typeof Phase];

/** One turn of an item, from its add to its done. The queue has one per key. */
export class Entry<T> {
  readonly key: unknown;
  item: T;
  phase: Phase = Phase.ready;
  /** The next turn of the same key, added while this one is processed. */
  again: this | undefined = undefined;
  /** When it was added, then when its processing began. Kept by the metrics only: 0 without them. */
  stampMs = 0;

  constructor(key: unknown, item: T) {
    this.key = key;
    this.item = item;
  }
}
