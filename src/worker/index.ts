export { BadObjects } from './bad-objects.ts';
export { DeltaWriter, type ReleaseSource } from './delta-writer.ts';
export { describeArena } from './describe-arena.ts';
export {
  addToDigest,
  DIGEST_WORDS,
  IDENTITY_KEY_AT,
  IDENTITY_KEY_HI,
  IDENTITY_KEY_LENGTH,
  IDENTITY_KEY_LO,
  IDENTITY_VERSION_HI,
  IDENTITY_VERSION_LO,
  IDENTITY_WORDS,
  IdentityRows,
  type IdentityTable,
} from './identity-table.ts';
export { type Ports, threadPorts, WorkerLink } from './link.ts';
export { typeMetaOf } from './list-reader.ts';
export type { ReflectorSpec } from './messages.ts';
export { Mover } from './mover.ts';
export { ObjectDraft, type TypeMeta } from './object-draft.ts';
export { HostPool, type HostPoolOptions } from './pool.ts';
export type { ProbedObject, ProbeRequest, ProbeResult } from './probe.ts';
export { isKnownVersion, putBookmark, putChange, putItem, putMark, type VersionedDraft } from './put.ts';
export { ReflectorSink, type SinkOptions } from './sink.ts';
export { StatusWriter } from './status-writer.ts';
export type { FunctionsSpec } from './user-functions.ts';
