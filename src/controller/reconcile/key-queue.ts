/** The queue of a controller: with priorities or without, behind one set of methods. */
import {
  type Clock,
  PriorityQueue,
  type QueueMetricsProvider,
  type RateLimiter,
  RateLimitingQueue,
  type WorkItem,
} from '../../workqueue/index.ts';

/** `priority`: changes go before what is only listed or resynced. `fifo`: in order, as client-go's controllers. */
export type QueueKind = 'priority' | 'fifo';

export interface KeyQueueOptions {
  readonly kind: QueueKind;
  readonly name: string;
  readonly rateLimiter: RateLimiter | undefined;
  readonly metrics: QueueMetricsProvider | undefined;
  /** Undefined for the queue's own. */
  readonly clock: Clock | undefined;
}

/** Priorities are ignored by a queue without. */
export interface KeyQueue {
  /** Keys that could be taken now. */
  readonly len: number;
  add(key: string, priority: number): void;
  addAfter(key: string, delayMs: number, priority: number): void;
  addRateLimited(key: string, priority: number): void;
  forget(key: string): void;
  numRequeues(key: string): number;
  take(signal: AbortSignal): Promise<WorkItem<string> | undefined>;
  shutDown(): void;
}

export function makeKeyQueue({ kind, name, rateLimiter, metrics, clock }: KeyQueueOptions): KeyQueue {
  const options = {
    name,
    ...(clock !== undefined && { clock }),
    ...(metrics !== undefined && { metrics }),
    ...(rateLimiter !== undefined && { rateLimiter }),
  };
  return kind === 'fifo' ? fifo(new RateLimitingQueue(options)) : byPriority(new PriorityQueue(options));
}

function byPriority(queue: PriorityQueue): KeyQueue {
  return {
    get len() {
      return queue.len;
    },
    add: (key, priority) => queue.add(key, { priority }),
    addAfter: (key, after, priority) => queue.add(key, { after, priority }),
    addRateLimited: (key, priority) => queue.add(key, { rateLimited: true, priority }),
    forget: (key) => queue.forget(key),
    numRequeues: (key) => queue.numRequeues(key),
    take: (signal) => queue.take({ signal }),
    shutDown: () => queue.shutDown(),
  };
}

function fifo(queue: RateLimitingQueue): KeyQueue {
  return {
    get len() {
      return queue.len;
    },
    add: (key) => queue.add(key),
    addAfter: (key, delayMs) => queue.addAfter(key, delayMs),
    addRateLimited: (key) => queue.addRateLimited(key),
    forget: (key) => queue.forget(key),
    numRequeues: (key) => queue.numRequeues(key),
    take: (signal) => queue.take({ signal }),
    shutDown: () => queue.shutDown(),
  };
}
