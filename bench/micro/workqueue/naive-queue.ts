/** What one writes without a library: two sets and an array. */
export class NaiveQueue {
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #queue: string[] = [];

  add(item: string): void {
    if (this.#dirty.has(item)) return;
    this.#dirty.add(item);
    if (!this.#processing.has(item)) this.#queue.push(item);
  }

  tryGet(): string | undefined {
    const item = this.#queue.shift();
    if (item === undefined) return undefined;
    this.#dirty.delete(item);
    this.#processing.add(item);
    return item;
  }

  done(item: string): void {
    this.#processing.delete(item);
    if (this.#dirty.has(item)) this.#queue.push(item);
  }
}

/** One timer per delayed item; the earlier time wins. */
export class NaiveDelays {
  readonly #timers = new Map<string, { readonly timer: NodeJS.Timeout; readonly dueMs: number }>();

  get waiting(): number {
    return this.#timers.size;
  }

  addAfter(item: string, delayMs: number): void {
    const dueMs = performance.now() + delayMs;
    const known = this.#timers.get(item);
    if (known !== undefined && known.dueMs <= dueMs) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => this.#timers.delete(item), delayMs);
    this.#timers.set(item, { timer, dueMs });
  }

  shutDown(): void {
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
