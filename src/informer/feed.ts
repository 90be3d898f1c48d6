/**
 * What one reflector brings to an informer: a DeltaFIFO, and what handles its deltas. An informer has one feed, or one
 * for each of its namespaces.
 */
import { type Delta, DeltaFIFO, DeltaType } from '../delta/index.ts';
import { RecordKind } from '../layout/ring.ts';
import { describeResource, type ResourceRef } from '../reflector/index.ts';
import { type BlockRef, type Bodies, blockKey, fromOffset8 } from '../store/index.ts';
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
  [RecordKind.repair]: DeltaType.repaired,
};

export interface FeedOptions<T> extends Omit<DeltaHandlerOptions<T>, 'onVersion'> {
  readonly bodies: Bodies;
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
  /** Objects that came with their bodies, from lists and as events. */
  bodies = 0;
  /** Blocks that copies took the place of. */
  moves = 0;
  /** Everything of this feed up to this version is in the store and was told; '' before the first list. */
  resourceVersion = '';

  readonly #options: FeedOptions<T>;
  readonly #fifo: DeltaFIFO<BlockRef>;
  readonly #deltas: DeltaHandler<T>;
  /** The slot after which the resync goes on, and how many Sync deltas it may queue now. */
  #syncCursor = -1;
  #syncsGranted = 0;
  #isResyncing = false;
  #hasQueuedSyncs = false;

  constructor(options: FeedOptions<T>) {
    const { resource, segments, ordering } = options;
    this.#options = options;
    this.resource = resource;
    this.health = new HealthTracker(options.now);
    const keyOf = (ref: BlockRef) => blockKey(segments.get(ref.segment), fromOffset8(ref.offset8));
    this.#fifo = new DeltaFIFO({ keyOf, ordering, onDropped: (ref) => options.holds.retire(ref) });
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

  /** All that came is in the store and was told, and no relist runs: the store is what the server had. */
  get isSettled(): boolean {
    return this.#fifo.size === 0 && !this.#deltas.isBusy && !this.#deltas.holdsBack;
  }

  /** Told of each object that is gone, also of those that the store does not have. For an audit. */
  set onDelete(callback: ((block: BlockRef) => void) | undefined) {
    this.#deltas.onDelete = callback;
  }

  /** Whether the object in this slot came from this feed. */
  owns(slot: number): boolean {
    return this.#deltas.owns(slot);
  }

  push(kind: number, block: BlockRef): void {
    const type = DELTA_TYPES[kind];
    if (type === undefined) {
      throw new Error(`a ring record of ${describeResource(this.resource)} has the unknown kind ${kind}`);
    }
    if (kind <= RecordKind.deleted || kind === RecordKind.replaceItem) this.bodies++;
    this.#fifo.push(type, block);
  }

  moved(copy: BlockRef, from: { readonly segment: number; readonly offset8: number }): void {
    const { indexer, holds, bodies } = this.#options;
    const slot = this.#mayQueueStoreBlocks ? -1 : indexer.findByBlock(copy.segment, copy.offset8);
    const block = slot === -1 ? undefined : indexer.refOf(slot);
    const isCurrent = block?.segment === from.segment && block.offset8 === from.offset8;
    // Whoever still has to read the original would lose it.
    if (!isCurrent || holds.isHeld(block) || this.#deltas.isUntold(block)) {
      holds.retire(copy);
      return;
    }
    indexer.move(slot, copy);
    bodies.moved(block, indexer.refOf(slot));
    holds.retire(block);
    this.moves++;
  }

  work(hasTime: () => boolean): void {
    if (this.#fifo.size > 0) this.health.lastEventMs = this.#options.now();
    const latency = this.#options.processor.latencies?.processing;
    do {
      const startMs = latency === undefined ? 0 : this.#options.now();
      // What the time of the last slice did not suffice for comes first.
      if (!this.#deltas.isBusy && !this.#handleBatch()) return;
      this.#deltas.tell(hasTime);
      latency?.observe(this.#options.now() - startMs);
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

  /** Sync deltas name blocks of the store, and nobody holds these. */
  get #mayQueueStoreBlocks(): boolean {
    if (this.#fifo.size === 0) this.#hasQueuedSyncs = false;
    return this.#hasQueuedSyncs;
  }

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
        this.#hasQueuedSyncs = true;
        this.#fifo.push(DeltaType.sync, indexer.refOf(this.#syncCursor));
      }
    }
    return this.#fifo.size > 0;
  }
}
