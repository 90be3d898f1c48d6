/** Lists in the order of keys: by their bytes, as the API server lists. */
import { BLOCK_KEY_BYTE } from '../layout/block.ts';
import { SLOT_BITS, SLOT_MASK } from '../layout/shard.ts';
import { blockKeyLength } from './block.ts';
import { type Conditions, visitMatches } from './matches.ts';
import type { Segment } from './segments.ts';
import type { Shard } from './shard.ts';
import { Smallest } from './smallest.ts';

export interface PageOptions {
  /** Only keys behind this one. */
  readonly after: string | undefined;
  /** Most objects. */
  readonly limit: number;
  /** Asked last, because it may be slow. */
  readonly isWanted: (slot: number) => boolean;
}

export interface Page {
  /** Slot addresses in the order of their keys. */
  readonly slots: readonly number[];
  /** There are more behind them. */
  readonly hasMore: boolean;
}

/**
 * The objects that meet conditions and come first. No order is kept in the store, so each page looks at the key of each
 * of them, for a fraction of a microsecond; only what could be on the page is looked into further.
 */
export function pageOf(shards: readonly Shard[], conditions: Conditions, options: PageOptions): Page {
  const { limit, isWanted } = options;
  const after = options.after === undefined ? undefined : Buffer.from(options.after);
  const compare = (a: number, b: number) => {
    const shardA = shards[a >>> SLOT_BITS]!;
    const shardB = shards[b >>> SLOT_BITS]!;
    const slotA = a & SLOT_MASK;
    const slotB = b & SLOT_MASK;
    return compareBlockKeys(
      shardA.segmentOf(slotA),
      shardA.blockOf(slotA),
      shardB.segmentOf(slotB),
      shardB.blockOf(slotB),
    );
  };
  // One more than is wanted says whether there are more.
  const smallest = new Smallest(limit + 1, compare);
  visitMatches(shards, conditions, (slot) => {
    if (after !== undefined && !isBehind(shards[slot >>> SLOT_BITS]!, slot & SLOT_MASK, after)) return;
    if (smallest.wants(slot) && isWanted(slot)) smallest.add(slot);
  });
  const slots = smallest.sorted();
  return { slots: slots.slice(0, limit), hasMore: slots.length > limit };
}

function isBehind(shard: Shard, slot: number, key: Buffer): boolean {
  return compareKeyBytes(shard.segmentOf(slot), shard.blockOf(slot), key, 0, key.length) > 0;
}

/** Below 0 when the key of block a comes first, 0 for the same key. */
function compareBlockKeys(a: Segment, blockA: number, b: Segment, blockB: number): number {
  const keyB = blockB + BLOCK_KEY_BYTE;
  return compareKeyBytes(a, blockA, b.bytes, keyB, keyB + blockKeyLength(b, blockB));
}

/** Compares the key of a block with the bytes of another one, from `begin` to `end`. */
function compareKeyBytes(
  segment: Segment,
  block: number,
  bytes: Uint8Array,
  begin: number,
  end: number,
): number {
  const own = segment.bytes;
  const ownBegin = block + BLOCK_KEY_BYTE;
  const ownLength = blockKeyLength(segment, block);
  const length = Math.min(ownLength, end - begin);
  for (let i = 0; i < length; i++) {
    const difference = own[ownBegin + i]! - bytes[begin + i]!;
    if (difference !== 0) return difference;
  }
  return ownLength - (end - begin);
}
