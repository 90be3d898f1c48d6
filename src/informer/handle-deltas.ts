/**
 * `handleDeltas`: takes deltas from the DeltaFIFO, puts them into the Indexer, and tells the listeners what
 * changed: of a batch of deltas, or of a whole relist, when all of it is in the store. Objects that come again
 * unchanged are noticed by uid and resourceVersion.
 * Source: `processDeltas` and `processDeltasInBatch` in client-go's `tools/cache/controller.go`.
 */
import { type Delta, DeltaType } from '../delta/index.ts';
import {
  BlockRef,
  blockNamespace,
  bodyText,
  fromOffset8,
  hasBody,
  sameIdentity,
  sameUid,
  type TypeMeta,
  Upserted,
} from '../store/index.ts';
import { ChangeQueue, ChangeType } from './change-queue.ts';
import type { DeltaHandlerOptions } from './delta-handler-options.ts';
import { StoreVersion } from './store-version.ts';

/** Slots that are looked at for vanished objects before the time is looked at again. */
const SWEEP_STEP = 2048;

export class DeltaHandler<T> {
  /** Told of each object that is gone, whether it was in the store or not, while an audit runs. */
  onDelete: ((block: BlockRef) => void) | undefined;

  readonly #options: DeltaHandlerOptions<T>;
  readonly #changes: ChangeQueue;
  /** Number of the Replace that runs or ran last. Objects that it saw carry it. */
  #sweep = 0;
  #isReplacing = false;
  #hasReplaced = false;
  #isInitial = true;
  /** Where the search for vanished objects goes on; -1 when none runs. */
  #cursor = -1;
  #end: BlockRef | undefined;
  readonly #version: StoreVersion;

  constructor(options: DeltaHandlerOptions<T>) {
    this.#options = options;
    this.#changes = new ChangeQueue(options.clock);
    this.#version = new StoreVersion(options.segments, options.onVersion);
  }

  /** There is something that can be told. */
  get isBusy(): boolean {
    return this.#end !== undefined || this.#changes.tellable > 0;
  }

  /** A relist runs: its handlers start after its end. Those of the first list start at once. */
  get holdsBack(): boolean {
    return this.#isReplacing && this.#hasReplaced;
  }

  /** The end of a Replace runs: no delta may be handled until all of it was told. */
  get isEnding(): boolean {
    return this.#end !== undefined;
  }

  handle(delta: Delta<BlockRef>, isInitial: boolean): void {
    const ref = delta.object;
    this.#isInitial = isInitial;
    switch (delta.type) {
      case DeltaType.added:
      case DeltaType.updated:
      case DeltaType.replaced:
        this.#upsert(ref);
        break;
      case DeltaType.deleted:
        this.onDelete?.(ref);
        this.#version.stored(ref);
        this.#delete(ref);
        break;
      case DeltaType.repaired:
        // What it repairs is older than the store's version, which stays.
        if (hasBody(this.#options.segments.get(ref.segment), fromOffset8(ref.offset8)))
          this.#upsert(ref, true);
        else this.#delete(ref);
        break;
      case DeltaType.seen:
        this.#seen(ref);
        break;
      case DeltaType.sync:
        this.#sync(ref);
        break;
      case DeltaType.bookmark:
        this.#version.stored(ref);
        this.#options.holds.retire(ref);
        break;
      case DeltaType.replaceBegin:
        this.#sweep = this.#options.sweeps.last = (this.#options.sweeps.last + 1) | 0;
        this.#isReplacing = true;
        if (this.#hasReplaced) this.#changes.hold();
        this.#options.holds.retire(ref);
        break;
      case DeltaType.replaceEnd:
        this.#end = ref;
        this.#cursor = 0;
        this.#changes.release();
        break;
    }
  }

  /**
   * Tells what is stored, and goes on with the end of a Replace: vanished objects first, then the handlers.
   *
   * @param hasTime - asked now and then; false ends this slice
   */
  tell(hasTime: () => boolean): void {
    while (this.#cursor !== -1) {
      this.#cursor = this.#options.indexer.sweepUnseen(this.#sweep, this.#cursor, SWEEP_STEP, this.#vanished);
      if (!hasTime()) return;
    }
    const changes = this.#changes;
    while (changes.tellable > 0) {
      this.#tellChange(changes.shift());
      if (changes.tellable > 0 && !hasTime()) return;
    }
    if (this.#end !== undefined) this.#endReplace();
    if (!this.holdsBack) this.#version.allTold();
  }

  /** Empties the store and gives all blocks back. Nothing may be handled afterwards. */
  discard(): void {
    const { indexer, holds } = this.#options;
    const changes = this.#changes;
    while (changes.shift() !== 0) {
      if (changes.oldBlock !== undefined) holds.retire(changes.oldBlock);
      if (changes.type === ChangeType.deleted) holds.retire(changes.block);
    }
    if (this.#end !== undefined) holds.retire(this.#end);
    this.#end = undefined;
    this.#version.forget();
    for (let slot = indexer.nextSlot(-1); slot !== -1; slot = indexer.nextSlot(slot)) {
      const block = indexer.refOf(slot);
      indexer.removeSlot(slot);
      holds.retire(block);
    }
  }

  /** Whether a change that was not told yet is about this block. */
  isUntold(block: BlockRef): boolean {
    return this.#changes.has(block);
  }

  /** Called before blocks go back to their worker. */
  settle(): void {
    this.#version.settle();
  }

  #endReplace(): void {
    const end = this.#end!;
    const segment = this.#options.segments.get(end.segment);
    const typeMeta = JSON.parse(bodyText(segment, fromOffset8(end.offset8))) as Partial<TypeMeta>;
    this.#version.stored(end);
    this.#end = undefined;
    this.#isReplacing = false;
    this.#hasReplaced = true;
    this.#options.holds.retire(end);
    this.#options.onReplaced(typeMeta);
  }

  #upsert(ref: BlockRef, isRepair = false): void {
    const { indexer, holds } = this.#options;
    let result: Upserted;
    try {
      result = indexer.upsert(
        ref.hashLo,
        ref.hashHi,
        ref.segment,
        ref.offset8,
        ref.lengthBytes,
        ref.stamp,
        this.#sweep,
      );
    } catch (error) {
      holds.retire(ref);
      this.#options.onStoreError(error);
      return;
    }
    if (!this.#isReplacing && !isRepair) this.#version.stored(ref);
    if (result === Upserted.added) {
      this.#change(ChangeType.added, ref, undefined, indexer.slot);
      return;
    }
    const old = this.#previous(ref);
    const segment = this.#options.segments.get(ref.segment);
    const oldSegment = this.#options.segments.get(old.segment);
    const block = fromOffset8(ref.offset8);
    const oldBlock = fromOffset8(old.offset8);
    if (sameIdentity(segment, block, oldSegment, oldBlock)) {
      this.#same(ref, old, indexer.slot);
    } else if (sameUid(segment, block, oldSegment, oldBlock)) {
      this.#change(ChangeType.updated, ref, old, indexer.slot);
    } else {
      // Another object under the same name: the one that is gone was deleted while nobody watched.
      this.#change(ChangeType.deleted, old, undefined, indexer.slot, true);
      this.#change(ChangeType.added, ref, undefined, indexer.slot);
    }
  }

  #delete(ref: BlockRef): void {
    const { indexer, holds } = this.#options;
    const slot = indexer.findByHash(ref.hashLo, ref.hashHi, ref.segment, ref.offset8);
    if (slot === -1) {
      holds.retire(ref);
      return;
    }
    indexer.removeSlot(slot);
    const old = this.#previous(ref);
    const isComplete = hasBody(this.#options.segments.get(ref.segment), fromOffset8(ref.offset8));
    if (isComplete) {
      this.#change(ChangeType.deleted, ref, old, slot);
    } else {
      this.#change(ChangeType.deleted, old, undefined, slot, true);
      holds.retire(ref);
    }
  }

  /** A list has the object as it is, and sent no body. */
  #seen(ref: BlockRef): void {
    const { indexer, holds, processor } = this.#options;
    const isThere = indexer.touch(ref.hashLo, ref.hashHi, ref.segment, ref.offset8, this.#sweep);
    if (isThere && processor.hasResyncs) {
      const slot = indexer.findByHash(ref.hashLo, ref.hashHi, ref.segment, ref.offset8);
      this.#change(ChangeType.same, indexer.refOf(slot), undefined, slot);
    }
    holds.retire(ref);
  }

  /** A list sent the object as it is. */
  #same(ref: BlockRef, old: BlockRef, slot: number): void {
    // A change that was not told yet may be about the old block: then it goes when that was told.
    const isNeeded = this.#changes.has(old);
    if (isNeeded || this.#options.processor.hasResyncs) {
      this.#change(ChangeType.same, ref, isNeeded ? old : undefined, slot);
    }
    if (!isNeeded) this.#options.holds.retire(old);
  }

  /** A resync asks for an object. It was queued when nothing else was, so this is the store's block. */
  #sync(ref: BlockRef): void {
    const slot = this.#options.indexer.findByHash(ref.hashLo, ref.hashHi, ref.segment, ref.offset8);
    if (slot !== -1) this.#change(ChangeType.sync, ref, undefined, slot);
  }

  /** Whether the object in this slot is one of its own. */
  owns(slot: number): boolean {
    const { indexer, namespace, segments } = this.#options;
    if (namespace === undefined) return true;
    const segment = segments.get(indexer.segmentOf(slot));
    return blockNamespace(segment, fromOffset8(indexer.offset8Of(slot))) === namespace;
  }

  /** Found by the sweep: no list has it any more. */
  readonly #vanished = (slot: number): void => {
    if (!this.owns(slot)) return;
    const { indexer } = this.#options;
    const block = indexer.refOf(slot);
    this.onDelete?.(block);
    indexer.removeSlot(slot);
    this.#change(ChangeType.deleted, block, undefined, slot, true);
  };

  /** Remembers a change that the listeners have to be told of. */
  #change(
    type: ChangeType,
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    slot: number,
    isFinalStateUnknown = false,
  ): void {
    this.#changes.push(type, block, oldBlock, slot, this.#isInitial, isFinalStateUnknown);
  }

  #tellChange(number: number): void {
    const { processor, holds } = this.#options;
    const { type, block, oldBlock, slot, isInitial, isFinalStateUnknown } = this.#changes;
    switch (type) {
      case ChangeType.added:
        processor.distribute('add', block, undefined, isInitial, false, slot, number);
        break;
      case ChangeType.updated:
        processor.distribute('update', block, oldBlock, isInitial, false, slot, number);
        break;
      case ChangeType.deleted:
        processor.distribute('delete', block, undefined, isInitial, isFinalStateUnknown, slot, number);
        holds.retire(block);
        break;
      default:
        processor.distributeAgain(block, slot, number, type === ChangeType.same);
    }
    if (oldBlock !== undefined) holds.retire(oldBlock);
  }

  #previous(ref: BlockRef): BlockRef {
    const { previousSegment, previousOffset8, previousLengthBytes, previousStamp } = this.#options.indexer;
    return new BlockRef(
      previousSegment,
      previousOffset8,
      previousLengthBytes,
      previousStamp,
      ref.hashLo,
      ref.hashHi,
    );
  }
}
