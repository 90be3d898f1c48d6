/** What the home thread does for an object whose block the worker has written: a second Indexer of the same blocks. */
import type { InformerHandle } from '../../../src/index.ts';
import type { BlockRef } from '../../../src/store/block-ref.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { StoreReader } from '../../../src/store/reader/store-reader.ts';
import type { Case } from './measure.ts';
import { asKey, keysOf, LOOKUPS, ROWS } from './rows.ts';

/** @param keys - all keys of the informer */
export function upsertCases(contender: string, { store }: InformerHandle, keys: readonly string[]): Case[] {
  const reader = new StoreReader(store);
  const indexes = store.state.indexes.map(([name, fieldId]) => ({ name, fieldId }));
  const indexer = new Indexer({ segments: reader.segments, seed: store.seed, indexes });
  const upsert = ({ hashLo, hashHi, segment, offset8, lengthBytes, stamp }: BlockRef) =>
    indexer.upsert(hashLo, hashHi, segment, offset8, lengthBytes, stamp, 0);
  reader.visit([], (ref) => void upsert(ref));
  const some = keysOf(keys, asKey).hot.map((key) => reader.find(key)!);
  const putAll = () => {
    for (const ref of some) upsert(ref);
    return some.length;
  };
  const replaceAll = () => {
    for (const ref of some) {
      indexer.remove(ref.hashLo, ref.hashHi, ref.segment, ref.offset8);
      upsert(ref);
    }
    return some.length;
  };
  return [
    { row: ROWS.upsert, contender, operations: LOOKUPS, run: putAll },
    { row: ROWS.removeAndAdd, contender, operations: LOOKUPS, run: replaceAll },
  ];
}
