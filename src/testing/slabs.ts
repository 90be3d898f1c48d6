/**
 * Packs small byte strings into larger buffers: a Buffer with memory of its own costs tens of microseconds to
 * make and to collect, and there are thousands of new states a second.
 */
export class Slabs {
  readonly #slabBytes: number;
  readonly #largestBytes: number;
  #slab: Buffer = Buffer.alloc(0);
  #used = 0;

  /**
   * @param slabBytes - a slab is freed when nothing in it is used any more: the larger, the later
   * @param largestBytes - what is larger gets its own memory
   */
  constructor(slabBytes: number, largestBytes: number) {
    this.#slabBytes = slabBytes;
    this.#largestBytes = largestBytes;
  }

  /** Memory with unknown content. */
  allocate(bytes: number): Buffer {
    if (bytes > this.#largestBytes) return Buffer.allocUnsafeSlow(bytes);
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(this.#slabBytes);
      this.#used = 0;
    }
    const begin = this.#used;
    this.#used += bytes;
    return this.#slab.subarray(begin, this.#used);
  }
}

/** For bodies: filled in bulk when objects are seeded, and long-lived. */
export const bodySlabs = new Slabs(256 * 1024, 32 * 1024);

/** For tails: replaced often and in any order, so small slabs, of which fewer linger half used. */
export const tailSlabs = new Slabs(32 * 1024, 8 * 1024);
