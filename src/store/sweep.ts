/** Finds what a sweep did not see. */
import { SLOT_BITS, SLOT_MASK } from '../layout/shard.ts';
import { SLOT_LENGTH_BYTES, SLOT_SWEEP, SLOT_WORDS } from '../layout/slot.ts';
import type { Shard } from './shard.ts';

/**
 * Visits the objects that a sweep did not see, in a slice of at most `limit` slots from slot address `cursor`
 * on. Slots never move, so shards may change in `visit` and between the slices.
 *
 * @returns where the next slice starts, -1 after the last
 */
export function visitUnseen(
  shards: readonly Shard[],
  sweep: number,
  cursor: number,
  limit: number,
  visit: (slot: number) => void,
): number {
  let left = limit;
  let slot = cursor & SLOT_MASK;
  for (let shardIndex = cursor >>> SLOT_BITS; shardIndex < shards.length; shardIndex++) {
    const { slots } = shards[shardIndex]!;
    for (; slot < slots.end; slot++) {
      if (left-- <= 0) return (shardIndex << SLOT_BITS) | slot;
      const row = slot * SLOT_WORDS;
      if (slots.words[row + SLOT_LENGTH_BYTES] === 0 || slots.words[row + SLOT_SWEEP] === sweep) continue;
      visit((shardIndex << SLOT_BITS) | slot);
    }
    slot = 0;
  }
  return -1;
}
