/**
 * kubering: Kubernetes informers whose lists and watches run in worker threads, and whose caches lie in
 * shared memory.
 *
 * @packageDocumentation
 */
export { DeletedFinalStateUnknown } from './delta/index.ts';
export { drop, FieldOptionsError, FieldPathError, indexBy, type Projection } from './index/index.ts';
export {
  type EventHandler,
  type FactoryOptions,
  type FactoryStats,
  type Handler,
  type HandlerResult,
  InformerError,
  InformerEvent,
  type InformerEvents,
  type InformerEventType,
  type InformerHealth,
  type InformerOptions,
  type InformerStats,
  Lister,
  type ObjectHandler,
  ObjectRef,
  Registration,
  SharedInformer,
  SharedInformerFactory,
  StoppedError,
  UsageError,
} from './informer/index.ts';
export {
  extractList,
  type ListBytes,
  type ListerWatcher,
  type ListOptions,
  ListWatch,
  ListWatchError,
  type ListWatchFunctions,
  type ObjectList,
  resourceVersionOf,
  type WatchEvent,
  type WatchOptions,
  type WatchStream,
} from './list-watch/index.ts';
export {
  compareResourceVersions,
  InvalidResourceError,
  type ReflectorState,
  type ResourceRef,
} from './reflector/index.ts';
export { DecodeError, ReleasedObjectError, UnknownFieldError } from './store/index.ts';
export { CredentialsError } from './transport/index.ts';
export {
  BucketRateLimiter,
  type BucketRateLimiterOptions,
  type Clock,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  type DefaultRateLimiterOptions,
  DelayingQueue,
  type GetOptions,
  ItemExponentialFailureRateLimiter,
  type ItemExponentialFailureRateLimiterOptions,
  ItemFastSlowRateLimiter,
  type ItemFastSlowRateLimiterOptions,
  type ItemOptions,
  type JitterOptions,
  LOW_PRIORITY,
  MaxOfRateLimiter,
  NotProcessingError,
  type ParallelizeOptions,
  parallelizeUntil,
  type PriorityAddOptions,
  PriorityQueue,
  type PriorityQueueOptions,
  QUEUE_METRICS,
  QueueArgumentError,
  type QueueCounter,
  type QueueGauge,
  type QueueHistogram,
  type QueueHistogramSpec,
  type QueueMetricLabels,
  type QueueMetricSpec,
  type QueueMetricsProvider,
  type RateLimiter,
  type RateLimitingInterface,
  RateLimitingQueue,
  type RateLimitingQueueOptions,
  WithMaxWaitRateLimiter,
  WorkItem,
  WorkQueue,
  type WorkQueueOptions,
} from './workqueue/index.ts';
