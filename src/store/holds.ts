/**
 * Keeps replaced bodies readable while a listener may still look at them, and gives them back to their
 * worker afterwards. A body that is current in the Indexer needs no hold.
 */
import { type BlockRef, placeOf } from './block-ref.ts';

export class Holds {
  readonly #release: (ref: BlockRef) => void;
  readonly #counts = new Map<number, number>();
  /** Replaced, but held. */
  readonly #retired = new Map<number, BlockRef>();
  #heldBytes = 0;

  /** @param release - gives a block back to its worker */
  constructor(release: (ref: BlockRef) => void) {
    this.#release = release;
  }

  /** Bytes of replaced bodies that somebody still has to see. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  isHeld(ref: BlockRef): boolean {
    return this.#counts.size > 0 && this.#counts.has(placeOf(ref));
  }

  hold(ref: BlockRef): void {
    const place = placeOf(ref);
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
  }

  unhold(ref: BlockRef): void {
    const place = placeOf(ref);
    const count = this.#counts.get(place)! - 1;
    if (count > 0) {
      this.#counts.set(place, count);
      return;
    }
    this.#counts.delete(place);
    const retired = this.#retired.get(place);
    if (retired === undefined) return;
    this.#retired.delete(place);
    this.#heldBytes -= retired.lengthBytes;
    this.#release(retired);
  }

  /** The block is no longer current: it goes as soon as nobody holds it. */
  retire(ref: BlockRef): void {
    if (this.#counts.size > 0 && this.#counts.has(placeOf(ref))) {
      this.#retired.set(placeOf(ref), ref);
      this.#heldBytes += ref.lengthBytes;
      return;
    }
    this.#release(ref);
  }
}
