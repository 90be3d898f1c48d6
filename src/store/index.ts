export { Arena, fromOffset8, toOffset8 } from './arena.ts';
export { type ArenaFigures, createFigures, readFigures, writeFigures } from './arena-figures.ts';
export {
  blockField,
  blockKey,
  blockName,
  blockNamespace,
  blockResourceVersion,
  blockStamp,
  blockUid,
  bodyEnd,
  bodyStart,
  hashVersion,
  sameIdentity,
} from './block.ts';
export { type BodyFormat, bodyFormat, bodyText, hasBody, sameUid } from './block-body.ts';
export { BlockRef, placeOf } from './block-ref.ts';
export { BlockWalk } from './block-walk.ts';
export { Bodies, type TypeMeta } from './bodies.ts';
export { DecodeError, ReleasedObjectError } from './body-errors.ts';
export { Compaction } from './compaction.ts';
export { Holds } from './holds.ts';
export { DuplicateIndexError, IndexNotReadyError, KeyError } from './index-errors.ts';
export type { IndexDefinition } from './index-set.ts';
export { Indexer, Upserted } from './indexer.ts';
export { IndexerFullError } from './indexer-full-error.ts';
export { IndexerSource } from './indexer-source.ts';
export type { Conditions } from './matches.ts';
export { UnknownFieldError } from './named-fields.ts';
export { isUntouched, type ObjectCache } from './object-cache.ts';
export { DetachedError, StoreHandleError, StoreStalledError } from './reader/errors.ts';
export type { StoreHandle } from './reader/handle.ts';
export { StoreReader } from './reader/store-reader.ts';
export { Room } from './room.ts';
export {
  openSegment,
  SEGMENT_INDEX_BITS,
  SEGMENT_INDEX_MASK,
  type Segment,
  SegmentTable,
} from './segments.ts';
export { SharedStore } from './shared-store.ts';
export type { ObjectSource } from './source.ts';
