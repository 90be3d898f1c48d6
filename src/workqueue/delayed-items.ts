import { DelayHeap } from './delay-heap.ts';

/** Values that wait for a time, one per key. A key, a value and a few typed numbers each: no object of our own. */
export class DelayedItems<V> {
  readonly #heap = new DelayHeap();
  readonly #slots = new Map<unknown, number>();
  /** By slot. */
  #keys: unknown[] = [];
  #values: (V | undefined)[] = [];

  get size(): number {
    return this.#heap.size;
  }

  /** Values that there is space for. */
  get capacity(): number {
    return this.#heap.capacity;
  }

  /** When the first is due; Infinity when there is none. */
  get firstMs(): number {
    return this.#heap.firstMs;
  }

  /** A key that waits already keeps the earlier time and gets the new value. */
  add(key: unknown, value: V, timeMs: number): void {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      this.#heap.advance(known, timeMs);
      this.#values[known] = value;
      return;
    }
    const slot = this.#heap.push(timeMs);
    this.#slots.set(key, slot);
    this.#keys[slot] = key;
    this.#values[slot] = value;
  }

  delete(key: unknown): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#heap.remove(slot);
    this.#release(slot);
  }

  /** Takes the first out if it is due. */
  shiftDue(nowMs: number): V | undefined {
    if (this.#heap.firstMs > nowMs) return undefined;
    const slot = this.#heap.shift();
    const value = this.#values[slot];
    this.#release(slot);
    return value;
  }

  #release(slot: number): void {
    this.#slots.delete(this.#keys[slot]);
    this.#keys[slot] = undefined;
    this.#values[slot] = undefined;
    if (this.#heap.isSparse) this.#compact();
  }

  #compact(): void {
    const keys: unknown[] = [];
    const values: (V | undefined)[] = [];
    for (const [slot, old] of this.#heap.compact().entries()) {
      keys.push(this.#keys[old]);
      values.push(this.#values[old]);
      this.#slots.set(this.#keys[old], slot);
    }
    this.#keys = keys;
    this.#values = values;
  }
}
