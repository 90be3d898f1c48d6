/** Reads a watch stream: frames and scans its events, and puts each on the ring. */
import { RecordKind } from '../layout/ring.ts';
import { SCAN_EVENT_TYPE, SCAN_OBJECT_END, SCAN_OBJECT_START } from '../layout/scan.ts';
import {
  type ApiStatus,
  type BodyProblem,
  isOlder,
  ReadState,
  type WatchReader,
  type WatchStart,
} from '../reflector/index.ts';
import { WatchFramer } from '../scan/index.ts';
import { problemOf } from './bad-objects.ts';
import { isKnownVersion, putBookmark, putChange, putItem, putMark } from './put.ts';
import { ScanReader } from './scan-reader.ts';
import type { ReflectorSink } from './sink.ts';

/**
 * Bookmarks and errors are some hundred bytes. V8 ends the whole process, not only this thread, when one parse takes the
 * heap far beyond its limit, so a server must not choose how much is parsed.
 */
const MAX_PARSED_BYTES = 1024 * 1024;

/** Event types by their first letter; the length settles the rest. */
const LETTER_A = 0x41;
const LETTER_M = 0x4d;
const LETTER_D = 0x44;
const LETTER_B = 0x42;
const LETTER_E = 0x45;

/** Not record kinds. */
const ERROR_EVENT = -1;
const UNKNOWN_EVENT = 0;

/** Says, with the value `true`, that a bookmark is the marker behind the initial events. Source: KEP-3157. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export class ScanWatchReader extends ScanReader<WatchFramer> implements WatchReader {
  events = 0;
  lastResourceVersion: string | undefined;
  status: ApiStatus | undefined;

  /** Version at which it began. */
  readonly #startVersion: string;
  /** Before the marker: objects are items of the Replace that is open. */
  #isInitial: boolean;

  constructor(sink: ReflectorSink, { initial, resourceVersion }: WatchStart) {
    super(sink, new WatchFramer(sink.options.engine, sink.options.program));
    this.#isInitial = initial;
    this.#startVersion = resourceVersion;
  }

  protected override useObject(): ReadState {
    const kind = this.#eventKind();
    if (kind === ERROR_EVENT) return this.#fail();
    if (kind === RecordKind.bookmark) return this.#useBookmark();
    if (kind === UNKNOWN_EVENT) {
      this.bad.add({ code: 'unknown-event', message: 'the type of a watch event is none that is known' });
      return ReadState.more;
    }
    const { draft } = this.sink.options;
    // A stream that begins with the objects says their type with each of them, a list with its first line.
    this.sink.typeMeta ??= draft.typeMetaOfObject();
    const wrong = draft.take(this.sink.typeMeta);
    if (wrong !== undefined) {
      this.bad.add({ code: 'bad-object', message: `the object of a watch event can't be used: ${wrong}` });
      return ReadState.more;
    }
    if (this.#isInitial && kind !== RecordKind.deleted) {
      if (!putItem(this.sink, draft, isKnownVersion(this.sink, draft))) return ReadState.full;
    } else {
      draft.hashVersion();
      if (!putChange(this.sink, kind, draft)) return ReadState.full;
      this.lastResourceVersion = draft.resourceVersion;
    }
    this.events++;
    this.sink.cameGood();
    return ReadState.more;
  }

  protected override useBad(): ReadState {
    const problem = this.framer.problem!;
    if (problem.reason === 'truncated') {
      // The connection was cut inside an event: the next watch gets it again, so nothing is bad.
      this.problem = problemOf(problem);
      return ReadState.failed;
    }
    const told = problemOf(problem);
    const { draft } = this.sink.options;
    // As in a list: a broken object that can be told apart must not seem deleted.
    if (this.#isInitial && this.framer.hasIdentity && draft.take(undefined) === undefined) {
      if (!putMark(this.sink, draft)) return ReadState.full;
      this.bad.add(told);
      return ReadState.more;
    }
    // It may have been garbled on its way. What it said must not be lost: the next watch gets it again.
    this.problem = this.sink.isBadForTheFirstTime() ? told : brokenAgain(told);
    return ReadState.failed;
  }

  #useBookmark(): ReadState {
    const { draft } = this.sink.options;
    draft.take(undefined);
    if (draft.resourceVersionLength === 0) {
      this.bad.add({ code: 'bad-bookmark', message: 'a bookmark has no metadata.resourceVersion' });
      return ReadState.more;
    }
    const resourceVersion = draft.resourceVersion;
    if (this.#isInitial) {
      if (!this.#isMarker()) return ReadState.more;
      this.#isInitial = false;
      this.sink.typeMeta ??= draft.typeMetaOfObject();
      this.lastResourceVersion = resourceVersion;
      return ReadState.initialEnd;
    }
    // A late one: the cache knows more. To go back to it would be to forget that.
    if (isOlder(resourceVersion, this.lastResourceVersion ?? this.#startVersion)) return ReadState.more;
    if (!putBookmark(this.sink, resourceVersion)) return ReadState.full;
    this.events++;
    this.sink.cameGood();
    this.lastResourceVersion = resourceVersion;
    // Until there is room the watch goes on: the deletes that make it come here.
    const mustList = this.sink.skipped > 0 && this.sink.hasRoomAgain();
    return mustList ? this.#failForSkipped() : ReadState.more;
  }

  #isMarker(): boolean {
    const bookmark = this.#parseObject() as { metadata?: { annotations?: Record<string, unknown> } };
    return bookmark.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
  }

  /** Objects found no room: only a list brings them, and shows what has gone meanwhile. */
  #failForSkipped(): ReadState {
    const message = `the object memory had no room for ${this.sink.skipped} objects or changes, and has some again`;
    this.problem = { code: 'room-again', message };
    this.sink.skipped = 0;
    return ReadState.failed;
  }

  #fail(): ReadState {
    this.status = this.#parseObject() as ApiStatus;
    return ReadState.failed;
  }

  /** The object of a bookmark or error: rare, and small unless something is wrong. */
  #parseObject(): object {
    const { bytes, words, resultWord } = this.sink.options.engine;
    const start = words[resultWord + SCAN_OBJECT_START]!;
    const end = words[resultWord + SCAN_OBJECT_END]!;
    if (end - start > MAX_PARSED_BYTES) {
      return { message: `the server sent an event of ${end - start} bytes that should be small` };
    }
    try {
      return JSON.parse(bytes.toString('utf8', start, end)) as object;
    } catch {
      return { message: 'the server sent an event whose object is not JSON' };
    }
  }

  #eventKind(): RecordKind | typeof ERROR_EVENT | typeof UNKNOWN_EVENT {
    const { bytes, words, resultWord } = this.sink.options.engine;
    const start = words[resultWord + SCAN_EVENT_TYPE]!;
    const length = words[resultWord + SCAN_EVENT_TYPE + 1]! - start;
    const letter = bytes[start];
    if (length === 5 && letter === LETTER_A) return RecordKind.added;
    if (length === 8 && letter === LETTER_M) return RecordKind.modified;
    if (length === 7 && letter === LETTER_D) return RecordKind.deleted;
    if (length === 8 && letter === LETTER_B) return RecordKind.bookmark;
    if (length === 5 && letter === LETTER_E) return ERROR_EVENT;
    return UNKNOWN_EVENT;
  }
}

/** Only a list shows what an event says that is broken each time that it comes. */
function brokenAgain({ message }: BodyProblem): BodyProblem {
  return { code: 'broken-again', message: `${message}, as when it came before` };
}
