/**
 * The inside of an informer: store, bodies, feeds and listeners, put together. `informer.ts` is what users see of it.
 */
import { threadId } from 'node:worker_threads';
import { compareResourceVersions } from '../reflector/index.ts';
import {
  type BlockRef,
  Bodies,
  blockKey,
  fromOffset8,
  Holds,
  Indexer,
  IndexerSource,
  type SegmentTable,
  SharedStore,
  type TypeMeta,
} from '../store/index.ts';
import { ChangeClock } from './change-clock.ts';
import type { Column } from './column.ts';
import type { InformerEvent } from './event.ts';
import { Feed } from './feed.ts';
import type { InformerHandle } from './handle.ts';
import type { HandlerPlan } from './handler-options.ts';
import { InformerIndexes } from './informer-indexes.ts';
import type { InformerHost } from './informer-types.ts';
import { Latencies } from './latencies.ts';
import type { Listener } from './listener.ts';
import { Lister } from './lister.ts';
import type { ObjectContext } from './object-ref.ts';
import type { InformerPlan } from './options.ts';
import { Processor } from './processor.ts';
import { Resync } from './resync.ts';
import { VersionWaiters } from './version-waiters.ts';

/** What the core tells its informer. */
export interface CoreEvents<T> {
  /** A Replace of this feed is complete. */
  onReplaced(feed: Feed<T>): void;
  onStoreError(error: unknown, feed: Feed<T>): void;
  /** An index function failed for the first time. */
  onIndexError(index: string, key: string, error: unknown): void;
  onHandlerError(error: unknown, event: InformerEvent<T>, listener: Listener<T>): void;
  /** A slice of work is over. */
  onSettled(): void;
}

export class InformerCore<T> {
  readonly indexer: Indexer;
  readonly indexes: InformerIndexes;
  readonly bodies: Bodies;
  readonly holds: Holds;
  readonly lister: Lister<T>;
  /** For readers on other threads. */
  readonly shared: SharedStore;
  readonly processor: Processor<T>;
  /** What its reflectors bring: one, or one for each namespace. */
  readonly feeds: readonly Feed<T>[];
  readonly resync: Resync;
  readonly memoryLimitBytes: number | undefined;
  readonly versionWaiters = new VersionWaiters(() => this.indexer.resourceVersion);

  readonly segments: SegmentTable;
  readonly #columns: ReadonlyMap<string, Column>;
  readonly #indexErrors = new Map<string, number>();

  constructor(plan: InformerPlan, host: InformerHost, events: CoreEvents<T>) {
    const { segments, seed, clock } = host;
    this.segments = segments;
    this.memoryLimitBytes = plan.options.memoryLimitBytes;
    const { decodeCacheEntries, freeze = false, project } = plan.options;
    this.bodies = new Bodies({
      segments,
      cacheBytes: plan.decodeCacheBytes,
      ...(decodeCacheEntries !== undefined && { cacheEntries: decodeCacheEntries }),
      freeze,
    });
    const { fields, functions, workerIndexes } = plan;
    const now = () => clock.now();
    this.indexes = new InformerIndexes({
      fields,
      functions,
      workerIndexes,
      projection: project,
      bodies: this.bodies,
      now,
    });
    this.indexer = new Indexer({
      segments,
      seed,
      indexes: this.indexes.definitions,
      ...(plan.options.shards !== undefined && { shards: plan.options.shards }),
      onIndexError: (index, ref, error) => this.#indexFailed(index, ref, error, events),
    });
    this.indexes.open(this.indexer);
    this.holds = new Holds((ref) => {
      this.bodies.forget(ref);
      host.release(ref);
    });
    this.#columns = new Map(fields.columns.map(({ name, fieldId, type }) => [name, { fieldId, type }]));
    const context: ObjectContext = {
      segments,
      bodies: this.bodies,
      columns: this.#columns,
      indexOfPath: (path) => this.indexes.indexOfPath(path),
    };
    this.lister = new Lister<T>(new IndexerSource(this.indexer), context);
    const { indexer } = this;
    this.shared = new SharedStore({ indexer, segments, seed, typeMeta: () => this.bodies.typeMeta });
    this.indexes.onChange = () => this.shared.stateChanged();
    const changes = new ChangeClock();
    this.processor = new Processor<T>({
      context,
      indexer: this.indexer,
      holds: this.holds,
      clock: changes,
      now: () => clock.now(),
      onHandlerError: events.onHandlerError,
    });
    this.feeds = this.#makeFeeds(plan, host, changes, events);
    this.resync = new Resync({
      clock,
      defaultMs: plan.resyncMs,
      listeners: this.processor.listeners,
      sources: this.feeds,
      count: () => this.indexer.size,
      wake: host.wake,
    });
  }

  get hasSynced(): boolean {
    return this.feeds.every(({ health }) => health.hasSynced);
  }

  /** For a thread that reads the cache. */
  handle(): InformerHandle {
    return {
      store: this.shared.handle(),
      thread: threadId,
      columns: [...this.#columns],
      indexPaths: this.indexes.paths,
    };
  }

  add(plan: HandlerPlan<T>): Listener<T> {
    const listener = this.processor.add(plan);
    this.resync.add(listener);
    return listener;
  }

  /** From now on, notes how long things take. Harmless when called again. */
  timeHandlers(): void {
    this.processor.latencies ??= new Latencies();
  }

  /** How often an index function failed. */
  get indexErrors(): number {
    let sum = 0;
    for (const count of this.#indexErrors.values()) sum += count;
    for (const { health } of this.feeds) sum += health.indexErrors;
    return sum;
  }

  /** How often the transform function failed. */
  get transformErrors(): number {
    return this.feeds.reduce((sum, { health }) => sum + health.transformErrors, 0);
  }

  /** Gives all blocks back; the store is empty afterwards. */
  discard(): void {
    this.shared.close();
    for (const feed of this.feeds) feed.discard();
  }

  #makeFeeds(plan: InformerPlan, host: InformerHost, clock: ChangeClock, events: CoreEvents<T>): Feed<T>[] {
    const { resource, namespaces } = plan;
    const sweeps = { last: 0 };
    const resources = namespaces?.map((namespace) => ({ ...resource, namespace })) ?? [resource];
    return resources.map((one) => {
      const feed: Feed<T> = new Feed<T>({
        resource: one,
        segments: host.segments,
        indexer: this.indexer,
        holds: this.holds,
        bodies: this.bodies,
        processor: this.processor,
        clock,
        sweeps,
        namespace: resources.length > 1 ? one.namespace : undefined,
        ordering: plan.options.ordering ?? 'total',
        now: () => host.clock.now(),
        onVersion: () => this.#moveVersion(),
        onReplaced: (typeMeta) => {
          this.#learnType(typeMeta);
          events.onReplaced(feed);
        },
        onStoreError: (error) => events.onStoreError(error, feed),
        onSettled: events.onSettled,
      });
      return feed;
    });
  }

  /** Each failure is counted; the first of each index is told. */
  #indexFailed(index: string, ref: BlockRef, error: unknown, events: CoreEvents<T>): void {
    const before = this.#indexErrors.get(index) ?? 0;
    this.#indexErrors.set(index, before + 1);
    if (before === 0)
      events.onIndexError(index, blockKey(this.segments.get(ref.segment), fromOffset8(ref.offset8)), error);
  }

  /** Up to the oldest version of its feeds everything is in the store. */
  #moveVersion(): void {
    let oldest = this.feeds[0]!.resourceVersion;
    for (let i = 1; i < this.feeds.length; i++) {
      const { resourceVersion } = this.feeds[i]!;
      if (oldest === '' || resourceVersion === '') oldest = '';
      else if (compareResourceVersions(resourceVersion, oldest) < 0) oldest = resourceVersion;
    }
    this.indexer.resourceVersion = oldest;
    this.shared.versionChanged();
    this.versionWaiters.check();
  }

  #learnType({ kind, apiVersion }: Partial<TypeMeta>): void {
    if (kind === undefined || apiVersion === undefined) return;
    this.bodies.typeMeta = { kind, apiVersion };
    this.shared.stateChanged();
  }
}
