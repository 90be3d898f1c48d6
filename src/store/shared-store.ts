/** The home thread's half of a store that other threads read: what they are told, and the version they see. */
import { randomUUID } from 'node:crypto';
import type { HashSeed } from '../layout/key-hash.ts';
import {
  STORE_CONTROL_BYTES,
  STORE_RV_BYTE,
  STORE_RV_LENGTH_WORD,
  STORE_RV_MAX_BYTES,
  STORE_RV_VERSION_WORD,
} from '../layout/store.ts';
import type { TypeMeta } from './bodies.ts';
import { fence } from './fence.ts';
import type { Indexer } from './indexer.ts';
import { StoreAnnouncer } from './reader/announcer.ts';
import type { StoreHandle, StoreState } from './reader/handle.ts';
import type { SegmentTable } from './segments.ts';

export interface SharedStoreOptions {
  readonly indexer: Indexer;
  readonly segments: SegmentTable;
  readonly seed: HashSeed;
  readonly typeMeta: () => TypeMeta | undefined;
}

/** Nothing is announced, and no memory taken, before the first handle is asked for. */
export class SharedStore {
  readonly #options: SharedStoreOptions;
  #words: Int32Array | undefined;
  #text: Buffer | undefined;
  #announcer: StoreAnnouncer | undefined;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  /** For another thread. Can be posted as often as you like. */
  handle(): StoreHandle {
    this.#announcer ??= this.#open();
    return this.#announcer.handle();
  }

  /** An index came or went, or it is known now what the objects are. */
  stateChanged(): void {
    this.#announcer?.stateChanged();
  }

  /** The Indexer has everything up to another version now. */
  versionChanged(): void {
    const words = this.#words;
    if (words === undefined) return;
    const { resourceVersion } = this.#options.indexer;
    const isShown = resourceVersion.length <= STORE_RV_MAX_BYTES;
    Atomics.store(words, STORE_RV_VERSION_WORD, (words[STORE_RV_VERSION_WORD]! + 1) | 0);
    fence();
    words[STORE_RV_LENGTH_WORD] = isShown ? this.#text!.write(resourceVersion, 'latin1') : 0;
    Atomics.store(words, STORE_RV_VERSION_WORD, (words[STORE_RV_VERSION_WORD]! + 1) | 0);
  }

  /** Readers keep what they have; nothing new comes. */
  close(): void {
    this.#announcer?.close();
    this.#announcer = undefined;
  }

  #open(): StoreAnnouncer {
    const { segments, seed } = this.#options;
    const control = new SharedArrayBuffer(STORE_CONTROL_BYTES);
    this.#words = new Int32Array(control, 0, STORE_RV_BYTE / 4);
    this.#text = Buffer.from(control, STORE_RV_BYTE, STORE_RV_MAX_BYTES);
    this.versionChanged();
    return new StoreAnnouncer({
      channel: `kubering-store-${randomUUID()}`,
      control,
      seed,
      segments,
      state: () => this.#state(),
    });
  }

  #state(): StoreState {
    const { indexer, typeMeta } = this.#options;
    return {
      shards: indexer.shards.map(({ memory }) => memory),
      indexes: indexer.indexes.ready,
      unready: indexer.indexes.unready,
      typeMeta: typeMeta(),
    };
  }
}
