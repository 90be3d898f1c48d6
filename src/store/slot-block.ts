import { SLOT_LENGTH_BYTES, SLOT_OFFSET8, SLOT_SEGMENT, SLOT_STAMP } from '../layout/slot.ts';
import type { BlockName } from './block-ref.ts';

/**
 * Whether the slot at this word has an object, and its block is this one. A block's length is never that of a free slot.
 * Where another thread may write, the caller reads inside a version window.
 */
export function slotHasBlock(words: Int32Array, row: number, block: BlockName): boolean {
  return (
    words[row + SLOT_STAMP] === block.stamp &&
    words[row + SLOT_OFFSET8]! >>> 0 === block.offset8 &&
    words[row + SLOT_SEGMENT] === block.segment &&
    words[row + SLOT_LENGTH_BYTES] === block.lengthBytes
  );
}
