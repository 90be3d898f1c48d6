/** What the queues have in common: consumers, the items they process, and shut-down. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requireItem } from './check.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Entry, Phase } from './entry.ts';
import { NotProcessingError, QueueArgumentError } from './errors.ts';
import { LinkedList } from './linked-list.ts';
import type { QueueMetricsProvider } from './metrics.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { WorkItem } from './work-item.ts';

/**
 * Items that `for await` hands out before it lets the event loop turn. Without it, a loop whose body awaits nothing
 * but other promises would hold up timers and sockets until the queue is empty.
 */
const ITEMS_PER_TURN = 256;

/** Options of all queues. */
export interface WorkQueueOptions<T> {
  /** The label of its metrics; needed when there are some. Queues of one registry should have different ones. */
  readonly name?: string;
  /**
   * Items with equal keys are one item. By default an item is its own key: strings and numbers are compared by
   * value, objects by identity. Keys are compared as those of a `Map`.
   */
  readonly keyFunction?: (item: T) => unknown;
  /** Where metrics go. By default nothing is measured. */
  readonly metrics?: QueueMetricsProvider;
  /** For tests. By default the process's monotonic clock. */
  readonly clock?: Clock;
}

/** Options of a call that waits. */
export interface GetOptions {
  /** Ends the waiting: the promise is rejected with its reason. No item is lost. */
  readonly signal?: AbortSignal;
}

/** What is ready, in the order in which it is handed out. */
interface ReadyStore<E> {
  readonly size: number;
  push(entry: E): void;
  shift(): E | undefined;
}

type Consumer<E> = (entry: E | undefined) => void;

/** The consumer's side of a queue. How items are added is up to the queue. */
export abstract class BaseQueue<T, E extends Entry<T>> implements AsyncIterable<T> {
  /** @internal */
  protected readonly clock: Clock;
  /** @internal */
  protected readonly metrics: QueueMetrics | undefined;
  /** The entry of each key: ready, processing or waiting. @internal */
  protected readonly entries = new Map<unknown, E>();
  readonly #keyFunction: ((item: T) => unknown) | undefined;
  readonly #ready: ReadyStore<E>;
  readonly #consumers = new LinkedList<Consumer<E>>();
  #processing = 0;
  #isShuttingDown = false;
  /** Settle the promises of `shutDownWithDrain`. */
  #onDrained: (() => void)[] = [];

  /** @internal */
  constructor(options: WorkQueueOptions<T>, ready: ReadyStore<E>) {
    const { name = '', keyFunction, metrics, clock = systemClock } = options;
    if (metrics !== undefined && name === '') {
      throw new QueueArgumentError(
        'name',
        'metrics need the name of the queue as a label: give a name as well',
      );
    }
    this.clock = clock;
    this.metrics = metrics === undefined ? undefined : new QueueMetrics(metrics, name, clock);
    this.#keyFunction = keyFunction;
    this.#ready = ready;
  }

  /** Number of items that a consumer could get now. Neither those processed nor delayed ones. For information. */
  get len(): number {
    return this.#ready.size;
  }

  /** True from the first call of `shutDown` or `shutDownWithDrain` on. */
  get shuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /**
   * Waits for an item and takes it: it is being processed until `done` is called for it. Consumers are served in the
   * order in which they came.
   *
   * @returns undefined when the queue is shutting down and empty: then the consumer should end
   */
  get({ signal }: GetOptions = {}): Promise<T | undefined> {
    return this.#receive(itemOf<T>, signal);
  }

  /**
   * Takes an item if one is ready, without a promise: for consumers that process many in one go.
   *
   * @returns undefined when none is ready, whether the queue is shutting down or not
   */
  tryGet(): T | undefined {
    return this.#next()?.item;
  }

  /**
   * As `get`, with the duty to call `done` as an object: `using work = await queue.take()`.
   *
   * @returns undefined when the queue is shutting down and empty
   */
  take({ signal }: GetOptions = {}): Promise<WorkItem<T> | undefined> {
    return this.#receive((entry) => this.#lease(entry), signal);
  }

  /**
   * The item was processed. If it was added again meanwhile, it is ready now.
   *
   * @throws NotProcessingError when no consumer has it
   */
  done(item: T): void {
    const key = this.keyOf(item);
    const entry = this.entries.get(key);
    if (entry?.phase !== Phase.processing) throw new NotProcessingError(key);
    this.#end(entry);
  }

  /**
   * Takes items until the queue is shutting down and empty, with `done` after each body, however it ended. Each loop
   * is one consumer: start several for concurrency.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let count = 1; ; count++) {
      const entry = this.#next() ?? (await this.#receive(itself<E>, undefined));
      if (entry === undefined) return;
      try {
        yield entry.item;
      } finally {
        this.#endOnce(entry);
      }
      if (count % ITEMS_PER_TURN === 0) await nextTurn();
    }
  }

  /**
   * From now on adds are ignored and delayed items are dropped. What is ready is still handed out, then consumers get
   * undefined. Ends a `shutDownWithDrain` that waits.
   */
  shutDown(): void {
    this.#stop();
    this.#drained();
  }

  /**
   * As `shutDown`, and waits until every item was processed: none is ready, and `done` was called for each. It waits
   * for ever when nobody consumes, or a consumer forgets `done`, until `shutDown` is called.
   */
  shutDownWithDrain(): Promise<void> {
    this.#stop();
    return new Promise((resolve) => {
      this.#onDrained.push(resolve);
      this.#checkDrained();
    });
  }

  /** What tells items apart. @throws QueueArgumentError for undefined @internal */
  protected keyOf(item: T): unknown {
    requireItem(item);
    return this.#keyFunction === undefined ? item : this.#keyFunction(item);
  }

  /** Hands an entry to the consumer that waits longest, or stores it. @internal */
  protected offer(entry: E): void {
    const consume = this.#consumers.shift();
    if (consume === undefined) {
      this.#ready.push(entry);
      return;
    }
    this.#start(entry);
    consume(entry);
  }

  /** Drops what is delayed; called once, when the queue shuts down. @internal */
  protected dropWaiting(): void {}

  /** @internal */
  protected priorityOf(_entry: E): number {
    return 0;
  }

  #receive<R>(view: (entry: E) => R, signal: AbortSignal | undefined): Promise<R | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const ready = this.#next();
      if (ready !== undefined) resolve(view(ready));
      else if (this.#isShuttingDown) resolve(undefined);
      else this.#wait((entry) => resolve(entry && view(entry)), reject, signal);
    });
  }

  #wait(consume: Consumer<E>, reject: (reason: unknown) => void, signal: AbortSignal | undefined): void {
    if (signal === undefined) {
      this.#consumers.push(consume);
      return;
    }
    const onAbort = () => {
      this.#consumers.remove(node);
      reject(signal.reason);
    };
    const node = this.#consumers.push((entry) => {
      signal.removeEventListener('abort', onAbort);
      consume(entry);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  }

  #next(): E | undefined {
    const entry = this.#ready.shift();
    if (entry !== undefined) this.#start(entry);
    return entry;
  }

  #start(entry: E): void {
    entry.phase = Phase.processing;
    this.#processing++;
    this.metrics?.started(entry);
  }

  #end(entry: E): void {
    entry.phase = Phase.ended;
    this.#processing--;
    this.metrics?.ended(entry);
    const { key, again } = entry;
    if (again === undefined) {
      this.entries.delete(key);
    } else {
      this.entries.set(key, again);
      if (again.phase === Phase.ready) this.offer(again);
    }
    if (this.#isShuttingDown) this.#checkDrained();
  }

  /** For those who hold the entry: it may have ended by `done(item)`. */
  #endOnce(entry: E): void {
    if (entry.phase === Phase.processing) this.#end(entry);
  }

  #lease(entry: E): WorkItem<T> {
    return new WorkItem(entry.item, this.priorityOf(entry), () => this.#endOnce(entry));
  }

  #stop(): void {
    if (this.#isShuttingDown) return;
    this.#isShuttingDown = true;
    this.metrics?.stop();
    this.dropWaiting();
    // Consumers wait only while nothing is ready.
    while (!this.#consumers.isEmpty) this.#consumers.shift()?.(undefined);
  }

  #checkDrained(): void {
    if (this.#processing === 0 && this.#ready.size === 0) this.#drained();
  }

  #drained(): void {
    for (const resolve of this.#onDrained) resolve();
    this.#onDrained = [];
  }
}

function itemOf<T>(entry: Entry<T>): T {
  return entry.item;
}

function itself<E>(entry: E): E {
  return entry;
}
