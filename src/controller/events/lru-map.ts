/** A map that forgets what was not used for the longest time when it gets too large. */
export class LruMap<V> {
  readonly #limit: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, V>();

  /** @param limit - most entries, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which counts as used. */
  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#move(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#move(key, value);
    if (this.#entries.size <= this.#limit) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  #move(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
