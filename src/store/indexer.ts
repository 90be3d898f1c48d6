/**
 * All objects of one informer by key and by index value, sharded by key hash. Objects are blocks in arenas;
 * the Indexer holds their addresses in shared memory, and never frees a block: it says which one it replaced.
 */
import { BLOCK_KEY_BYTE } from '../layout/block.ts';
import { type HashSeed, hashBytes, type KeyHash } from '../layout/key-hash.ts';
import { SHARD_VERSION_WORD, SLOT_BITS, SLOT_MASK } from '../layout/shard.ts';
import {
  SLOT_HASH_HI,
  SLOT_HASH_LO,
  SLOT_LENGTH_BYTES,
  SLOT_OFFSET8,
  SLOT_SEGMENT,
  SLOT_STAMP,
  SLOT_SWEEP,
  SLOT_WORDS,
} from '../layout/slot.ts';
import { blockKey, blockKeyLength } from './block.ts';
import { type BlockName, BlockRef } from './block-ref.ts';
import type { ComputedValues } from './computed-values.ts';
import { checkKey } from './index-errors.ts';
import { IndexSet } from './index-set.ts';
import { DEFAULT_SHARDS, type IndexerOptions, makeShards } from './indexer-options.ts';
import { Indexes } from './indexes.ts';
import type { CachedObject } from './object-cache.ts';
import type { SegmentTable } from './segments.ts';
import type { Shard } from './shard.ts';
import { slotHasBlock } from './slot-block.ts';
import { visitUnseen } from './sweep.ts';
import { WantedKey } from './wanted-key.ts';

/** What `upsert` did. */
export const Upserted = { added: 1, updated: 2 } as const;
export type Upserted = (typeof Upserted)[keyof typeof Upserted];

/**
 * Only the home thread may call its methods. Objects are named by slot addresses: numbers that stay the same
 * while the object is in the Indexer, and may name another object after it was removed.
 */
export class Indexer {
  /** The block that the last `upsert` (when it updated) or `remove` took out of place. */
  previousSegment = 0;
  previousOffset8 = 0;
  previousLengthBytes = 0;
  previousStamp = 0;
  /** The slot address that the last `upsert` used. */
  slot = -1;
  /** Up to where the Indexer has everything. Set by the informer, after the change is in place. */
  resourceVersion = '';

  /** The shared state itself, for reader handles and tests. */
  readonly shards: readonly Shard[];
  /** Finds objects by index value. */
  readonly indexes: Indexes;
  readonly #mask: number;
  readonly #segments: SegmentTable;
  readonly #seed: HashSeed;
  readonly #computed: ComputedValues;
  readonly #wanted = new WantedKey();
  readonly #hash: KeyHash = { lo: 0, hi: 0 };

  /**
   * @throws RangeError when the number of shards or a field id is not possible
   * @throws DuplicateIndexError when two indexes have one name
   */
  constructor(options: IndexerOptions) {
    const { segments, seed, shards = DEFAULT_SHARDS, indexes, onIndexError = () => {} } = options;
    const set = new IndexSet(onIndexError);
    for (const index of indexes) set.add(index, true);
    this.shards = makeShards({ segments, seed, shards }, set);
    this.indexes = new Indexes(this.shards, set, seed);
    this.#computed = set.computed;
    this.#mask = shards - 1;
    this.#segments = segments;
    this.#seed = seed;
  }

  /** How many objects there are. */
  get size(): number {
    let sum = 0;
    for (const shard of this.shards) sum += shard.live;
    return sum;
  }

  /** Bytes of the blocks of all objects. */
  get blockBytes(): number {
    return this.shards.reduce((sum, { blockBytes }) => sum + blockBytes, 0);
  }

  /** Shared memory of the indexes. */
  get indexBytes(): number {
    return this.shards.reduce((sum, { indexBytes }) => sum + indexBytes, 0);
  }

  /** Shared memory of tables, slots and indexes, without the blocks. */
  get memoryBytes(): number {
    let sum = 0;
    for (const shard of this.shards) sum += shard.memoryBytes;
    return sum;
  }

  /**
   * Puts the block's object in place, seen by `sweep`. When it was there already, the `previous` fields name
   * the block that it had, which is the caller's to release.
   *
   * @throws IndexerFullError when the shard is at a limit; nothing has changed then
   */
  upsert(
    hashLo: number,
    hashHi: number,
    segment: number,
    offset8: number,
    lengthBytes: number,
    stamp: number,
    sweep: number,
  ): Upserted {
    const home = this.#segments.get(segment);
    const shardIndex = hashHi & this.#mask;
    const shard = this.shards[shardIndex]!;
    if (!this.#computed.isEmpty) {
      this.#computed.take(new BlockRef(segment, offset8, lengthBytes, stamp, hashLo, hashHi));
    }
    const found = shard.findBlock(hashLo | 0, hashHi | 0, home, offset8 * 8);
    if (found === -1) {
      const added = shard.add(hashLo | 0, hashHi | 0, home, offset8, lengthBytes, stamp, sweep);
      this.slot = (shardIndex << SLOT_BITS) | added;
      return Upserted.added;
    }
    this.#keepPrevious(shard, found);
    shard.replace(found, home, offset8, lengthBytes, stamp, sweep);
    this.slot = (shardIndex << SLOT_BITS) | found;
    return Upserted.updated;
  }

  /** The slot address of the object whose key is the same as in this block, whatever its hash; or -1. */
  findByBlock(segment: number, offset8: number): number {
    const home = this.#segments.get(segment);
    const block = offset8 * 8;
    const from = block + BLOCK_KEY_BYTE;
    hashBytes(home.bytes, from, from + blockKeyLength(home, block), this.#seed, this.#hash);
    return this.findByHash(this.#hash.lo, this.#hash.hi, segment, offset8);
  }

  /** Puts a copy of the object's block in its place, with the same key and the same values of indexes. */
  move(slot: number, { segment, offset8, lengthBytes, stamp }: BlockName): void {
    this.#shardOf(slot).move(slot & SLOT_MASK, segment, offset8, lengthBytes, stamp);
  }

  /**
   * Takes out the object that has the key of this block, which may be any block with that key. The `previous`
   * fields name the block that was in place.
   *
   * @returns false when there is no such object
   */
  remove(hashLo: number, hashHi: number, segment: number, offset8: number): boolean {
    const slot = this.findByHash(hashLo, hashHi, segment, offset8);
    if (slot === -1) return false;
    this.removeSlot(slot);
    return true;
  }

  /** Takes out the object in this slot; the `previous` fields name its block. */
  removeSlot(slot: number): void {
    const shard = this.#shardOf(slot);
    this.#keepPrevious(shard, slot & SLOT_MASK);
    shard.remove(slot & SLOT_MASK);
  }

  /**
   * Notes that a sweep saw the object as it is.
   *
   * @returns false when there is no object with the key of this block
   */
  touch(hashLo: number, hashHi: number, segment: number, offset8: number, sweep: number): boolean {
    const slot = this.findByHash(hashLo, hashHi, segment, offset8);
    if (slot === -1) return false;
    this.#shardOf(slot).slots.words[(slot & SLOT_MASK) * SLOT_WORDS + SLOT_SWEEP] = sweep;
    return true;
  }

  /**
   * Visits objects that were not seen by a sweep, in slices: start with cursor 0, go on with what comes back
   * until that is -1. Between slices, and in `visit` for any object, the Indexer may change; objects that are
   * put in meanwhile must say the same sweep, or they may be visited.
   *
   * @param limit - how many slots this slice looks at
   */
  sweepUnseen(sweep: number, cursor: number, limit: number, visit: (slot: number) => void): number {
    return visitUnseen(this.shards, sweep, cursor, limit, visit);
  }

  /**
   * The slot address of the object with this key (`namespace/name`), or -1.
   *
   * @throws KeyError when no object can have such a key
   */
  find(key: string): number {
    const hash = this.#hash;
    const wanted = this.#wanted;
    if (typeof key !== 'string' || !wanted.set(key)) return notFound(key);
    hashBytes(wanted.bytes, 0, wanted.length, this.#seed, hash);
    const shardIndex = hash.hi & this.#mask;
    const slot = this.shards[shardIndex]!.findKey(hash.lo | 0, hash.hi | 0, wanted);
    return slot === -1 ? notFound(key) : (shardIndex << SLOT_BITS) | slot;
  }

  /** The slot address of the object that has the key of this block, or -1. */
  findByHash(hashLo: number, hashHi: number, segment: number, offset8: number): number {
    const shardIndex = hashHi & this.#mask;
    const block = offset8 * 8;
    const shard = this.shards[shardIndex]!;
    const slot = shard.findBlock(hashLo | 0, hashHi | 0, this.#segments.get(segment), block);
    return slot === -1 ? -1 : (shardIndex << SLOT_BITS) | slot;
  }

  /** Number of the segment of the object's block. */
  segmentOf(slot: number): number {
    return this.#wordOf(slot, SLOT_SEGMENT);
  }

  /** Offset of the object's block in its segment, in units of 8 bytes. */
  offset8Of(slot: number): number {
    return this.#wordOf(slot, SLOT_OFFSET8) >>> 0;
  }

  /** Length of the object's block in bytes. */
  lengthOf(slot: number): number {
    return this.#wordOf(slot, SLOT_LENGTH_BYTES);
  }

  /** Stamp of the object's block, as a signed word. */
  stampOf(slot: number): number {
    return this.#wordOf(slot, SLOT_STAMP);
  }

  /** Lower half of the key's hash, as a signed word. */
  hashLoOf(slot: number): number {
    return this.#wordOf(slot, SLOT_HASH_LO);
  }

  /** Upper half of the key's hash, as a signed word. */
  hashHiOf(slot: number): number {
    return this.#wordOf(slot, SLOT_HASH_HI);
  }

  /** Whether the object in the slot that a key found still has the block that it had then. Notes as of when it has. */
  isCurrent(cached: CachedObject): boolean {
    const { slots, control } = this.#shardOf(cached.slot);
    if (!slotHasBlock(slots.words, (cached.slot & SLOT_MASK) * SLOT_WORDS, cached)) return false;
    cached.control = control;
    cached.version = control[SHARD_VERSION_WORD]!;
    return true;
  }

  /** Names the block that the object has now. */
  refOf(slot: number): BlockRef {
    return this.#shardOf(slot).refOf(slot & SLOT_MASK);
  }

  keyOf(slot: number): string {
    const shard = this.#shardOf(slot);
    return blockKey(shard.segmentOf(slot & SLOT_MASK), shard.blockOf(slot & SLOT_MASK));
  }

  /**
   * A walk over all objects without a callback: start with -1, go on with what comes back until that is -1.
   * The Indexer may change between the steps; what is put in meanwhile may or may not be seen.
   */
  nextSlot(after: number): number {
    let slot = (after + 1) & SLOT_MASK;
    for (let shardIndex = (after + 1) >>> SLOT_BITS; shardIndex < this.shards.length; shardIndex++) {
      const next = this.shards[shardIndex]!.nextLive(slot);
      if (next !== -1) return (shardIndex << SLOT_BITS) | next;
      slot = 0;
    }
    return -1;
  }

  /** Visits all objects; `visit` may remove the object it is called with. */
  forEach(visit: (slot: number) => void): void {
    for (let slot = this.nextSlot(-1); slot !== -1; slot = this.nextSlot(slot)) visit(slot);
  }

  #shardOf(slot: number): Shard {
    return this.shards[slot >>> SLOT_BITS]!;
  }

  #wordOf(slot: number, word: number): number {
    return this.#shardOf(slot).slots.words[(slot & SLOT_MASK) * SLOT_WORDS + word]!;
  }

  #keepPrevious(shard: Shard, slot: number): void {
    const words = shard.slots.words;
    const row = slot * SLOT_WORDS;
    this.previousSegment = words[row + SLOT_SEGMENT]!;
    this.previousOffset8 = words[row + SLOT_OFFSET8]! >>> 0;
    this.previousLengthBytes = words[row + SLOT_LENGTH_BYTES]!;
    this.previousStamp = words[row + SLOT_STAMP]!;
  }
}

/** @throws KeyError when no object can have this key */
function notFound(key: string): -1 {
  checkKey(key);
  return -1;
}
