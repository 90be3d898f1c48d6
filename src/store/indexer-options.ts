/** How an Indexer is made. */
import type { HashSeed } from '../layout/key-hash.ts';
import { MAX_SHARDS } from '../layout/shard.ts';
import type { OnIndexError } from './computed-values.ts';
import type { IndexDefinition, IndexSet } from './index-set.ts';
import type { SegmentTable } from './segments.ts';
import { Shard } from './shard.ts';

export const DEFAULT_SHARDS = 16;

export interface IndexerOptions {
  readonly segments: SegmentTable;
  /** The seed with which the hashes were made that `upsert` gets. */
  readonly seed: HashSeed;
  /**
   * A power of two from 1 to {@link MAX_SHARDS}. More shards make the growth of one shorter and readers of
   * other threads retry less; each holds its own copy of an index value.
   * @default 16
   */
  readonly shards?: number;
  readonly indexes: readonly IndexDefinition[];
  /** Called when computed values of an object could not be had; it is kept without them. @default nobody is told */
  readonly onIndexError?: OnIndexError;
}

/** @throws RangeError when the number of shards is not possible */
export function makeShards(
  { segments, seed, shards }: { segments: SegmentTable; seed: HashSeed; shards: number },
  indexes: IndexSet,
): readonly Shard[] {
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS || (shards & (shards - 1)) !== 0) {
    throw new RangeError(`an Indexer has a power of two from 1 to ${MAX_SHARDS} shards, not ${shards}`);
  }
  return Array.from({ length: shards }, () => new Shard({ segments, seed, indexes }));
}
