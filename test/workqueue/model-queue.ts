/** What a {@link DelayingQueue} does, said as simply as possible: sets, arrays and searches. */

interface Delayed {
  readonly dueMs: number;
  readonly sequence: number;
}

/** What a consumer does: nothing, waiting in `get`, or processing an item; or `get` gave it nothing. */
export type ConsumerState = 'idle' | 'waiting' | 'ended' | { readonly item: string };

export class ModelQueue {
  readonly consumers: ConsumerState[];
  readonly #queue: string[] = [];
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  /** Consumers in the order in which they began to wait. */
  #waiters: number[] = [];
  #nowMs = 0;
  #sequence = 0;
  #isShuttingDown = false;

  constructor(consumers: number) {
    this.consumers = new Array<ConsumerState>(consumers).fill('idle');
  }

  get len(): number {
    return this.#queue.length;
  }

  get waiting(): number {
    return this.#delayed.size;
  }

  get isDrained(): boolean {
    return this.#queue.length === 0 && this.#processing.size === 0;
  }

  add(item: string): void {
    if (this.#isShuttingDown || this.#dirty.has(item)) return;
    this.#dirty.add(item);
    if (!this.#processing.has(item)) this.#queue.push(item);
    this.#serve();
  }

  addAfter(item: string, delayMs: number): void {
    if (this.#isShuttingDown) return;
    if (delayMs === 0) {
      this.add(item);
      return;
    }
    const delayed = { dueMs: this.#nowMs + delayMs, sequence: this.#sequence++ };
    const known = this.#delayed.get(item);
    if (known === undefined || delayed.dueMs < known.dueMs) this.#delayed.set(item, delayed);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#delayed].filter(([, { dueMs }]) => dueMs <= this.#nowMs);
    due.sort(([, a], [, b]) => a.dueMs - b.dueMs || a.sequence - b.sequence);
    for (const [item] of due) {
      this.#delayed.delete(item);
      this.add(item);
    }
  }

  get(consumer: number): void {
    this.consumers[consumer] = this.#isShuttingDown && this.len === 0 ? 'ended' : 'waiting';
    if (this.consumers[consumer] === 'waiting') this.#waiters.push(consumer);
    this.#serve();
  }

  abort(consumer: number): void {
    this.consumers[consumer] = 'idle';
    this.#waiters = this.#waiters.filter((waiter) => waiter !== consumer);
  }

  done(consumer: number): void {
    const { item } = this.consumers[consumer] as { item: string };
    this.consumers[consumer] = 'idle';
    this.#processing.delete(item);
    if (this.#dirty.has(item)) this.#queue.push(item);
    this.#serve();
  }

  shutDown(): void {
    this.#isShuttingDown = true;
    this.#delayed.clear();
    for (const consumer of this.#waiters) this.consumers[consumer] = 'ended';
    this.#waiters = [];
  }

  #serve(): void {
    while (this.#queue.length > 0 && this.#waiters.length > 0) {
      const item = this.#queue.shift()!;
      this.#dirty.delete(item);
      this.#processing.add(item);
      this.consumers[this.#waiters.shift()!] = { item };
    }
  }
}
