/**
 * Queues of what has to be done, with their rate limiters and metrics. They know nothing of Kubernetes: items are
 * usually keys of objects, but may be anything.
 */

export type { GetOptions, WorkQueueOptions } from './base-queue.ts';
export { BucketRateLimiter, type BucketRateLimiterOptions } from './bucket-rate-limiter.ts';
export type { Clock } from './clock.ts';
export {
  type DefaultRateLimiterOptions,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
} from './default-rate-limiters.ts';
export { DelayingQueue } from './delaying-queue.ts';
export { NotProcessingError, QueueArgumentError } from './errors.ts';
export {
  ItemExponentialFailureRateLimiter,
  type ItemExponentialFailureRateLimiterOptions,
} from './item-exponential-failure-rate-limiter.ts';
export {
  ItemFastSlowRateLimiter,
  type ItemFastSlowRateLimiterOptions,
} from './item-fast-slow-rate-limiter.ts';
export { MaxOfRateLimiter } from './max-of-rate-limiter.ts';
export {
  QUEUE_METRICS,
  type QueueCounter,
  type QueueGauge,
  type QueueHistogram,
  type QueueHistogramSpec,
  type QueueMetricLabels,
  type QueueMetricSpec,
  type QueueMetricsProvider,
} from './metrics.ts';
export { type ParallelizeOptions, parallelizeUntil } from './parallelize-until.ts';
export {
  LOW_PRIORITY,
  type PriorityAddOptions,
  PriorityQueue,
  type PriorityQueueOptions,
} from './priority-queue.ts';
export type { ItemOptions, JitterOptions, RateLimiter } from './rate-limiter.ts';
export type { RateLimitingInterface } from './rate-limiting-interface.ts';
export { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';
export { WithMaxWaitRateLimiter } from './with-max-wait-rate-limiter.ts';
export { WorkItem } from './work-item.ts';
export { WorkQueue } from './work-queue.ts';
