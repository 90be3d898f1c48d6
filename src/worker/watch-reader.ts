/** Reads a watch stream: frames and scans its events, and puts each on the ring. */
import { RecordKind } from '../layout/ring.ts';
import { SCAN_EVENT_TYPE, SCAN_OBJECT_END, SCAN_OBJECT_START } from '../layout/scan.ts';
import { type ApiStatus, type BodyProblem, ReadState, type WatchReader } from '../reflector/index.ts';
import { Step, WatchFramer } from '../scan/index.ts';
import { BadObjects, problemOf } from './bad-objects.ts';
import { PutResult } from './delta-writer.ts';
import type { ReflectorSink } from './sink.ts';

/** Event types by their first letter; the length settles the rest. */
const LETTER_A = 0x41;
const LETTER_M = 0x4d;
const LETTER_D = 0x44;
const LETTER_B = 0x42;
const LETTER_E = 0x45;

/** Not a record kind: the ERROR event. */
const ERROR_EVENT = -1;
const UNKNOWN_EVENT = 0;

export class ScanWatchReader implements WatchReader {
  events = 0;
  lastResourceVersion: string | undefined;
  status: ApiStatus | undefined;
  problem: BodyProblem | undefined;

  readonly #sink: ReflectorSink;
  readonly #framer: WatchFramer;
  readonly #bad: BadObjects;

  constructor(sink: ReflectorSink) {
    this.#sink = sink;
    this.#framer = new WatchFramer(sink.options.engine, sink.options.program);
    this.#bad = new BadObjects(sink.options.what, sink.options.tell);
  }

  push(chunk: Uint8Array): void {
    this.#framer.push(chunk);
  }

  end(): void {
    this.#framer.end();
  }

  read(): ReadState {
    const { writer } = this.#sink.options;
    // Replaced bodies come back all the time: their room is used before the arena grows.
    writer.takeReleases();
    const state = this.#readEvents();
    writer.flush();
    if (state === ReadState.done || state === ReadState.failed) this.close();
    return state;
  }

  close(): void {
    this.#bad.close();
    this.#framer.close();
  }

  #readEvents(): ReadState {
    for (;;) {
      const step = this.#framer.next();
      if (step === Step.event) {
        const state = this.#putEvent();
        if (state !== ReadState.more) return state;
      } else if (step === Step.bad) {
        const problem = this.#framer.problem!;
        if (problem.reason === 'truncated') {
          // The connection was cut inside an event: the next watch gets it again, so nothing is bad.
          this.problem = problemOf(problem);
          return ReadState.failed;
        }
        this.#bad.add(problemOf(problem));
      } else if (step === Step.more) {
        return ReadState.more;
      } else if (step === Step.done) {
        return ReadState.done;
      } else {
        this.problem = problemOf(this.#framer.problem!);
        return ReadState.failed;
      }
    }
  }

  /** `more` when the event was used, `full` when the framer has to give it again, `failed` at the end. */
  #putEvent(): ReadState {
    const kind = this.#eventKind();
    if (kind === ERROR_EVENT) return this.#fail();
    const { draft } = this.#sink.options;
    const wrong = draft.take(kind === RecordKind.bookmark ? undefined : this.#sink.typeMeta);
    if (kind === RecordKind.bookmark)
      return this.#putBookmark(wrong === undefined || draft.resourceVersionLength > 0);
    if (kind === UNKNOWN_EVENT) {
      this.#bad.add({ code: 'unknown-event', message: 'the type of a watch event is none that is known' });
      return ReadState.more;
    }
    if (wrong !== undefined) {
      this.#bad.add({ code: 'bad-object', message: `the object of a watch event can't be used: ${wrong}` });
      return ReadState.more;
    }
    return this.#put(kind);
  }

  #put(kind: number): ReadState {
    const { draft, writer, source } = this.#sink.options;
    for (;;) {
      let result = writer.putObject(kind, source, draft);
      if (result === PutResult.ok && this.#sink.isStarved) this.#sink.fed(draft.bodyLength);
      if (result === PutResult.arenaFull && kind === RecordKind.deleted) {
        // A delete makes room, so it may not wait for room: the last state that was cached will do.
        result = writer.putIdentity(kind, source, draft);
      }
      if (result === PutResult.ok) {
        this.events++;
        this.lastResourceVersion = draft.resourceVersion;
        this.#note(kind);
        return ReadState.more;
      }
      if (result === PutResult.arenaFull && this.#sink.isStarved) {
        // The deletes that make room come later on this stream: go on, and list again after the next bookmark.
        this.#sink.skipped++;
        this.#sink.ledger.delete(draft.hashLo, draft.hashHi);
        return ReadState.more;
      }
      if (this.#sink.waitFor(result, draft.bodyLength)) {
        this.#framer.unread();
        return ReadState.full;
      }
    }
  }

  /** Keeps the ledger at what was put. */
  #note(kind: number): void {
    const { draft } = this.#sink.options;
    const { ledger } = this.#sink;
    if (kind !== RecordKind.deleted && draft.hashVersion()) {
      ledger.set(draft.hashLo, draft.hashHi, draft.versionLo, draft.versionHi);
    } else {
      ledger.delete(draft.hashLo, draft.hashHi);
    }
  }

  #putBookmark(hasResourceVersion: boolean): ReadState {
    if (!hasResourceVersion) {
      this.#bad.add({ code: 'bad-bookmark', message: 'a bookmark has no metadata.resourceVersion' });
      return ReadState.more;
    }
    const { draft, writer, source } = this.#sink.options;
    const resourceVersion = draft.resourceVersion;
    for (;;) {
      const result = writer.putControl(RecordKind.bookmark, source, resourceVersion, '');
      if (result === PutResult.ok) {
        this.events++;
        this.lastResourceVersion = resourceVersion;
        return this.#sink.skipped === 0 ? ReadState.more : this.#failForSkipped();
      }
      if (this.#sink.waitFor(result)) {
        this.#framer.unread();
        return ReadState.full;
      }
    }
  }

  /** Objects found no room: only a list brings them, and shows what has gone meanwhile. */
  #failForSkipped(): ReadState {
    const message = `the object memory had no room for ${this.#sink.skipped} objects or changes`;
    this.problem = { code: 'arena-full', message };
    this.#sink.skipped = 0;
    return ReadState.failed;
  }

  #fail(): ReadState {
    const { bytes, words, resultWord } = this.#sink.options.engine;
    const start = words[resultWord + SCAN_OBJECT_START]!;
    const end = words[resultWord + SCAN_OBJECT_END]!;
    try {
      this.status = JSON.parse(bytes.toString('utf8', start, end)) as ApiStatus;
    } catch {
      this.status = { message: 'the server sent an ERROR event whose Status is not JSON' };
    }
    return ReadState.failed;
  }

  #eventKind(): number {
    const { bytes, words, resultWord } = this.#sink.options.engine;
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
