/** What reconcile gets besides the key, on this thread or in a worker thread. */
import type { Lister, SharedInformer } from '../../informer/index.ts';
import type { ResourceRef } from '../../reflector/index.ts';
import type { ApiObject } from '../client/index.ts';
import type { ReconcileRequest } from './request.ts';
import { checkDelayMs, type ReconcileResult } from './result.ts';
import { type TrackableClient, trackedClient } from './tracked-client.ts';

/** Informers by the name under which reconcile finds their listers. */
// biome-ignore lint/suspicious/noExplicitAny: each informer has objects of its own type
export type NamedInformers = Readonly<Record<string, SharedInformer<any>>>;

/** The listers of named informers. */
export type ListersOf<I extends NamedInformers> = {
  readonly [Name in keyof I]: I[Name] extends SharedInformer<infer T> ? Lister<T> : never;
};

/** All of it can be taken out of the object: `({ name }, { lister, requeueAfter }) => …`. */
export interface ReconcileContext<T = object, I extends NamedInformers = NamedInformers> {
  /** Reads the cache of `for`. */
  readonly lister: Lister<T>;
  /** Read the caches of the controller's option `listers`, by the names given there. */
  readonly listers: ListersOf<I>;
  /** Aborts when the controller stops, leadership is lost, or time is up: then end soon. Pass it to requests. */
  readonly signal: AbortSignal;
  /** 1 for the first time; more after failures and `requeue`, until a success. */
  readonly attempt: number;
  /**
   * Has the key reconciled again after `delayMs` milliseconds, unless something happens to it before; the earliest time
   * counts. Returns the same as a result, so `return requeueAfter(5000)` works as well.
   *
   * @throws UsageError when it is no time to wait
   */
  readonly requeueAfter: (delayMs: number) => ReconcileResult;
  /**
   * Remembers that this reconcile wrote an object: the key is not reconciled again before the cache of that resource has
   * the write, or some seconds have passed. A resource whose cache the controller does not know is ignored.
   *
   * @param written - what the API server answered
   */
  readonly recordWrite: (resource: ResourceRef, written: ApiObject) => void;
  /** As `recordWrite`, for a deletion: waits until the cache has it deleted or being deleted. */
  readonly recordDelete: (resource: ResourceRef, deleted: ApiObject) => void;
  /** A client that does what the given one does and records what it wrote. */
  readonly track: (client: TrackableClient) => TrackableClient;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most reconciles return nothing
type Returned = ReconcileResult | undefined | void;

/** Reconciles one key. It may be called for objects that do not exist any more. */
export type ReconcileFunction<T = object, I extends NamedInformers = NamedInformers> = (
  request: ReconcileRequest,
  context: ReconcileContext<T, I>,
) => Returned | Promise<Returned>;

/** A write that a reconcile told of. */
export interface RecordedWrite {
  readonly resource: ResourceRef;
  readonly object: ApiObject;
  readonly isDelete: boolean;
}

export interface ContextParts {
  readonly lister: Lister<object>;
  readonly listers: Readonly<Record<string, Lister<object>>>;
  readonly signal: AbortSignal;
  readonly attempt: number;
  readonly record: (write: RecordedWrite) => void;
}

/** A context, and what was asked of it. */
export class Turn {
  readonly context: ReconcileContext<object, never>;
  #askedMs: number | undefined;

  constructor({ lister, listers, signal, attempt, record }: ContextParts) {
    const recordWrite = (resource: ResourceRef, object: ApiObject) =>
      record({ resource, object, isDelete: false });
    const recordDelete = (resource: ResourceRef, object: ApiObject) =>
      record({ resource, object, isDelete: true });
    this.context = {
      lister,
      listers: listers as never,
      signal,
      attempt,
      requeueAfter: (delayMs) => {
        this.#askedMs = Math.min(this.#askedMs ?? Number.POSITIVE_INFINITY, checkDelayMs(delayMs));
        return { requeueAfter: delayMs };
      },
      recordWrite,
      recordDelete,
      track: (client) => trackedClient(client, recordWrite, recordDelete),
    };
  }

  /** The earliest time that `requeueAfter` was given. */
  get askedMs(): number | undefined {
    return this.#askedMs;
  }
}
