/**
 * What one reflector brings to an informer: a DeltaFIFO, and what handles its deltas. An informer has one feed, or one
 * for each of its namespaces.
 */
import { type Delta, DeltaFIFO, DeltaType } from '../delta/index.ts';
import { RecordKind } from '../layout/ring.ts';
import { describeResource, type ResourceRef } from '../reflector/index.ts';
import { type BlockRef, blockKey, fromOffset8 } from '../store/index.ts';
import type { DeltaHandlerOptions } from './delta-handler-options.ts';
import { DeltaHandler } from './handle-deltas.ts';
import { HealthTracker } from './health.ts';
import type { DeltaConsumer } from './pump.ts';
import type { ResyncSource } from './resync.ts';

/**
 * Deltas that go into the store before the handlers are called. Few, so that a handler is not told of what the store
 * has long forgotten; it is enough to pay for looking at the clock.
 */
const BATCH_DELTAS = 32;

/** Sync deltas that are queued together. */
const BATCH_SYNCS = 128;

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

export interface FeedOptions<T> extends Omit<DeltaHandlerOptions<T>, 'onVersion'> {
  readonly resource: ResourceRef;
  readonly ordering: 'total' | 'per-key';
  readonly now: () => number;
  /** `resourceVersion` moved. */
  readonly onVersion: () => void;
  /** Called after each slice of work. */
  readonly onSettled: () => void;
}

export class Feed<T> implements DeltaConsumer, ResyncSource {
  readonly resource: ResourceRef;
  readonly health: HealthTracker;
  /** Everything of this feed up to this version is in the store and was told; '' before the first list. */
  resourceVersion = '';

  readonly #options: FeedOptions<T>;
  readonly #fifo: DeltaFIFO<BlockRef>;
  readonly #deltas: DeltaHandler<T>;
  /** The slot after which the resync goes on, and how many Sync deltas it may queue now. */
  #syncCursor = -1;
  #syncsGranted = 0;
  #isResyncing = false;

  constructor(options: FeedOptions<T>) {
    const { resource, segments, ordering } = options;
    this.#options = options;
    this.resource = resource;
    this.health = new HealthTracker(options.now);
    const keyOf = (ref: BlockRef) => blockKey(segments.get(ref.segment), fromOffset8(ref.offset8));
    this.#fifo = new DeltaFIFO({ keyOf, ordering });
    this.#deltas = new DeltaHandler<T>({
      ...options,
      onVersion: (resourceVersion) => {
        this.resourceVersion = resourceVersion;
        options.onVersion();
      },
    });
  }

  get queued(): number {
    return this.#fifo.size;
  }

  get hasWork(): boolean {
    return this.#fifo.size > 0 || this.#deltas.isBusy || this.#canResync;
  }

  push(kind: number, block: BlockRef): void {
    const type = DELTA_TYPES[kind];
    if (type === undefined) {
      throw new Error(`a ring record of ${describeResource(this.resource)} has the unknown kind ${kind}`);
    }
    this.#fifo.push(type, block);
  }

  work(hasTime: () => boolean): void {
    if (this.#fifo.size > 0) this.health.lastEventMs = this.#options.now();
    do {
      // What the time of the last slice did not suffice for comes first.
      if (!this.#deltas.isBusy && !this.#handleBatch()) return;
      this.#deltas.tell(hasTime);
    } while (hasTime());
  }

  settle(): void {
    this.#deltas.settle();
    this.#options.onSettled();
  }

  get isResyncing(): boolean {
    return this.#isResyncing;
  }

  startResync(): void {
    this.#isResyncing = true;
    this.#syncCursor = -1;
  }

  grantSyncs(count: number): void {
    this.#syncsGranted += count;
  }

  /** Gives all blocks back; the store is empty afterwards. */
  discard(): void {
    this.#fifo.close();
    const retire = ({ type, object }: Delta<BlockRef>) => {
      // The block of a Sync delta is the store's own.
      if (type !== DeltaType.sync) this.#options.holds.retire(object);
    };
    while (this.#fifo.tryPop(retire) > 0);
    this.#deltas.discard();
  }

  /** False when there was nothing to handle. */
  #handleBatch(): boolean {
    if (this.#fifo.size === 0 && !(this.#canResync && this.#queueSyncs())) return false;
    for (let handled = 0; handled < BATCH_DELTAS && !this.#deltas.isEnding; ) {
      const popped = this.#fifo.tryPop(this.#handle);
      if (popped === 0) break;
      handled += popped;
    }
    return true;
  }

  readonly #handle = (delta: Delta<BlockRef>, isInitial: boolean): void => {
    this.#deltas.handle(delta, isInitial);
  };

  /** A relist shows the same objects and takes some away: the resync goes on after it. */
  get #canResync(): boolean {
    return this.#syncsGranted > 0 && !this.#deltas.holdsBack;
  }

  /** Only called when nothing is queued: keys with queued changes need no resync. */
  #queueSyncs(): boolean {
    const { indexer } = this.#options;
    const count = Math.min(this.#syncsGranted, BATCH_SYNCS);
    this.#syncsGranted -= count;
    for (let i = 0; i < count; i++) {
      this.#syncCursor = indexer.nextSlot(this.#syncCursor);
      if (this.#syncCursor === -1) {
        this.#isResyncing = false;
        this.#syncsGranted = 0;
        break;
      }
      if (this.#deltas.owns(this.#syncCursor)) {
        this.#fifo.push(DeltaType.sync, indexer.refOf(this.#syncCursor));
      }
    }
    return this.#fifo.size > 0;
  }
}
