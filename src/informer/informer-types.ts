/** What an informer emits and counts, and what it needs of its factory. */
import type { HashSeed } from '../layout/key-hash.ts';
import type { Clock, ReflectorState } from '../reflector/index.ts';
import type { BlockRef, SegmentTable } from '../store/index.ts';
import type { AuditReport } from './audit-types.ts';
import type { InformerError } from './errors.ts';
import type { InformerEvent } from './event.ts';
import type { HandlerOptions } from './handler-options.ts';
import type { InformerHealth } from './health.ts';
import type { LatencyFigures } from './latencies.ts';
import type { Prober } from './probe-desk.ts';

/** What an informer emits. All of it is for information: nothing has to be answered. */
export interface InformerEvents<T = object> {
  /** Something failed; the informer goes on by itself. Without a listener it is only counted. */
  error: [InformerError];
  /** The first list is complete. */
  synced: [];
  /** A watch was opened: after the first list, and each time that one follows another. */
  connect: [];
  /** Objects of the running list so far, and how many are still to come when the server says so. */
  progress: [{ items: number; remaining?: number }];
  /** The reflector went to another state. */
  state: [ReflectorState];
  /** An audit is over, see `SharedInformer.audit`. */
  audit: [AuditReport];
  /** `connected`, `synced` or `degraded` are not what they were. */
  health: [InformerHealth];
  /**
   * An object is there; decoded for this. The listeners of this and the next three are one handler together, which
   * joins when the first of them is added: those that are added in the same turn get all that exists.
   */
  add: [object: T, event: InformerEvent<T>];
  /** An object changed: its new state. `event.oldObject` has the one before. */
  update: [object: T, event: InformerEvent<T>];
  /** An object is gone: its last state, which may be an older one when `event.isFinalStateUnknown`. */
  delete: [object: T, event: InformerEvent<T>];
  /** Any of the three. */
  change: [object: T, event: InformerEvent<T>];
}

/** Figures of an informer. */
export interface InformerStats {
  readonly objects: number;
  readonly hasSynced: boolean;
  readonly state: ReflectorState;
  readonly resourceVersion: string;
  /** Events that handlers were told of. */
  readonly events: number;
  /** Errors that were emitted, and handlers that threw or rejected. */
  readonly errors: number;
  readonly handlerErrors: number;
  /** Handlers, and events that wait for the one that lags most. */
  readonly handlers: number;
  readonly backlog: number;
  /** Events that were merged for handlers that are registered now, and for all that ever were. */
  readonly laps: number;
  readonly lapsTotal: number;
  /** How often an index function failed; the object was kept without a value in that index. */
  readonly indexErrors: number;
  /** How often the transform function failed; the objects are cached as they were. */
  readonly transformErrors: number;
  /** Shared memory of tables and indexes, in bytes. Bodies are counted by the factory. */
  readonly indexBytes: number;
  /** Replaced bodies that a handler still has to see, in bytes. */
  readonly heldBytes: number;
  /** Bodies that could not be made records, and are kept as JSON; see `InformerOptions.bodies`. */
  readonly bodyFallbacks: number;
  /**
   * Bodies that were decoded, those of them that were records, and bytes of those that are kept decoded (of records four
   * times their bytes).
   */
  readonly decoded: number;
  readonly decodedRecords: number;
  readonly decodeCacheBytes: number;
  /** How often a decoded object was there when somebody looked. */
  readonly decodeHits: number;
  /** Bodies that came, from lists and as events. Those that nobody looked at were never parsed. */
  readonly bodies: number;
  /** Blocks that were moved in memory since the start, while their objects stayed as they were. */
  readonly moves: number;
  /** Deltas that wait to be handled. */
  readonly queued: number;
  /** Bytes of lists and watches that came from the server, decompressed. */
  readonly receivedBytes: number;
  /** How often a worker stopped reading because the ring was full, and because the memory of bodies was. */
  readonly ringWaits: number;
  readonly memoryWaits: number;
  /** How long batches of changes and calls of handlers take; undefined before a registry of metrics asked for it. */
  readonly latency: { readonly processing: LatencyFigures; readonly handlers: LatencyFigures } | undefined;
  /** Audits so far, and those of them that came to no result. */
  readonly audits: number;
  readonly auditFailures: number;
  /** Objects that audits found the cache wrong about, and those that they put right. */
  readonly drifts: number;
  readonly repairs: number;
}

/** Where the memory of one informer is, in bytes. What informers share is in `FactoryStats`. */
export interface InformerMemory {
  /** Bodies of the objects in the cache, with their keys and the values of indexes and columns. */
  readonly bodyBytes: number;
  /** Replaced bodies that a handler still has to see. */
  readonly heldBytes: number;
  /** Most bytes of both; undefined when only the factory's limit counts. */
  readonly limitBytes: number | undefined;
  /** The tables that find an object by its key. */
  readonly tableBytes: number;
  /** The indexes. */
  readonly indexBytes: number;
  /** Bodies whose objects are kept decoded, in the heap of this thread; those of records count four times. */
  readonly decodedBytes: number;
}

/** Options of {@link SharedInformer.events}. */
export interface EventStreamOptions<T>
  extends Pick<HandlerOptions<T>, 'name' | 'filter' | 'backlogLimit' | 'resyncMs'> {
  /** Ends the stream. */
  readonly signal?: AbortSignal;
}

/** What an informer needs of its factory. @internal */
export interface InformerHost {
  readonly segments: SegmentTable;
  readonly seed: HashSeed;
  readonly clock: Clock;
  readonly release: (ref: BlockRef) => void;
  /** There is something to do besides what lies on the rings. */
  readonly wake: () => void;
  /** Starts this informer alone. */
  readonly start: () => void;
  /** Takes the informer out of the factory. */
  readonly stop: () => Promise<void>;
  /** What audits read the API server with; none when the objects come from functions. */
  readonly probe?: Prober;
}
