/** How a factory is made, and the checks of that; and what it counts. */
import { MAX_RECORDS, MIN_RECORDS } from '../layout/ring.ts';
import { UsageError } from './errors.ts';
import type { InformerDefaults } from './resolve-options.ts';

/** All fields are optional. */
export interface FactoryOptions extends InformerDefaults {
  /**
   * Worker threads that list and watch. One keeps up with tens of thousands of events a second; informers
   * are spread over them.
   * @default 1
   */
  readonly workers?: number;
  /**
   * Lets the process end when nothing else keeps it alive: with `true` none of kubering's threads, ports, timers and
   * sockets does, and informers end with the process, unsaid. Whoever awaits `start` or an event then needs something of
   * their own that keeps it alive.
   * @default false: a running informer keeps the process alive until the factory stops
   */
  readonly unref?: boolean;
  /** Ends the factory, as `stop` does. */
  readonly signal?: AbortSignal;
  /**
   * Most bytes of object bodies, over all workers; those of `listerWatcher` sources may have as much as one
   * worker besides. At the limit informers keep what they have, say so, and try again slowly.
   * @default 4 GiB
   */
  readonly memoryLimitBytes?: number;
  /**
   * Changes that may wait between a worker and this thread, a power of two. More than that, and the worker
   * stops reading from its sockets.
   * @default 4096
   */
  readonly ringRecords?: number;
  /**
   * Most bytes of the JavaScript heap of each worker, where no object is kept. A worker that grows beyond it is
   * replaced by another one.
   * @default 512 MiB
   */
  readonly workerHeapBytes?: number;
  /** What the threads run instead of kubering's own module. For tests that make one fail. @internal */
  readonly workerEntry?: URL;
  /**
   * Longest time that a credentials plugin of a kubeconfig may run, in milliseconds: then it is ended, told as an error,
   * and run again with the next try. Give more when somebody logs in in a browser.
   * @default 60 s
   */
  readonly credentialsTimeoutMs?: number;
  /** Longest random delay before the first request of each informer, in milliseconds. @default 0 */
  readonly startJitterMs?: number;
  /**
   * Silence on a socket after which TCP probes whether the API server is still there, in milliseconds; 0 never.
   * @default 30 s
   */
  readonly tcpKeepAliveMs?: number;
}

/** Figures of a factory. */
export interface FactoryStats {
  /** Shared memory in bytes: bodies, dictionaries, tables, indexes, rings. */
  readonly sharedBytes: number;
  /** Of these, the memory of object bodies. */
  readonly arenaBytes: number;
  /**
   * Of that, what blocks have: objects, rounded up to the sizes that there are. The rest is free, or about to be used
   * again. As of the last time that a worker had something to do.
   */
  readonly arenaUsedBytes: number;
  /** Blocks that workers moved so that memory becomes free, and their bytes. */
  readonly movedBlocks: number;
  readonly movedBytes: number;
  /** Memory of the lists of keys that MessagePack bodies share. */
  readonly structureBytes: number;
  /** And that of the dictionaries of records, as far as it is used; and how many there are. */
  readonly dictionaryBytes: number;
  readonly dictionaries: number;
  readonly objects: number;
  /** Changes taken from the rings so far. */
  readonly records: number;
  /** Fill of the fullest ring, from 0 to 1. */
  readonly ringFill: number;
  /** Slices of work on this thread so far. */
  readonly slices: number;
  /** The longest of them in milliseconds on the clock: other threads may have had the core meanwhile. */
  readonly longestSliceMs: number;
  /** The longest in milliseconds of this thread's CPU time (of time on the clock before Node 23.9). */
  readonly longestSliceCpuMs: number;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_MEMORY_LIMIT_BYTES = 4096 * MEBIBYTE;
/** An arena of less would have no room for the segments of a few sizes. */
const MIN_WORKER_MEMORY_BYTES = 16 * MEBIBYTE;
const DEFAULT_RING_RECORDS = 4096;
/** Far more than a worker needs (some 10 MiB), far less than would hurt the process. */
const DEFAULT_WORKER_HEAP_BYTES = 512 * MEBIBYTE;
const MIN_WORKER_HEAP_BYTES = 32 * MEBIBYTE;
/** Threads beyond this would wait for each other at the one home thread. */
const MAX_WORKERS = 64;

/** Options of the threads, with defaults. */
export interface FactoryPlan {
  readonly workers: number;
  readonly memoryLimitBytes: number;
  readonly ringRecords: number;
  readonly workerHeapBytes: number;
  readonly startJitterMs: number;
}

/** @throws UsageError when an option is out of range */
export function planFactory(options: FactoryOptions): FactoryPlan {
  const { workers = 1, memoryLimitBytes = DEFAULT_MEMORY_LIMIT_BYTES } = options;
  const { ringRecords = DEFAULT_RING_RECORDS, startJitterMs = 0 } = options;
  const { workerHeapBytes = DEFAULT_WORKER_HEAP_BYTES } = options;
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS) {
    throw new UsageError(`workers is a whole number from 1 to ${MAX_WORKERS}, not ${workers}`);
  }
  if (!(memoryLimitBytes >= MIN_WORKER_MEMORY_BYTES * workers)) {
    throw new UsageError(`memoryLimitBytes is at least 16 MiB per worker, not ${memoryLimitBytes}`);
  }
  if (!(workerHeapBytes >= MIN_WORKER_HEAP_BYTES)) {
    throw new UsageError(`workerHeapBytes is at least 32 MiB, not ${workerHeapBytes}`);
  }
  const isPowerOfTwo = (ringRecords & (ringRecords - 1)) === 0;
  if (!isPowerOfTwo || ringRecords < MIN_RECORDS || ringRecords > MAX_RECORDS) {
    throw new UsageError(
      `ringRecords is a power of two from ${MIN_RECORDS} to ${MAX_RECORDS}, not ${ringRecords}`,
    );
  }
  if (!(startJitterMs >= 0)) {
    throw new UsageError(`startJitterMs is a delay in milliseconds from 0 on, not ${startJitterMs}`);
  }
  return { workers, memoryLimitBytes, ringRecords, workerHeapBytes, startJitterMs };
}
