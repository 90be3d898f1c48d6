/** Large buffers that objects are written into one behind the other, so that a list is sent as they lie. */

const SLAB_BYTES = 16 * 1024 * 1024;

export class Slabs {
  readonly #slabs: Buffer[] = [];
  #used = SLAB_BYTES;

  /** The slab with room for so many bytes; write at {@link used} and call {@link advance}. */
  reserve(bytes: number): Buffer {
    if (bytes > SLAB_BYTES) throw new RangeError(`an object of ${bytes} bytes is larger than a slab`);
    if (this.#used + bytes > SLAB_BYTES) {
      this.#slabs.push(Buffer.allocUnsafeSlow(SLAB_BYTES));
      this.#used = 0;
    }
    return this.#slabs.at(-1)!;
  }

  get used(): number {
    return this.#used;
  }

  /** Number of the slab that is being filled. */
  get last(): number {
    return this.#slabs.length - 1;
  }

  advance(bytes: number): void {
    this.#used += bytes;
  }

  at(index: number): Buffer {
    return this.#slabs[index]!;
  }
}
