/** One resource's cache and its handlers: what Kubernetes calls a shared index informer. */
import { EventEmitter } from 'node:events';
import { DeltaFIFO, DeltaType } from '../delta/index.ts';
import type { HashSeed } from '../layout/key-hash.ts';
import { RecordKind } from '../layout/ring.ts';
import {
  describeResource,
  type ReflectorNotice,
  type ReflectorState,
  type ResourceRef,
} from '../reflector/index.ts';
import {
  type BlockRef,
  Bodies,
  blockKey,
  fromOffset8,
  Holds,
  Indexer,
  jsonFormat,
  type SegmentTable,
} from '../store/index.ts';
import { InformerError, StoppedError } from './errors.ts';
import type { InformerEvent } from './event.ts';
import { DeltaHandler } from './handle-deltas.ts';
import { deliverTo, type Handler } from './handlers.ts';
import { HealthTracker, type InformerHealth } from './health.ts';
import { blockRefOf, Lister } from './lister.ts';
import type { ObjectContext } from './object-ref.ts';
import type { InformerPlan } from './options.ts';
import { Processor } from './processor.ts';
import type { DeltaConsumer } from './pump.ts';
import { Registration } from './registration.ts';

/** What an informer emits. All of it is for information: nothing has to be answered. */
export interface InformerEvents {
  /** Something failed; the informer goes on by itself. Without a listener it is only counted. */
  error: [InformerError];
  /** The first list is complete. */
  synced: [];
  /** Objects of the running list so far, and how many are still to come when the server says so. */
  progress: [{ items: number; remaining?: number }];
  /** The reflector went to another state. */
  state: [ReflectorState];
  /** `connected`, `synced` or `degraded` are not what they were. */
  health: [InformerHealth];
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
  /** Shared memory of tables and indexes, in bytes. Bodies are counted by the factory. */
  readonly indexBytes: number;
  /** Replaced bodies that a handler still has to see, in bytes. */
  readonly heldBytes: number;
  /** Bodies that were decoded, and bytes of those that are kept decoded. */
  readonly decoded: number;
  readonly decodeCacheBytes: number;
  /** Deltas that wait to be handled. */
  readonly queued: number;
}

/** Record kinds as the DeltaFIFO knows them. */
const DELTA_TYPES: Readonly<Record<number, DeltaType>> = {
  [RecordKind.added]: DeltaType.added,
  [RecordKind.modified]: DeltaType.updated,
  [RecordKind.deleted]: DeltaType.deleted,
  [RecordKind.bookmark]: DeltaType.bookmark,
  [RecordKind.replaceBegin]: DeltaType.replaceBegin,
  [RecordKind.replaceItem]: DeltaType.replaced,
  [RecordKind.replaceMark]: DeltaType.seen,
  [RecordKind.replaceEnd]: DeltaType.replaceEnd,
};

/** What an informer needs of its factory. @internal */
export interface InformerHost {
  readonly segments: SegmentTable;
  readonly seed: HashSeed;
  readonly now: () => number;
  readonly release: (ref: BlockRef) => void;
  /** Takes the informer out of the factory. */
  readonly stop: () => Promise<void>;
}

/**
 * Made by `SharedInformerFactory.informerFor`. Shared by all who want this resource: one list and watch,
 * one cache, any number of handlers.
 * Source: `SharedIndexInformer` in client-go's `tools/cache/shared_informer.go`.
 */
export class SharedInformer<T = object> extends EventEmitter<InformerEvents> implements DeltaConsumer {
  readonly resource: ResourceRef;
  /** Reads the cache. */
  readonly lister: Lister<T>;
  /** Resolves when the first list is in the cache; rejects with a StoppedError when it never will be. */
  readonly synced: Promise<void>;
  /** Resolves when the informer was stopped. */
  readonly closed: Promise<void>;

  readonly #what: string;
  readonly #stop: () => Promise<void>;
  readonly #now: () => number;
  readonly #indexer: Indexer;
  readonly #bodies: Bodies;
  readonly #holds: Holds;
  readonly #fifo: DeltaFIFO<BlockRef>;
  readonly #deltas: DeltaHandler<T>;
  readonly #processor: Processor<T>;
  readonly #sync = Promise.withResolvers<void>();
  readonly #close = Promise.withResolvers<void>();
  readonly #health: HealthTracker;
  #isStopped = false;
  #errors = 0;

  /** @internal */
  constructor(plan: InformerPlan, host: InformerHost) {
    super();
    this.resource = plan.resource;
    this.#what = describeResource(plan.resource);
    this.#stop = host.stop;
    this.synced = this.#sync.promise;
    this.closed = this.#close.promise;
    this.#now = host.now;
    this.#health = new HealthTracker(host.now);
    this.synced.catch(() => {});
    const { segments, seed } = host;
    const { indexes, columns } = plan.fields;
    this.#indexer = new Indexer({ segments, seed, indexes, columns });
    this.#bodies = new Bodies({
      segments,
      format: jsonFormat,
      cacheBytes: plan.decodeCacheBytes,
      freeze: plan.options.freeze ?? false,
    });
    this.#holds = new Holds((ref) => {
      this.#bodies.forget(ref);
      host.release(ref);
    });
    const context: ObjectContext = {
      segments,
      bodies: this.#bodies,
      columns: new Map(columns.map(({ name, fieldId }) => [name, fieldId])),
    };
    this.lister = new Lister<T>(this.#indexer, context);
    this.#processor = new Processor<T>({
      context,
      holds: this.#holds,
      now: host.now,
      onHandlerError: (error, event) => this.#handlerFailed(error, event),
    });
    this.#deltas = new DeltaHandler<T>({
      segments,
      indexer: this.#indexer,
      holds: this.#holds,
      processor: this.#processor,
      onReplaced: (typeMeta) => this.#replaced(typeMeta),
      onStoreError: (error) => this.#emitError('store-full', (error as Error).message, { cause: error }),
    });
    const keyOf = (ref: BlockRef) => blockKey(segments.get(ref.segment), fromOffset8(ref.offset8));
    this.#fifo = new DeltaFIFO({ keyOf, ordering: plan.options.ordering ?? 'total' });
  }

  /** True when the first list is in the cache. */
  get hasSynced(): boolean {
    return this.#health.hasSynced;
  }

  /** The same as {@link synced}, for those who ask whether they may start. */
  get ready(): Promise<void> {
    return this.synced;
  }

  /** Whether the cache can be trusted, what went wrong last, and what the reflector has been through. */
  health(): InformerHealth {
    return this.#health.health;
  }

  get stats(): InformerStats {
    return {
      objects: this.#indexer.size,
      hasSynced: this.#health.hasSynced,
      state: this.#health.state,
      resourceVersion: this.#indexer.resourceVersion,
      events: this.#processor.distributed,
      errors: this.#errors,
      handlerErrors: this.#processor.handlerErrors,
      indexBytes: this.#indexer.memoryBytes,
      heldBytes: this.#holds.heldBytes,
      decoded: this.#bodies.decoded,
      decodeCacheBytes: this.#bodies.cachedBytes,
      queued: this.#fifo.size,
    };
  }

  /**
   * Registers a handler. It gets what exists as adds (`isInitial`), then every change, in order, one at a
   * time; when it returns a promise, the next event waits for it. A handler that throws or rejects is
   * reported as an `error` and counted; it gets the next event all the same.
   *
   * @throws TypeError when the handler has no method that could be called
   * @throws StoppedError when the informer was stopped
   */
  addEventHandler(handler: Handler<T>): Registration {
    if (this.#isStopped) throw new StoppedError(`the informer of ${this.#what} was stopped`);
    const listener = this.#processor.add(deliverTo(handler));
    if (this.#indexer.size > 0) {
      const blocks: BlockRef[] = [];
      for (let slot = this.#indexer.nextSlot(-1); slot !== -1; slot = this.#indexer.nextSlot(slot)) {
        blocks.push(blockRefOf(this.#indexer, slot));
      }
      this.#processor.replay(listener, blocks);
    }
    const synced = this.synced.then(() => new Promise<void>((resolve) => listener.caughtUp(resolve)));
    return new Registration(listener, synced, () => this.#processor.remove(listener));
  }

  /**
   * Ends this informer alone and gives its memory back: its lister is empty afterwards, its handlers get
   * nothing more. The factory makes a new one when asked for the resource again. Harmless when called twice.
   */
  stop(): Promise<void> {
    return this.#stop();
  }

  /** @internal */
  get queued(): number {
    return this.#fifo.size;
  }

  /** @internal */
  get hasWork(): boolean {
    return this.#fifo.size > 0 || this.#deltas.isBusy;
  }

  /** @internal */
  push(kind: number, block: BlockRef): void {
    const type = DELTA_TYPES[kind];
    if (type === undefined) throw new Error(`a ring record of ${this.#what} has the unknown kind ${kind}`);
    this.#fifo.push(type, block);
  }

  /** @internal */
  work(hasTime: () => boolean): void {
    this.#health.lastEventMs = this.#now();
    do {
      if (this.#deltas.isBusy) this.#deltas.continueReplace(hasTime);
      else if (this.#fifo.pop(this.#handle) === 0) return;
    } while (hasTime());
  }

  /** @internal */
  settle(): void {
    this.#deltas.settle();
    // Whatever came shows that the server is heard again.
    this.#tellHealth();
  }

  /** Where its reflector writes how it is doing. @internal */
  get statusRow(): { status: SharedArrayBuffer; epochMs: number } {
    return { status: this.#health.status, epochMs: this.#health.epochMs };
  }

  /** @internal */
  notice(notice: ReflectorNotice): void {
    if (notice.type === 'state') {
      this.#health.state = notice.state;
      this.emit('state', notice.state);
      this.#tellHealth();
    } else if (notice.type === 'progress') {
      const { items, remaining } = notice;
      this.emit('progress', remaining === undefined ? { items } : { items, remaining });
    } else {
      this.#emitError(notice.code, notice.message, notice);
    }
  }

  /** Nothing is delivered afterwards; what is in the cache can still be read. @internal */
  stopped(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#health.state = 'stopped';
    for (const listener of this.#processor.listeners) this.#processor.remove(listener);
    this.#close.resolve();
    this.#tellHealth();
    this.#sync.reject(new StoppedError(`the informer of ${this.#what} was stopped before it had synced`));
  }

  /** Gives all blocks back; the cache is empty afterwards. @internal */
  discard(): void {
    while (this.#fifo.pop(({ object }) => this.#holds.retire(object)) > 0);
    this.#deltas.discard();
  }

  readonly #handle = (delta: { type: DeltaType; object: BlockRef }, isInitial: boolean): void => {
    this.#deltas.handle(delta, isInitial);
  };

  #replaced(typeMeta: { kind?: string; apiVersion?: string }): void {
    const { kind, apiVersion } = typeMeta;
    if (kind !== undefined && apiVersion !== undefined) this.#bodies.typeMeta = { kind, apiVersion };
    if (this.#health.hasSynced) return;
    this.#health.hasSynced = true;
    this.#sync.resolve();
    this.emit('synced');
    this.#tellHealth();
  }

  #handlerFailed(error: unknown, event: InformerEvent<T>): void {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `a handler of ${this.#what} failed on the ${event.type} of ${event.key}: ${reason}`;
    this.#emitError('handler-failed', message, { cause: error });
  }

  #emitError(
    code: string,
    message: string,
    details: { status?: number; retryInMs?: number; cause?: unknown },
  ): void {
    this.#errors++;
    const { status, retryInMs, cause } = details;
    const error = new InformerError(message, {
      code,
      resource: this.#what,
      ...(status !== undefined && { status }),
      ...(retryInMs !== undefined && { retryInMs }),
      ...(cause !== undefined && { cause }),
    });
    this.#health.failed(error);
    // An `error` that nobody listens to would be thrown by the emitter: it is information, never fatal.
    if (this.listenerCount('error') > 0) this.emit('error', error);
    this.#tellHealth();
  }

  #tellHealth(): void {
    if (this.listenerCount('health') > 0 && this.#health.hasTurned()) this.emit('health', this.health());
  }
}
