/** What another thread needs to read a store: memory, and the name of the channel on which more is announced. */
import type { HashSeed } from '../../layout/key-hash.ts';
import type { TypeMeta } from '../bodies.ts';
import { StoreHandleError } from './errors.ts';
import type { ShardMemory } from './shard-memory.ts';

/** Grows with every change of a layout that readers see. */
export const STORE_HANDLE_FORMAT = 3;

/** One buffer of an arena. */
export interface SegmentMemory {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
}

/** The structures of one worker's MessagePack bodies. */
export interface StructureMemory {
  readonly worker: number;
  readonly memory: SharedArrayBuffer;
}

/** What may change while a store is read, besides the content of its memory. */
export interface StoreState {
  readonly shards: readonly ShardMemory[];
  /** Names of the indexes that can be asked, with their ids in postings. */
  readonly indexes: readonly (readonly [name: string, id: number])[];
  /** Names of the indexes that are being filled. */
  readonly unready: readonly string[];
  readonly typeMeta: TypeMeta | undefined;
}

/** Can be posted to any thread of this process, as often as you like. */
export interface StoreHandle {
  readonly format: number;
  /** Of a BroadcastChannel. */
  readonly channel: string;
  /** See layout/store.ts. */
  readonly control: SharedArrayBuffer;
  readonly seed: HashSeed;
  readonly state: StoreState;
  readonly structures: readonly StructureMemory[];
  /** Epochs of the workers' dictionaries, of which records are made. Each says its number itself. */
  readonly dictionaries: readonly SharedArrayBuffer[];
  readonly segments: readonly SegmentMemory[];
}

/** From the home thread to all readers. */
export type Announcement =
  | { readonly type: 'segment'; readonly id: number; readonly memory: SharedArrayBuffer }
  /** Comes before the first segment of its worker. */
  | { readonly type: 'structures'; readonly worker: number; readonly memory: SharedArrayBuffer }
  | { readonly type: 'segmentGone'; readonly id: number }
  /** Comes before the store has a record of it. */
  | { readonly type: 'dictionary'; readonly memory: SharedArrayBuffer }
  | { readonly type: 'dictionaryGone'; readonly epoch: number }
  | { readonly type: 'state'; readonly state: StoreState }
  /** The answer to one reader that has just attached: from now on it misses nothing. */
  | {
      readonly type: 'attached';
      readonly to: string;
      readonly structures: readonly StructureMemory[];
      readonly dictionaries: readonly SharedArrayBuffer[];
      readonly segments: readonly SegmentMemory[];
      readonly state: StoreState;
    }
  | { readonly type: 'closed' };

/** From a reader to the home thread. */
export interface AttachRequest {
  readonly type: 'attach';
  readonly from: string;
}

/** @throws StoreHandleError when it is no handle, or one of another version */
export function checkHandle(handle: unknown): asserts handle is StoreHandle {
  const { format, control } = (handle ?? {}) as Partial<StoreHandle>;
  if (typeof format !== 'number' || !(control instanceof SharedArrayBuffer)) {
    throw new StoreHandleError(
      'this is no handle of a store: pass on what `informer.handle()` gives, as it is (JSON and other processes lose it)',
    );
  }
  if (format !== STORE_HANDLE_FORMAT) {
    throw new StoreHandleError(
      `the handle has format ${format}, and this version of kubering reads format ${STORE_HANDLE_FORMAT}: ` +
        'use one version of kubering in all threads',
    );
  }
}
