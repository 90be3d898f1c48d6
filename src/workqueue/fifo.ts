/** A power of two; a queue that is nearly idle should cost nothing worth mentioning. */
const MIN_CAPACITY = 16;

/** First in, first out, in a ring that doubles when it is full and halves when three quarters of it are empty. */
export class Fifo<T> {
  #ring: (T | undefined)[] = emptyRing(MIN_CAPACITY);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Places that there are, filled or not. */
  get capacity(): number {
    return this.#ring.length;
  }

  push(value: T): void {
    if (this.#size === this.#ring.length) this.#resize(this.#size * 2);
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = value;
    this.#size++;
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size--;
    if (this.#size < this.#ring.length >> 2 && this.#ring.length > MIN_CAPACITY) {
      this.#resize(this.#ring.length >> 1);
    }
    return value;
  }

  #resize(capacity: number): void {
    const ring = emptyRing<T>(capacity);
    for (let i = 0; i < this.#size; i++) ring[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#head = 0;
  }
}

function emptyRing<T>(capacity: number): (T | undefined)[] {
  return new Array<T | undefined>(capacity).fill(undefined);
}
