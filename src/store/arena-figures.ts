/** What a worker says about its arena. Layout: `src/layout/arena-figures.ts`. */
import {
  FIGURE_BLOCKS,
  FIGURE_FREED_SLABS,
  FIGURE_MOVED_BLOCKS,
  FIGURE_MOVED_BYTES,
  FIGURE_REWRITTEN,
  FIGURE_SEGMENT_BYTES,
  FIGURE_USED_BYTES,
  FIGURES_BYTES,
} from '../layout/arena-figures.ts';

export interface ArenaFigures {
  /** Bytes of all segments. */
  readonly segmentBytes: number;
  /** Bytes of blocks in use, rounded up to their size classes; those that are on their way back are among them. */
  readonly usedBytes: number;
  readonly blocks: number;
  /** Blocks that were moved so that memory becomes free, and their bytes. */
  readonly movedBlocks: number;
  readonly movedBytes: number;
  /** Slabs that became free by that. */
  readonly freedSlabs: number;
  /** Blocks whose bodies were made anew. */
  readonly rewritten: number;
}

export function createFigures(): SharedArrayBuffer {
  return new SharedArrayBuffer(FIGURES_BYTES);
}

/** Only the arena's worker may call this. */
export function writeFigures(words: BigInt64Array, figures: ArenaFigures): void {
  Atomics.store(words, FIGURE_SEGMENT_BYTES, BigInt(figures.segmentBytes));
  Atomics.store(words, FIGURE_USED_BYTES, BigInt(figures.usedBytes));
  Atomics.store(words, FIGURE_BLOCKS, BigInt(figures.blocks));
  Atomics.store(words, FIGURE_MOVED_BLOCKS, BigInt(figures.movedBlocks));
  Atomics.store(words, FIGURE_MOVED_BYTES, BigInt(figures.movedBytes));
  Atomics.store(words, FIGURE_FREED_SLABS, BigInt(figures.freedSlabs));
  Atomics.store(words, FIGURE_REWRITTEN, BigInt(figures.rewritten));
}

export function readFigures(memory: SharedArrayBuffer): ArenaFigures {
  const words = new BigInt64Array(memory);
  const read = (word: number) => Number(Atomics.load(words, word));
  return {
    segmentBytes: read(FIGURE_SEGMENT_BYTES),
    usedBytes: read(FIGURE_USED_BYTES),
    blocks: read(FIGURE_BLOCKS),
    movedBlocks: read(FIGURE_MOVED_BLOCKS),
    movedBytes: read(FIGURE_MOVED_BYTES),
    freedSlabs: read(FIGURE_FREED_SLABS),
    rewritten: read(FIGURE_REWRITTEN),
  };
}
