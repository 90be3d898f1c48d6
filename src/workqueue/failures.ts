import type { ItemOptions } from './rate-limiter.ts';

/** Failures by item. They stay until they are forgotten. */
export class Failures<T> {
  readonly #counts = new Map<unknown, number>();
  readonly #keyOf: (item: T) => unknown;

  constructor({ keyFunction = (item) => item }: ItemOptions<T>) {
    this.#keyOf = keyFunction;
  }

  /** Counts one more and returns how many there were before. */
  add(item: T): number {
    const key = this.#keyOf(item);
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count;
  }

  count(item: T): number {
    return this.#counts.get(this.#keyOf(item)) ?? 0;
  }

  forget(item: T): void {
    this.#counts.delete(this.#keyOf(item));
  }
}
