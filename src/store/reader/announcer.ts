/**
 * The home thread's side of readers on other threads: gives out handles, and announces new memory before anything
 * names it. A SharedArrayBuffer can't travel through shared memory, so it goes over a BroadcastChannel, where readers
 * fetch it synchronously.
 */
import { BroadcastChannel } from 'node:worker_threads';
import type { HashSeed } from '../../layout/key-hash.ts';
import { STORE_ANNOUNCEMENTS_WORD } from '../../layout/store.ts';
import type { Segment, SegmentTable } from '../segments.ts';
import {
  type Announcement,
  type AttachRequest,
  STORE_HANDLE_FORMAT,
  type StoreHandle,
  type StoreState,
} from './handle.ts';

export interface AnnouncerOptions {
  /** A name that no other store of the process has. */
  readonly channel: string;
  readonly control: SharedArrayBuffer;
  readonly seed: HashSeed;
  readonly segments: SegmentTable;
  readonly state: () => StoreState;
}

export class StoreAnnouncer {
  readonly #options: AnnouncerOptions;
  readonly #control: Int32Array;
  readonly #channel: BroadcastChannel;
  readonly #endListening: () => void;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#control = new Int32Array(options.control);
    this.#channel = new BroadcastChannel(options.channel);
    this.#channel.onmessage = (message) => this.#answer((message as unknown as { data: AttachRequest }).data);
    // Readers don't keep the process alive.
    this.#channel.unref();
    this.#endListening = options.segments.listen({
      added: ({ id, memory }: Segment) => this.#announce({ type: 'segment', id, memory }),
      deleted: (id: number) => this.#announce({ type: 'segmentGone', id }),
      structuresAdded: (worker, memory) => this.#announce({ type: 'structures', worker, memory }),
      dictionaryAdded: (memory) => this.#announce({ type: 'dictionary', memory }),
      dictionaryDeleted: (epoch) => this.#announce({ type: 'dictionaryGone', epoch }),
    });
  }

  handle(): StoreHandle {
    const { channel, control, seed, segments, state } = this.#options;
    return {
      format: STORE_HANDLE_FORMAT,
      channel,
      control,
      seed,
      state: state(),
      ...memoryOf(segments),
    };
  }

  /** An index came or went, or it is known now what the objects are. */
  stateChanged(): void {
    this.#announce({ type: 'state', state: this.#options.state() });
  }

  /** What readers have stays readable for as long as they keep it; nothing new comes. */
  close(): void {
    this.#announce({ type: 'closed' });
    this.#endListening();
    this.#channel.close();
  }

  #answer(request: AttachRequest): void {
    if (request.type !== 'attach') return;
    const { segments, state } = this.#options;
    this.#announce({
      type: 'attached',
      to: request.from,
      ...memoryOf(segments),
      state: state(),
    });
  }

  #announce(announcement: Announcement): void {
    this.#channel.postMessage(announcement);
    Atomics.add(this.#control, STORE_ANNOUNCEMENTS_WORD, 1);
    Atomics.notify(this.#control, STORE_ANNOUNCEMENTS_WORD);
  }
}

/** All memory that there is now. */
function memoryOf(segments: SegmentTable): Pick<StoreHandle, 'structures' | 'dictionaries' | 'segments'> {
  return {
    structures: segments.allStructures().map(([worker, memory]) => ({ worker, memory })),
    dictionaries: segments.dictionaries.memories,
    segments: segments.all().map(({ id, memory }) => ({ id, memory })),
  };
}
