import { BaseQueue, type WorkQueueOptions } from './base-queue.ts';
import { requireCount, requireDelayMs, requirePriority } from './check.ts';
import { systemClock } from './clock.ts';
import { Delays } from './delays.ts';
import { Phase } from './entry.ts';
import { ItemExponentialFailureRateLimiter } from './item-exponential-failure-rate-limiter.ts';
import { type Ageing, PriorityEntry, PriorityLevels } from './priority-levels.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RateLimitingInterface } from './rate-limiting-interface.ts';

/**
 * For what can wait: objects of the first list, and resyncs of what did not change. Changes, at priority 0, go
 * before them. controller-runtime's `LowPriority`.
 */
export const LOW_PRIORITY = -100;

/** Longer than a burst of changes, shorter than the patience of whoever waits for a resync. */
const DEFAULT_AGEING_MS = 10_000;

/** What is urgent keeps seven of eight places. */
const DEFAULT_AGEING_EVERY = 8;

/** Options of a {@link PriorityQueue}. */
export interface PriorityQueueOptions<T> extends WorkQueueOptions<T> {
  /**
   * By default the delay of each item doubles from 5 ms to 1,000 s, with this queue's key function. There is no limit
   * for all items together, as in controller-runtime.
   */
  readonly rateLimiter?: RateLimiter<T>;
  /**
   * How low priorities are kept from starving. The item that has been ready for longest, once that is `afterMs`
   * milliseconds (by default 10,000), is handed out as every `every`th item (by default 8), whatever its priority.
   * `false`: never, as in controller-runtime.
   */
  readonly ageing?: false | { readonly afterMs?: number; readonly every?: number };
}

/** How an item is added to a {@link PriorityQueue}. */
export interface PriorityAddOptions {
  /** Milliseconds until it is ready. By default 0: at once. */
  readonly after?: number;
  /** It is ready when the rate limiter allows it; with `after`, at the earlier of both times. By default false. */
  readonly rateLimited?: boolean;
  /** A whole number; higher ones are handed out first. By default 0. */
  readonly priority?: number;
}

/**
 * A queue that hands out the highest priority first, and first in, first out among equals: controller-runtime's, with
 * ageing, and with a `shutDownWithDrain` that drains.
 *
 * Each item has one entry, however often it was added: it keeps the highest of the priorities and the earliest of
 * the times. An add with a higher priority moves it to the end of those that have that priority. Unlike in a
 * `DelayingQueue`, a plain `add` of an item that waits makes it ready, and it is handed out once. An item that is
 * added while it is processed is ready, or goes on waiting, when its `done` is called.
 */
export class PriorityQueue<T = string>
  extends BaseQueue<T, PriorityEntry<T>>
  implements RateLimitingInterface<T>
{
  readonly #levels: PriorityLevels<T>;
  readonly #delays: Delays<PriorityEntry<T>>;
  readonly #rateLimiter: RateLimiter<T>;

  /** @throws QueueArgumentError when an option is out of range, or there are metrics but no name */
  constructor(options: PriorityQueueOptions<T> = {}) {
    const clock = options.clock ?? systemClock;
    const levels = new PriorityLevels<T>(clock, ageingOf(options.ageing));
    super(options, levels);
    this.#levels = levels;
    this.#delays = new Delays(clock, (entry) => this.#becomeReady(entry));
    this.#rateLimiter = options.rateLimiter ?? new ItemExponentialFailureRateLimiter<T>(options);
  }

  /** Number of items whose delay is not over. */
  get waiting(): number {
    return this.#delays.size;
  }

  /**
   * The item has to be processed. With a key function the newest of equal items counts. Ignored when the queue is
   * shutting down.
   *
   * @throws QueueArgumentError when the item is undefined, or an option or the rate limiter's delay out of range
   */
  add(item: T, options: PriorityAddOptions = {}): void {
    const { priority = 0, after = 0, rateLimited = false } = options;
    requirePriority(priority);
    requireDelayMs('after', after);
    const key = this.keyOf(item);
    if (this.shuttingDown) return;
    const delayMs = rateLimited ? this.#limit(item, after) : after;
    if (delayMs > 0) this.metrics?.retried();

    const current = this.entries.get(key);
    const known = current?.phase === Phase.processing ? current.again : current;
    if (known !== undefined) {
      this.#merge(known, item, priority, delayMs);
      return;
    }
    const entry = new PriorityEntry(key, item, priority);
    if (current === undefined) this.entries.set(key, entry);
    else current.again = entry;
    if (delayMs === 0) this.#becomeReady(entry);
    else this.#wait(entry, delayMs);
  }

  /** As `add` with `after`. @param delayMs - milliseconds; 0 adds it at once */
  addAfter(item: T, delayMs: number): void {
    this.add(item, { after: delayMs });
  }

  /** As `add` with `rateLimited`. */
  addRateLimited(item: T): void {
    this.add(item, { rateLimited: true });
  }

  /** Its failures no longer count. It does not take the item out of the queue. Nothing for unknown items. */
  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  /** How often it was added with `rateLimited` since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(item);
  }

  /** @internal */
  protected override priorityOf(entry: PriorityEntry<T>): number {
    return entry.priority;
  }

  /** @internal */
  protected override dropWaiting(): void {
    this.#delays.clear();
    for (const [key, { phase }] of this.entries) {
      if (phase === Phase.waiting) this.entries.delete(key);
    }
  }

  #limit(item: T, afterMs: number): number {
    const delayMs = this.#rateLimiter.when(item);
    requireDelayMs('delay of the rate limiter', delayMs);
    return afterMs === 0 ? delayMs : Math.min(afterMs, delayMs);
  }

  #merge(entry: PriorityEntry<T>, item: T, priority: number, delayMs: number): void {
    entry.item = item;
    if (priority > entry.priority) {
      if (entry.levelNode === undefined) entry.priority = priority;
      else this.#levels.raise(entry, priority);
    }
    if (entry.phase !== Phase.waiting) return;
    if (delayMs > 0) {
      this.#wait(entry, delayMs);
    } else {
      this.#delays.delete(entry.key);
      this.#becomeReady(entry);
    }
  }

  #wait(entry: PriorityEntry<T>, delayMs: number): void {
    entry.phase = Phase.waiting;
    this.#delays.add(entry.key, entry, delayMs);
  }

  #becomeReady(entry: PriorityEntry<T>): void {
    entry.phase = Phase.ready;
    this.metrics?.added(entry);
    // While the item is processed, its next turn is held back until done.
    if (this.entries.get(entry.key) === entry) this.offer(entry);
  }
}

function ageingOf(option: PriorityQueueOptions<never>['ageing'] = {}): Ageing | undefined {
  if (option === false) return undefined;
  const { afterMs = DEFAULT_AGEING_MS, every = DEFAULT_AGEING_EVERY } = option;
  requireDelayMs('ageing.afterMs', afterMs);
  requireCount('ageing.every', every, 1);
  return { afterMs, every };
}
