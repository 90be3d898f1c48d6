/**
 * Decoded objects within a budget of bytes and entries. What was not looked at for the longest time goes first, nearly:
 * entries stand in a row in which those that were looked at since they came to its end get a second round (CLOCK). Moving
 * an entry at each look, as an exact order needs, would cost more than the look itself.
 */

interface CachedObject {
  readonly stamp: number;
  readonly object: object;
  readonly bytes: number;
  /** Looked at again since it went in: it gets a second round when room is needed. */
  isTouched: boolean;
}

export class ObjectCache {
  readonly #limitBytes: number;
  readonly #limitEntries: number;
  /** By place of the block. */
  readonly #objects = new Map<number, CachedObject>();
  #bytes = 0;

  constructor(limitBytes: number, limitEntries: number) {
    this.#limitBytes = limitBytes;
    this.#limitEntries = limitEntries;
  }

  /** Bytes of the bodies that are decoded here. */
  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#objects.size;
  }

  /** The object of the block that is at this place with this stamp. */
  get(place: number, stamp: number): object | undefined {
    const cached = this.#objects.get(place);
    if (cached === undefined || cached.stamp !== stamp) return undefined;
    cached.isTouched = true;
    return cached.object;
  }

  /** Keeps an object, if it fits the budget at all. */
  set(place: number, stamp: number, object: object, bytes: number): void {
    if (bytes > this.#limitBytes || this.#limitEntries < 1) return;
    this.delete(place);
    this.#objects.set(place, { stamp, object, bytes, isTouched: false });
    this.#bytes += bytes;
    if (this.#isOver) this.#evict();
  }

  delete(place: number): void {
    const cached = this.#objects.get(place);
    if (cached === undefined) return;
    this.#objects.delete(place);
    this.#bytes -= cached.bytes;
  }

  get #isOver(): boolean {
    return this.#bytes > this.#limitBytes || this.#objects.size > this.#limitEntries;
  }

  #evict(): void {
    // Each entry is passed once with its mark and then goes, so this ends.
    for (const [place, entry] of this.#objects) {
      if (!this.#isOver) return;
      this.#objects.delete(place);
      if (entry.isTouched) {
        entry.isTouched = false;
        this.#objects.set(place, entry);
      } else {
        this.#bytes -= entry.bytes;
      }
    }
  }
}
