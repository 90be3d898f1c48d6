/**
 * Takes single objects that an audit asked for, compares each with the cache when that has all that the server had done
 * by then, and puts right what is wrong. Runs within the pump, behind the feed that it repairs.
 */
import { RecordKind } from '../layout/ring.ts';
import { compareResourceVersions } from '../reflector/index.ts';
import {
  type BlockRef,
  blockKey,
  blockResourceVersion,
  fromOffset8,
  type Holds,
  hasBody,
  type Indexer,
  type SegmentTable,
  sameIdentity,
} from '../store/index.ts';
import { keyId } from './audit-compare.ts';
import type { Drift, DriftKind } from './audit-types.ts';
import type { Feed } from './feed.ts';
import type { DeltaConsumer } from './pump.ts';

export interface JudgeOptions<T> {
  readonly feed: Feed<T>;
  readonly indexer: Indexer;
  readonly segments: SegmentTable;
  readonly holds: Holds;
  readonly repairs: boolean;
  /** Whether an object was deleted since it was asked for. */
  readonly wasDeleted: (id: number) => boolean;
  /** Each object, once. `drift` is undefined when the cache is right. */
  readonly onJudged: (drift: Drift | undefined) => void;
}

interface Pending {
  readonly block: BlockRef;
  /** Of the object; when it is not there, of the list that did not have it. */
  readonly resourceVersion: string;
}

export class AuditJudge<T> implements DeltaConsumer {
  /** What waits here keeps nobody from taking records from the rings. */
  readonly queued = 0;

  readonly #options: JudgeOptions<T>;
  #pending: Pending[] = [];
  #isClosed = false;

  constructor(options: JudgeOptions<T>) {
    this.#options = options;
  }

  get hasWork(): boolean {
    const first = this.#pending[0];
    return first !== undefined && this.#isReached(first);
  }

  push(_kind: number, block: BlockRef): void {
    if (this.#isClosed) {
      this.#options.holds.retire(block);
      return;
    }
    this.#pending.push({ block, resourceVersion: this.#versionOf(block) });
  }

  work(hasTime: () => boolean): void {
    while (this.hasWork) {
      this.#judge(this.#pending.shift()!);
      if (!hasTime()) return;
    }
  }

  settle(): void {}

  /** Gives back what was not judged. */
  close(): void {
    this.#isClosed = true;
    for (const { block } of this.#pending) this.#options.holds.retire(block);
    this.#pending = [];
  }

  /**
   * Every event up to this version is in the cache, and all were told: an object that is not as it was then has
   * changed since, or is wrong.
   */
  #isReached({ resourceVersion }: Pending): boolean {
    const { feed } = this.#options;
    const isThere =
      feed.resourceVersion !== '' && compareResourceVersions(feed.resourceVersion, resourceVersion) >= 0;
    return isThere && feed.isSettled;
  }

  #judge(pending: Pending): void {
    const { block } = pending;
    const { feed, holds, repairs, onJudged } = this.#options;
    const kind = this.#driftOf(pending);
    // The key has to be read while the block is there.
    const key = kind === undefined ? '' : blockKey(...this.#place(block));
    if (kind !== undefined && repairs) feed.push(RecordKind.repair, block);
    else holds.retire(block);
    onJudged(kind === undefined ? undefined : { key, kind });
  }

  #driftOf({ block, resourceVersion }: Pending): DriftKind | undefined {
    const { indexer, wasDeleted } = this.#options;
    const { hashLo, hashHi } = block;
    const isOnServer = hasBody(...this.#place(block));
    const slot = indexer.findByHash(hashLo, hashHi, block.segment, block.offset8);
    if (slot === -1) return !isOnServer || wasDeleted(keyId(hashLo, hashHi)) ? undefined : 'missing';
    const cached = indexer.refOf(slot);
    if (isOnServer && sameIdentity(...this.#place(block), ...this.#place(cached))) return undefined;
    if (compareResourceVersions(this.#versionOf(cached), resourceVersion) > 0) return undefined;
    return isOnServer ? 'stale' : 'leftover';
  }

  #versionOf(block: BlockRef): string {
    return blockResourceVersion(...this.#place(block));
  }

  #place(block: BlockRef) {
    return [this.#options.segments.get(block.segment), fromOffset8(block.offset8)] as const;
  }
}
