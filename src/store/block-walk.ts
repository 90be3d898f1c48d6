/** Visits the blocks in use of some slabs of an arena, one at a time, while blocks come and go. */
import { PAGE_BYTES } from '../layout/arena.ts';
import { type ArenaSegment, NOBODY, type Slab } from './slab.ts';

export class BlockWalk {
  /** Where the block lies that `next` found, and whose it is. */
  segment!: ArenaSegment;
  offset = 0;
  source = 0;
  /** Length of the room that it has. */
  blockBytes = 0;

  readonly #slabs: readonly Slab[];
  #index = 0;
  #block = 0;

  /** @param slabs - one that is closed meanwhile has no blocks any more */
  constructor(slabs: readonly Slab[]) {
    this.#slabs = slabs;
  }

  /** Goes on to the next block. False behind the last. */
  next(): boolean {
    for (; this.#index < this.#slabs.length; this.#index++, this.#block = 0) {
      const slab = this.#slabs[this.#index]!;
      while (this.#block < slab.blocks) {
        const block = this.#block++;
        if (slab.sources[block] === NOBODY) continue;
        this.segment = slab.segment;
        this.offset = slab.firstPage * PAGE_BYTES + block * slab.blockBytes;
        this.source = slab.sources[block]!;
        this.blockBytes = slab.blockBytes;
        return true;
      }
    }
    return false;
  }
}
