/** What handles deltas needs of its informer. */
import type { Holds, Indexer, SegmentTable, TypeMeta } from '../store/index.ts';
import type { ChangeClock } from './change-clock.ts';
import type { Processor } from './processor.ts';

export interface DeltaHandlerOptions<T> {
  readonly segments: SegmentTable;
  readonly indexer: Indexer;
  readonly holds: Holds;
  readonly processor: Processor<T>;
  readonly clock: ChangeClock;
  /** Numbers Replaces: all that write to one Indexer share it. */
  readonly sweeps: { last: number };
  /** When several write to one Indexer: whose objects these are. */
  readonly namespace: string | undefined;
  /** Everything up to this version is in the store and was told. */
  readonly onVersion: (resourceVersion: string) => void;
  /** A Replace is complete, and what it lost is gone. */
  readonly onReplaced: (typeMeta: Partial<TypeMeta>) => void;
  /** Something in the store can't be kept: the object is left out. */
  readonly onStoreError: (error: unknown) => void;
}
