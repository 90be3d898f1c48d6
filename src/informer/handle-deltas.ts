/**
 * `handleDeltas`: takes deltas from the DeltaFIFO, puts them into the Indexer, and tells the listeners what
 * changed. Objects that come again unchanged are noticed by uid and resourceVersion and told to nobody.
 * Source: `processDeltas` in client-go's `tools/cache/controller.go`.
 */
import { type Delta, DeltaType } from '../delta/index.ts';
import {
  BlockRef,
  blockResourceVersion,
  bodyText,
  fromOffset8,
  type Holds,
  hasBody,
  type Indexer,
  type SegmentTable,
  sameIdentity,
  sameUid,
  type TypeMeta,
  Upserted,
} from '../store/index.ts';
import { blockRefOf } from './lister.ts';
import type { Processor } from './processor.ts';

/** Slots that are looked at for vanished objects before the time is looked at again. */
const SWEEP_STEP = 2048;

export interface DeltaHandlerOptions<T> {
  readonly segments: SegmentTable;
  readonly indexer: Indexer;
  readonly holds: Holds;
  readonly processor: Processor<T>;
  /** A Replace is complete, and what it lost is gone. */
  readonly onReplaced: (typeMeta: Partial<TypeMeta>) => void;
  /** Something in the store can't be kept: the object is left out. */
  readonly onStoreError: (error: unknown) => void;
}

/** A change that is told when the Replace that it belongs to has ended. */
interface Deferred {
  readonly type: 'add' | 'update' | 'delete';
  readonly block: BlockRef;
  readonly oldBlock: BlockRef | undefined;
}

export class DeltaHandler<T> {
  readonly #options: DeltaHandlerOptions<T>;
  /** Number of the Replace that runs or ran last. Objects that it saw carry it. */
  #sweep = 0;
  #isReplacing = false;
  #hasReplaced = false;
  #isInitial = true;
  /** Handlers of a relist start after its end; those of the first list at once. */
  #deferred: Deferred[] = [];
  #firstDeferred = 0;
  /** Where the search for vanished objects goes on; -1 when none runs. */
  #cursor = -1;
  #end: BlockRef | undefined;
  /** The change that was handled last: it has the version that the store is at. */
  #latest: BlockRef | undefined;

  constructor(options: DeltaHandlerOptions<T>) {
    this.#options = options;
  }

  /** Work that has to be finished before the next delta: call `continueReplace`. */
  get isBusy(): boolean {
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
        this.#delete(ref);
        break;
      case DeltaType.seen:
        this.#options.indexer.touch(ref.hashLo, ref.hashHi, ref.segment, ref.offset8, this.#sweep);
        this.#options.holds.retire(ref);
        break;
      case DeltaType.bookmark:
        this.#latest = ref;
        this.#options.holds.retire(ref);
        break;
      case DeltaType.replaceBegin:
        this.#sweep = (this.#sweep + 1) | 0;
        this.#isReplacing = true;
        this.#options.holds.retire(ref);
        break;
      case DeltaType.replaceEnd:
        this.#end = ref;
        this.#cursor = 0;
        break;
    }
  }

  /**
   * Goes on with the end of a Replace: vanished objects first, then the handlers.
   *
   * @param hasTime - asked now and then; false ends this slice
   */
  continueReplace(hasTime: () => boolean): void {
    while (this.#cursor !== -1) {
      this.#cursor = this.#options.indexer.sweepUnseen(this.#sweep, this.#cursor, SWEEP_STEP, this.#vanished);
      if (!hasTime()) return;
    }
    while (this.#firstDeferred < this.#deferred.length) {
      const { type, block, oldBlock } = this.#deferred[this.#firstDeferred++]!;
      this.#tell(type, block, oldBlock, type === 'delete');
      if (!hasTime()) return;
    }
    this.#endReplace();
  }

  /** Empties the store and gives all blocks back. Nothing may be handled afterwards. */
  discard(): void {
    const { indexer, holds } = this.#options;
    for (; this.#firstDeferred < this.#deferred.length; this.#firstDeferred++) {
      const { type, block, oldBlock } = this.#deferred[this.#firstDeferred]!;
      if (oldBlock !== undefined) holds.retire(oldBlock);
      if (type === 'delete') holds.retire(block);
    }
    if (this.#end !== undefined) holds.retire(this.#end);
    this.#end = undefined;
    this.#latest = undefined;
    for (let slot = indexer.nextSlot(-1); slot !== -1; slot = indexer.nextSlot(slot)) {
      const block = blockRefOf(indexer, slot);
      indexer.removeSlot(slot);
      holds.retire(block);
    }
  }

  /**
   * Moves the store's resourceVersion to what was handled. Called before blocks go back to their worker:
   * until then the version can be read, and is made a string once for many events.
   */
  settle(): void {
    if (this.#latest === undefined) return;
    const segment = this.#options.segments.get(this.#latest.segment);
    this.#options.indexer.resourceVersion = blockResourceVersion(segment, fromOffset8(this.#latest.offset8));
    this.#latest = undefined;
  }

  #endReplace(): void {
    const end = this.#end!;
    const segment = this.#options.segments.get(end.segment);
    const typeMeta = JSON.parse(bodyText(segment, fromOffset8(end.offset8))) as Partial<TypeMeta>;
    this.#latest = end;
    this.#deferred = [];
    this.#firstDeferred = 0;
    this.#end = undefined;
    this.#isReplacing = false;
    this.#hasReplaced = true;
    this.#options.holds.retire(end);
    this.#options.onReplaced(typeMeta);
  }

  #upsert(ref: BlockRef): void {
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
    if (!this.#isReplacing) this.#latest = ref;
    if (result === Upserted.added) {
      this.#change('add', ref, undefined);
      return;
    }
    const old = this.#previous(ref);
    const segment = this.#options.segments.get(ref.segment);
    const oldSegment = this.#options.segments.get(old.segment);
    const block = fromOffset8(ref.offset8);
    const oldBlock = fromOffset8(old.offset8);
    if (sameIdentity(segment, block, oldSegment, oldBlock)) {
      holds.retire(old);
    } else if (sameUid(segment, block, oldSegment, oldBlock)) {
      this.#change('update', ref, old);
    } else {
      // Another object under the same name: the one that is gone was deleted while nobody watched.
      this.#change('delete', old, undefined, true);
      this.#change('add', ref, undefined);
    }
  }

  #delete(ref: BlockRef): void {
    const { indexer, holds } = this.#options;
    this.#latest = ref;
    if (!indexer.remove(ref.hashLo, ref.hashHi, ref.segment, ref.offset8)) {
      holds.retire(ref);
      return;
    }
    const old = this.#previous(ref);
    const segment = this.#options.segments.get(ref.segment);
    const isComplete = hasBody(segment, fromOffset8(ref.offset8));
    this.#change('delete', isComplete ? ref : old, undefined, !isComplete);
    holds.retire(isComplete ? old : ref);
  }

  /** Found by the sweep: no list has it any more. */
  readonly #vanished = (slot: number): void => {
    const { indexer } = this.#options;
    const block = blockRefOf(indexer, slot);
    indexer.removeSlot(slot);
    this.#change('delete', block, undefined, true);
  };

  /** Tells the listeners now, or after the relist that the change belongs to. */
  #change(
    type: Deferred['type'],
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    isFinalStateUnknown = false,
  ): void {
    if (this.#isReplacing && this.#hasReplaced) this.#deferred.push({ type, block, oldBlock });
    else this.#tell(type, block, oldBlock, isFinalStateUnknown);
  }

  #tell(
    type: Deferred['type'],
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    isFinalStateUnknown: boolean,
  ): void {
    const { processor, holds } = this.#options;
    processor.distribute(type, block, oldBlock, this.#isInitial, isFinalStateUnknown);
    if (oldBlock !== undefined) holds.retire(oldBlock);
    if (type === 'delete') holds.retire(block);
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
