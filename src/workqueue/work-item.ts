/**
 * An item that was handed out, with the duty to call `done`: `using work = await queue.take()` does it at the end
 * of the block, however that ends.
 */
export class WorkItem<T> implements Disposable {
  readonly item: T;
  /** With which it was handed out: to be given when it is added again. 0 in a queue without priorities. */
  readonly priority: number;
  readonly #end: () => void;

  /** @internal */
  constructor(item: T, priority: number, end: () => void) {
    this.item = item;
    this.priority = priority;
    this.#end = end;
  }

  /**
   * The item was processed. As `queue.done(item)`, but for this one turn of it: calling it again, or after
   * `queue.done(item)`, does nothing, even if somebody else has the item by then.
   */
  done(): void {
    this.#end();
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}
