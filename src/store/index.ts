export { Arena, fromOffset8, toOffset8 } from './arena.ts';
export {
  blockField,
  blockKey,
  blockName,
  blockNamespace,
  blockResourceVersion,
  blockStamp,
  blockUid,
  sameIdentity,
} from './block.ts';
export { bodyText, hasBody, sameUid } from './block-body.ts';
export { BlockRef, placeOf } from './block-ref.ts';
export { Bodies, jsonFormat, type TypeMeta } from './bodies.ts';
export { DecodeError, ReleasedObjectError } from './body-errors.ts';
export { Holds } from './holds.ts';
export { Indexer, Upserted } from './indexer.ts';
export { UnknownFieldError } from './named-fields.ts';
export { openSegment, SEGMENT_INDEX_BITS, type Segment, SegmentTable } from './segments.ts';
