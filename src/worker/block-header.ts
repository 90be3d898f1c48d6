/** The header of a block that a worker writes. Layout: `src/layout/block.ts`. */
import {
  BLOCK_BODY_LENGTH_WORD,
  BLOCK_BODY_OFFSET_WORD,
  BLOCK_FIELD_COUNT_HALF,
  BLOCK_FLAGS_HALF,
  BLOCK_NAME_LENGTH_HALF,
  BLOCK_NAMESPACE_LENGTH_HALF,
  BLOCK_RV_LENGTH_HALF,
  BLOCK_UID_LENGTH_HALF,
} from '../layout/block.ts';
import type { Segment } from '../store/index.ts';

/**
 * All but the stamp.
 *
 * @param start - first byte of the block
 */
export function writeHeader(
  segment: Segment,
  start: number,
  namespaceLength: number,
  nameLength: number,
  uidLength: number,
  resourceVersionLength: number,
  fieldCount: number,
  flags: number,
  bodyOffset: number,
  bodyLength: number,
): void {
  const word = start >>> 2;
  segment.words[word + BLOCK_BODY_OFFSET_WORD] = bodyOffset;
  segment.words[word + BLOCK_BODY_LENGTH_WORD] = bodyLength;
  const half = start >>> 1;
  const halves = segment.halves;
  halves[half + BLOCK_NAMESPACE_LENGTH_HALF] = namespaceLength;
  halves[half + BLOCK_NAME_LENGTH_HALF] = nameLength;
  halves[half + BLOCK_UID_LENGTH_HALF] = uidLength;
  halves[half + BLOCK_RV_LENGTH_HALF] = resourceVersionLength;
  halves[half + BLOCK_FIELD_COUNT_HALF] = fieldCount;
  halves[half + BLOCK_FLAGS_HALF] = flags;
}
