/** How an Indexer is made. */
import { MAX_FIELD_IDS } from '../layout/block.ts';
import type { HashSeed } from '../layout/key-hash.ts';
import { MAX_SHARDS } from '../layout/shard.ts';
import type { NamedField } from './named-fields.ts';
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
  readonly indexes: readonly NamedField[];
  readonly columns: readonly NamedField[];
}

/** @throws RangeError when the number of shards is not possible */
export function makeShards(
  { segments, seed, shards }: { segments: SegmentTable; seed: HashSeed; shards: number },
  indexes: ReadonlyMap<string, number>,
): readonly Shard[] {
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS || (shards & (shards - 1)) !== 0) {
    throw new RangeError(`an Indexer has a power of two from 1 to ${MAX_SHARDS} shards, not ${shards}`);
  }
  const indexed = new Uint8Array(MAX_FIELD_IDS);
  for (const fieldId of indexes.values()) indexed[fieldId] = 1;
  const options = indexes.size === 0 ? { segments, seed } : { segments, seed, indexed };
  return Array.from({ length: shards }, () => new Shard(options));
}
