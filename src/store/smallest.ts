/** Collects the numbers that come first in an order, as many as are wanted. */
export class Smallest {
  /** A heap with the greatest at its root. */
  readonly #heap: number[] = [];
  readonly #limit: number;
  readonly #compare: (a: number, b: number) => number;

  constructor(limit: number, compare: (a: number, b: number) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  /** Whether a number would be among the smallest now. */
  wants(number: number): boolean {
    return this.#heap.length < this.#limit || this.#compare(number, this.#heap[0]!) < 0;
  }

  /** Takes a number that is wanted, and lets go of the greatest when there is one too many. */
  add(number: number): void {
    if (this.#heap.length < this.#limit) {
      this.#heap.push(number);
      this.#rise(this.#heap.length - 1);
    } else {
      this.#heap[0] = number;
      this.#sink(0);
    }
  }

  /** All of them in order. */
  sorted(): number[] {
    return this.#heap.toSorted(this.#compare);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(this.#heap[at]!, this.#heap[parent]!) <= 0) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      let greatest = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#heap.length && this.#compare(this.#heap[child]!, this.#heap[greatest]!) > 0) {
          greatest = child;
        }
      }
      if (greatest === at) return;
      this.#swap(at, greatest);
      at = greatest;
    }
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = kept;
  }
}
