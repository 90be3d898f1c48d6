/**
 * Reads what a watch function gives: events as objects, or the bytes of a watch stream. Which of the two it is shows
 * with the first that comes.
 */
import { RecordKind } from '../layout/ring.ts';
import {
  type ApiStatus,
  type BodyProblem,
  isOlder,
  ReadState,
  type WatchReader,
  type WatchStart,
} from '../reflector/index.ts';
import { BadObjects, putBookmark, putChange } from '../worker/index.ts';
import { describeValue, isMap } from './errors.ts';
import type { WatchFeed } from './feeds.ts';
import type { LocalSink } from './local-sink.ts';

const KINDS: ReadonlyMap<unknown, RecordKind> = new Map([
  ['ADDED', RecordKind.added],
  ['MODIFIED', RecordKind.modified],
  ['DELETED', RecordKind.deleted],
]);

export class FunctionWatchReader implements WatchReader {
  status: ApiStatus | undefined;
  problem: BodyProblem | undefined;

  readonly #sink: LocalSink;
  readonly #feed: WatchFeed;
  readonly #openBytes: () => WatchReader;
  /** Version at which it began. */
  readonly #startVersion: string;
  readonly #bad: BadObjects;
  /** Reads bytes, once some have come. */
  #bytes: WatchReader | undefined;
  #objectEvents = 0;
  #objectVersion: string | undefined;
  #isEnded = false;

  /** @param openBytes - makes the reader of a byte stream */
  constructor(sink: LocalSink, feed: WatchFeed, start: WatchStart, openBytes: () => WatchReader) {
    this.#sink = sink;
    this.#feed = feed;
    this.#openBytes = openBytes;
    this.#startVersion = start.resourceVersion;
    this.#bad = new BadObjects(sink.options.what, sink.options.tell);
  }

  get events(): number {
    return this.#objectEvents + (this.#bytes?.events ?? 0);
  }

  get lastResourceVersion(): string | undefined {
    return this.#bytes?.lastResourceVersion ?? this.#objectVersion;
  }

  /** An empty chunk is a tick: there is something in the feed. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#bytes ??= this.#openBytes();
    this.#bytes.push(chunk);
  }

  end(): void {
    this.#isEnded = true;
    this.#bytes?.end();
  }

  read(): ReadState {
    const state = this.#bytes === undefined ? this.#readEvent() : this.#readBytes(this.#bytes);
    if (state === ReadState.full || state === ReadState.failed) return state;
    if (this.#feed.status === undefined) return state;
    this.status = this.#feed.status;
    return ReadState.failed;
  }

  close(): void {
    this.#bad.close();
    this.#bytes?.close();
  }

  #readBytes(reader: WatchReader): ReadState {
    const { event } = this.#feed;
    this.#feed.event = undefined;
    if (event !== undefined) this.#report('mixed-watch', `${describeValue(event)} came among bytes`);
    const state = reader.read();
    this.status = reader.status;
    this.problem = reader.problem;
    return state;
  }

  #readEvent(): ReadState {
    const { event } = this.#feed;
    if (event !== undefined) {
      const { writer } = this.#sink.options;
      writer.takeReleases();
      const state = this.#putEvent(event);
      writer.flush();
      if (state === ReadState.full) return state;
      this.#feed.event = undefined;
      if (state === ReadState.failed) return state;
    }
    return this.#isEnded ? ReadState.done : ReadState.more;
  }

  #putEvent(event: unknown): ReadState {
    if (!isMap(event)) {
      this.#report('not-an-event', `it is ${describeValue(event)}, not an object with type and object`);
      return ReadState.more;
    }
    const { type, object } = event;
    if (type === 'ERROR') return this.#fail(object);
    if (type === 'BOOKMARK') return this.#putBookmark(object);
    const kind = KINDS.get(type);
    if (kind !== undefined) return this.#putChange(kind, object);
    this.#report('unknown-event', `its type is ${typeof type === 'string' ? type : describeValue(type)}`);
    return ReadState.more;
  }

  #putChange(kind: RecordKind, object: unknown): ReadState {
    const { plainDraft: draft, typeMeta } = this.#sink;
    const wrong = draft.takeIdentity(object, typeMeta, kind !== RecordKind.deleted) ?? draft.takeBody();
    if (wrong !== undefined) {
      this.#report('bad-object', wrong);
      return ReadState.more;
    }
    if (!putChange(this.#sink, kind, draft)) return ReadState.full;
    this.#followed(draft.resourceVersion);
    const isRoomAgain = this.#sink.skipped > 0 && !this.#sink.isStarved;
    return isRoomAgain ? this.#failForSkipped() : ReadState.more;
  }

  #putBookmark(object: unknown): ReadState {
    const metadata = isMap(object) && isMap(object.metadata) ? object.metadata : {};
    const { resourceVersion } = metadata;
    if (typeof resourceVersion !== 'string' || resourceVersion === '') {
      this.#report('bad-bookmark', 'a bookmark has no metadata.resourceVersion');
      return ReadState.more;
    }
    // A late one: the cache knows more.
    if (isOlder(resourceVersion, this.#objectVersion ?? this.#startVersion)) return ReadState.more;
    if (!putBookmark(this.#sink, resourceVersion)) return ReadState.full;
    this.#followed(resourceVersion);
    return this.#sink.skipped === 0 ? ReadState.more : this.#failForSkipped();
  }

  #followed(resourceVersion: string): void {
    this.#objectEvents++;
    if (resourceVersion !== '') this.#objectVersion = resourceVersion;
  }

  #fail(object: unknown): ReadState {
    this.status = isMap(object) ? (object as ApiStatus) : { message: 'an ERROR event without a Status' };
    return ReadState.failed;
  }

  /** Objects found no room: only a list brings them, and shows what has gone meanwhile. */
  #failForSkipped(): ReadState {
    const message = `the object memory had no room for ${this.#sink.skipped} objects or changes`;
    this.problem = { code: 'arena-full', message };
    this.#sink.skipped = 0;
    return ReadState.failed;
  }

  #report(code: string, what: string): void {
    this.#bad.add({ code, message: `a watch event can't be used: ${what}` });
  }
}
