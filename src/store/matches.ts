/** Finds the objects that have several index values at once, over all shards. */
import { type HashSeed, hashBytes, type KeyHash } from '../layout/key-hash.ts';
import { SHARD_VERSION_WORD, SLOT_BITS } from '../layout/shard.ts';
import type { Postings } from './postings.ts';
import type { Shard } from './shard.ts';

/** One index value that objects have to have. */
export interface Condition {
  /** As postings have it, see `IndexSet.idOf`. */
  readonly indexId: number;
  readonly bytes: Buffer;
  readonly hashLo: number;
  readonly hashHi: number;
}

/** All of them have to hold; undefined when no object can have such a value. Empty: all objects. */
export type Conditions = readonly Condition[] | undefined;

/** Shared by all calls: hashing is never interrupted. */
const hash: KeyHash = { lo: 0, hi: 0 };

export function conditionOf(indexId: number, value: string, seed: HashSeed): Condition | undefined {
  // A lone surrogate has no UTF-8 form, so no object can have such a value.
  if (!value.isWellFormed()) return undefined;
  const bytes = Buffer.from(value);
  hashBytes(bytes, 0, bytes.length, seed, hash);
  return { indexId, bytes, hashLo: hash.lo, hashHi: hash.hi };
}

/** Visits the slot addresses of the objects that meet all conditions, in no order. `visit` must not change shards. */
export function visitMatches(
  shards: readonly Shard[],
  conditions: Conditions,
  visit: (slot: number) => void,
): void {
  if (conditions === undefined) return;
  for (let shardIndex = 0; shardIndex < shards.length; shardIndex++) {
    visitShard(shards[shardIndex]!, conditions, shardIndex << SLOT_BITS, visit);
  }
}

/** How many objects meet all conditions; of one condition alone, or none, without looking at any. */
export function countMatches(shards: readonly Shard[], conditions: Conditions): number {
  if (conditions === undefined) return 0;
  let count = 0;
  if (conditions.length <= 1) {
    for (const shard of shards) count += countOne(shard, conditions[0]);
    return count;
  }
  visitMatches(shards, conditions, () => {
    count++;
  });
  return count;
}

function countOne(shard: Shard, condition: Condition | undefined): number {
  if (condition === undefined) return shard.live;
  const index = shard.postings!;
  const postings = postingsOf(index, [condition]);
  return postings === undefined ? 0 : index.countOf(postings[0]!);
}

/**
 * As {@link visitMatches}, one slot address at a time: shards may change between two of them. An object that comes or
 * goes meanwhile may be given or not; what is given meets the conditions when it is.
 */
export function* iterateMatches(shards: readonly Shard[], conditions: Conditions): Generator<number, void> {
  if (conditions === undefined) return;
  for (let shardIndex = 0; shardIndex < shards.length; shardIndex++) {
    const shard = shards[shardIndex]!;
    const found: number[] = [];
    visitShard(shard, conditions, 0, (slot) => found.push(slot));
    const version = shard.control[SHARD_VERSION_WORD];
    for (const slot of found) {
      const isAsItWas = shard.control[SHARD_VERSION_WORD] === version;
      if (isAsItWas || meets(shard, slot, conditions)) yield (shardIndex << SLOT_BITS) | slot;
    }
  }
}

/** Visits slots of one shard, with `base` added to each. */
function visitShard(
  shard: Shard,
  conditions: readonly Condition[],
  base: number,
  visit: (slot: number) => void,
): void {
  if (conditions.length === 0) {
    for (let slot = shard.nextLive(0); slot !== -1; slot = shard.nextLive(slot + 1)) visit(base | slot);
    return;
  }
  const index = shard.postings!;
  const postings = postingsOf(index, conditions);
  if (postings === undefined) return;
  const smallest = postings[0]!;
  for (let entry = index.firstEntry(smallest); entry !== -1; entry = index.nextEntry(entry)) {
    const slot = index.slotOf(entry);
    if (hasAll(index, slot, postings)) visit(base | slot);
  }
}

/** The postings of all conditions, the smallest first; undefined when a value has none. */
function postingsOf(index: Postings, conditions: readonly Condition[]): number[] | undefined {
  const postings: number[] = [];
  for (const { indexId, bytes, hashLo, hashHi } of conditions) {
    const posting = index.find(indexId, hashLo, hashHi, bytes, 0, bytes.length);
    if (posting === -1) return undefined;
    postings.push(posting);
  }
  return postings.sort((a, b) => index.countOf(a) - index.countOf(b));
}

/** The first posting is the one that is walked. */
function hasAll(index: Postings, slot: number, postings: readonly number[]): boolean {
  for (let i = 1; i < postings.length; i++) if (!index.has(slot, postings[i]!)) return false;
  return true;
}

function meets(shard: Shard, slot: number, conditions: readonly Condition[]): boolean {
  if (!shard.isLive(slot)) return false;
  if (conditions.length === 0) return true;
  const index = shard.postings!;
  const postings = postingsOf(index, conditions);
  return postings?.every((posting) => index.has(slot, posting)) ?? false;
}
