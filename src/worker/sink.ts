/**
 * The DeltaSink of one reflector: its readers scan bodies and put objects on the worker's ring. Also keeps
 * the waiting: a full ring, an arena at its limit.
 */
import { RecordKind } from '../layout/ring.ts';
import type {
  DeltaSink,
  ListEnvelope,
  ListReader,
  ReflectorNotice,
  WatchReader,
  WatchStart,
} from '../reflector/index.ts';
import type { LoadedProgram, ScanEngine } from '../scan/index.ts';
import { type DeltaWriter, PutResult } from './delta-writer.ts';
import { Ledger } from './ledger.ts';
import { ScanListReader } from './list-reader.ts';
import type { ObjectDraft, TypeMeta } from './object-draft.ts';
import { ScanWatchReader } from './watch-reader.ts';

/**
 * How long an arena at its limit may give nothing back before its content counts as all live. The home
 * thread releases within milliseconds unless a handler holds on to what it got.
 */
const ARENA_PATIENCE_MS = 2000;

export interface SinkOptions {
  readonly source: number;
  /** Names the resource in messages, for example `pods.v1`. */
  readonly what: string;
  readonly engine: ScanEngine;
  readonly program: LoadedProgram;
  readonly draft: ObjectDraft;
  readonly writer: DeltaWriter;
  readonly tell: (notice: ReflectorNotice) => void;
  /** The scanner trapped: its memory can't be trusted any more, nor can what this worker does with it. */
  readonly onTrap: (error: Error) => void;
  /** Calls back once after a delay; the result cancels. */
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  /** Told each time that a reader has to wait: for the ring, or for the arena. */
  readonly onWait?: (isForRing: boolean) => void;
  /** Says who holds how much of the arena, for the message when it is at its limit. */
  readonly describeArena: (wantedBytes: number) => string;
}

export class ReflectorSink implements DeltaSink {
  onSpace: (() => void) | undefined;
  /** What was put on the ring last, for lists to come. */
  readonly ledger = new Ledger();
  /** Type of the resource's objects, once a list has said it. */
  typeMeta: TypeMeta | undefined;
  /** Objects and changes that found no room since they were last told of. */
  skipped = 0;
  /** A watch was ended because of a broken event, and nothing good came since. */
  #hadBadEvent = false;

  readonly options: SinkOptions;
  #isWaiting = false;
  #isStarved = false;
  /** Length of the body for which room was waited last. */
  #wantedBytes = 0;
  #cancelPatience: (() => void) | undefined;
  /** Records that it had put when it began to wait. */
  #patientPuts = 0;

  constructor(options: SinkOptions) {
    this.options = options;
  }

  beginReplace(): boolean {
    if (!this.#putControl(RecordKind.replaceBegin, '', '')) return false;
    this.ledger.beginSweep();
    return true;
  }

  openList(): ListReader {
    return new ScanListReader(this);
  }

  endReplace(resourceVersion: string, envelope: ListEnvelope): boolean {
    const { kind, apiVersion } = this.typeMeta ?? envelope;
    const body = JSON.stringify({ kind, apiVersion });
    if (!this.#putControl(RecordKind.replaceEnd, resourceVersion, body)) return false;
    this.ledger.endSweep();
    this.#hadBadEvent = false;
    return true;
  }

  openWatch(start: WatchStart): WatchReader {
    return new ScanWatchReader(this, start);
  }

  notice(notice: ReflectorNotice): void {
    this.options.tell(notice);
  }

  /** Whether the arena is at its limit with nothing but live objects: do with less. */
  get isStarved(): boolean {
    return this.#isStarved;
  }

  /**
   * Arranges for `onSpace` after a put that found no room.
   *
   * @param bytes - length of the body that found none
   * @returns false when there is room already: try again now
   */
  waitFor(result: PutResult, bytes = 0): boolean {
    const { writer } = this.options;
    // What was put so far must be seen: the home thread can only give back what it was given.
    writer.flush();
    if (result === PutResult.ringFull) {
      this.#endPatience();
      this.#isWaiting = writer.waitForSpace(this.options.source);
      if (this.#isWaiting) this.options.onWait?.(true);
      return this.#isWaiting;
    }
    this.#isWaiting = writer.waitForRelease();
    if (this.#isWaiting) this.options.onWait?.(false);
    // Starved already, only small blocks are tried, and even the reserve for these is used up: wait for a release.
    if (this.#isStarved) return this.#isWaiting;
    this.#wantedBytes = bytes;
    if (this.#isWaiting) this.#bePatient();
    return this.#isWaiting;
  }

  /** An event of a watch is broken. False when the watch before ended because of that already, at the same place. */
  isBadForTheFirstTime(): boolean {
    const isFirst = !this.#hadBadEvent;
    this.#hadBadEvent = true;
    return isFirst;
  }

  /** An event of a watch could be used. */
  cameGood(): void {
    this.#hadBadEvent = false;
  }

  /** A `space` message came. */
  spaceCame(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.onSpace?.();
  }

  /** A body of this length found room. When it is as long as the one that starved us, there is room again. */
  fed(bytes: number): void {
    if (bytes >= this.#wantedBytes) this.#isStarved = false;
  }

  /** Whether there is room again for what found none; asked now and then, while objects are left out. */
  hasRoomAgain(): boolean {
    if (!this.options.writer.hasRoomFor(this.#wantedBytes, this.options.source)) return false;
    this.#isStarved = false;
    return true;
  }

  close(): void {
    this.#endPatience();
    this.#isWaiting = false;
  }

  /** What others give back is no reason to wait any longer: only what was put since is. */
  #bePatient(): void {
    const puts = this.options.writer.shares.putsOf(this.options.source);
    if (puts !== this.#patientPuts) this.#endPatience();
    this.#patientPuts = puts;
    this.#cancelPatience ??= this.options.setTimer(ARENA_PATIENCE_MS, () => this.#starve());
  }

  #endPatience(): void {
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
  }

  #starve(): void {
    this.#cancelPatience = undefined;
    // It went on meanwhile.
    if (!this.#isWaiting) return;
    this.#isStarved = true;
    if (this.skipped === 0) this.#tellStarved();
    this.#isWaiting = false;
    this.onSpace?.();
  }

  #tellStarved(): void {
    const message =
      `${this.options.what}: the object memory is at its limit and everything in it is live (` +
      `${this.options.describeArena(this.#wantedBytes)}); objects are left out until there is room. ` +
      'Raise memoryLimitBytes, or keep less with project, selectors or a namespace';
    this.notice({ type: 'error', code: 'arena-full', message });
  }

  #putControl(kind: number, resourceVersion: string, body: string): boolean {
    const { writer, source } = this.options;
    for (;;) {
      const result = writer.putControl(kind, source, resourceVersion, body);
      if (result === PutResult.ok) {
        writer.flush();
        return true;
      }
      if (this.waitFor(result)) return false;
    }
  }
}
