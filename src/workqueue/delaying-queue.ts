import type { WorkQueueOptions } from './base-queue.ts';
import { requireDelayMs } from './check.ts';
import { systemClock } from './clock.ts';
import { Delays } from './delays.ts';
import { WorkQueue } from './work-queue.ts';

/**
 * A queue whose items can be added later: client-go's `TypedDelayingQueue`. Delays are measured on a monotonic
 * clock, so setting the machine's time does not touch them. A pending delay keeps the process alive.
 */
export class DelayingQueue<T = string> extends WorkQueue<T> {
  readonly #delays: Delays<T>;

  /** @throws QueueArgumentError when there are metrics but no name */
  constructor(options: WorkQueueOptions<T> = {}) {
    super(options);
    this.#delays = new Delays(options.clock ?? systemClock, (item) => this.add(item));
  }

  /** Number of items whose delay is not over. */
  get waiting(): number {
    return this.#delays.size;
  }

  /**
   * Adds the item when the delay is over. An item that waits already keeps the earlier of both times. A plain `add`
   * meanwhile does not cancel it: the item is then handed out twice, as in client-go. Ignored when the queue is
   * shutting down.
   *
   * @param delayMs - milliseconds; 0 adds it at once
   * @throws QueueArgumentError when the delay is negative, NaN or endless
   */
  addAfter(item: T, delayMs: number): void {
    requireDelayMs('delayMs', delayMs);
    const key = this.keyOf(item);
    if (this.shuttingDown) return;
    this.metrics?.retried();
    if (delayMs === 0) this.add(item);
    else this.#delays.add(key, item, delayMs);
  }

  /** @internal */
  protected override dropWaiting(): void {
    this.#delays.clear();
  }
}
