import { BaseQueue, type WorkQueueOptions } from './base-queue.ts';
import { Entry, Phase } from './entry.ts';
import { Fifo } from './fifo.ts';

/**
 * A queue of what has to be done, usually keys of objects. Items come out in the order in which they went in; an
 * item that is added while it is queued is queued once; no item is processed by two consumers at once: one that is
 * added while it is processed is queued again when its `done` is called.
 *
 * It is client-go's `workqueue.Typed`, with two differences: `shutDownWithDrain` also waits for what is still
 * queued, and `done` without `get` throws.
 *
 * ```ts
 * const queue = new WorkQueue<string>();
 * queue.add('default/web-0');
 * for await (const key of queue) await reconcile(key); // ends after queue.shutDown()
 * ```
 */
export class WorkQueue<T = string> extends BaseQueue<T, Entry<T>> {
  /** @throws QueueArgumentError when there are metrics but no name */
  constructor(options: WorkQueueOptions<T> = {}) {
    super(options, new Fifo<Entry<T>>());
  }

  /**
   * The item has to be processed. With a key function the newest of equal items counts, at the place of the first.
   * Ignored when the queue is shutting down.
   *
   * @throws QueueArgumentError when it is undefined
   */
  add(item: T): void {
    const key = this.keyOf(item);
    if (this.shuttingDown) return;
    const entry = this.entries.get(key);
    if (entry === undefined) {
      const added = this.#enter(key, item);
      this.entries.set(key, added);
      this.offer(added);
    } else if (entry.phase === Phase.ready) {
      entry.item = item;
    } else if (entry.again === undefined) {
      entry.again = this.#enter(key, item);
    } else {
      entry.again.item = item;
    }
  }

  #enter(key: unknown, item: T): Entry<T> {
    const entry = new Entry(key, item);
    this.metrics?.added(entry);
    return entry;
  }
}
