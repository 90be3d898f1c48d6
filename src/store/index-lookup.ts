/** Finds objects by index value over all shards. */
import { type HashSeed, hashBytes, type KeyHash } from '../layout/key-hash.ts';
import { SLOT_BITS } from '../layout/shard.ts';
import type { Shard } from './shard.ts';

/** Shared by all calls: hashing is never interrupted. */
const hash: KeyHash = { lo: 0, hi: 0 };

/** Visits the slot addresses of the objects that have a value in the index of a field. */
export function visitByIndex(
  shards: readonly Shard[],
  fieldId: number,
  value: string,
  seed: HashSeed,
  visit: (slot: number) => void,
): void {
  // A lone surrogate has no UTF-8 form, so no object can have such a value.
  if (!value.isWellFormed()) return;
  const bytes = Buffer.from(value);
  hashBytes(bytes, 0, bytes.length, seed, hash);
  const { lo, hi } = hash;
  for (let shardIndex = 0; shardIndex < shards.length; shardIndex++) {
    const postings = shards[shardIndex]!.postings!;
    const posting = postings.find(fieldId, lo, hi, bytes, 0, bytes.length);
    if (posting === -1) continue;
    for (let entry = postings.firstEntry(posting); entry !== -1; entry = postings.nextEntry(entry)) {
      visit((shardIndex << SLOT_BITS) | postings.slotOf(entry));
    }
  }
}
