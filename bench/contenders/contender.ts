/** What a benchmark needs of a library. */
import type { KubeConfig } from '@kubernetes/client-node';
import type { Tally } from '../tally.ts';

/** What the handlers do with each event. */
export type Workload =
  /** They look at the key and at nothing else, as a controller does that only enqueues. */
  | 'keys'
  /** They get plain objects and look into each; where the library has it, the object before an update too. */
  | 'decode'
  /** They look into each new object, and not at the one before. */
  | 'decode-new'
  /** As `decode`, of objects without `metadata.managedFields`. */
  | 'decode-drop';

export type LibraryName = 'client-node' | 'kubering';

/** One library at one workload. */
export interface Entrant {
  readonly library: LibraryName;
  readonly workload: Workload;
}

/** A library at work: lists all Pods, watches them, and tells a tally what its handlers saw. */
export interface Contender {
  /** Resolves when the handler has got every object of the first list, and the cache says that it is complete. */
  start(): Promise<void>;
  /** Key and resourceVersion of each object in the cache. */
  cached(): Iterable<readonly [key: string, resourceVersion: string]>;
  /** Events that the handler did not see one by one, because they were merged. */
  readonly merged: number;
  /** Bodies that were decoded so far; undefined for a library that decodes each once as it comes. */
  readonly decoded: number | undefined;
  /** Bytes of shared memory that the cache takes; undefined for a library that has none. */
  readonly sharedBytes: number | undefined;
  /** What went wrong on the way. Nothing should: the server has no faults switched on. */
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

export type MakeContender = (kubeConfig: KubeConfig, workload: Workload, tally: Tally) => Contender;
