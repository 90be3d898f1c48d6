export type { AuditOptions, AuditReport, AuditSeries, Drift, DriftKind } from './audit-types.ts';
export { CacheSyncError, type CacheSyncOptions, type CacheSyncResult } from './cache-sync.ts';
export type { ColumnValue } from './column.ts';
export { InformerError, NotFoundError, StoppedError, UsageError } from './errors.ts';
export { InformerEvent, type InformerEventType } from './event.ts';
export type { EventStream } from './event-stream.ts';
export { SharedInformerFactory } from './factory.ts';
export type { FactoryOptions, FactoryStats } from './factory-options.ts';
export type { InformerHandle } from './handle.ts';
export type { HandlerOptions } from './handler-options.ts';
export type { BatchHandler, EventHandler, Handler, HandlerResult, ObjectHandler } from './handlers.ts';
export type { InformerHealth } from './health.ts';
export { SharedInformer } from './informer.ts';
export type {
  EventStreamOptions,
  InformerEvents,
  InformerMemory,
  InformerStats,
} from './informer-types.ts';
export { LATENCY_BUCKETS, type LatencyFigures } from './latencies.ts';
export { AttachedLister, type AttachOptions, Lister } from './lister.ts';
export { NamespaceLister } from './namespace-lister.ts';
export { ObjectRef } from './object-ref.ts';
export type { InformerOptions } from './options.ts';
export { Page, type PageOptions, Query, type Selection } from './query.ts';
export { Registration } from './registration.ts';
export type { InformerDefaults } from './resolve-options.ts';
export { type SubscribeOptions, Subscription } from './subscription/index.ts';
