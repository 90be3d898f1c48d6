import { isUtf8 } from 'node:buffer';
import {
  SCAN_COMPLETE,
  SCAN_EVENT_TYPE,
  SCAN_FLAG_NON_ASCII,
  SCAN_FLAGS,
  SCAN_INCOMPLETE,
  SCAN_OBJECT_END,
  SCAN_OBJECT_START,
  SCAN_STOP,
} from '../layout/scan.ts';
import { Backlog } from './backlog.ts';
import type { LoadedProgram, ScanEngine } from './engine.ts';
import { EventLines, Lines } from './event-lines.ts';
import { hasReadableIdentity, keyText } from './result.ts';
import {
  byteText,
  checkedLimit,
  DEFAULT_MAX_OBJECT_BYTES,
  describeProblem,
  type FramerOptions,
  type ScanProblem,
  type ScanProblemReason,
  Step,
} from './step.ts';

const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const SPACE = 0x20;

/** What an event has besides its object and the text of its type, at least. */
const FRAME_BYTES = '{"type":"","object":}'.length;

/** No step yet: go on with what is there. */
const GO_ON = -1;

/**
 * How often all bytes of a stream may be read again because an event over several lines turned out broken.
 * Lines that are read again could hold a good event; above this they are given up, so that no stream costs
 * more than in proportion to its length.
 */
const RESCAN_FACTOR = 8;

/**
 * Frames a watch stream: gives its events one by one. An event is one line, or several when the server
 * prints it prettily. Chunks may be cut anywhere.
 *
 * A broken line is reported once, with all that follows up to the next good event.
 */
export class WatchFramer {
  readonly #engine: ScanEngine;
  readonly #program: LoadedProgram;
  readonly #backlog: Backlog;
  readonly #maxObjectBytes: number;
  #isEnded = false;
  /** Whether there may be something to find in what was pushed. */
  #hasWork = true;
  /** So many bytes of the backlog are known to hold no newline. */
  #searchedBytes = 0;
  /** The event that did not end on its first line. */
  #lines: EventLines | undefined;
  /** How much of the backlog `#lines` has followed. */
  #followedBytes = 0;
  #firstLineBytes = 0;
  /** What is passed over without being kept: an event's lines, or a line that is none. */
  #skipped: EventLines | 'line' | undefined;
  #rescannedBytes = 0;
  #isInGarbage = false;
  #problem: ScanProblem | undefined;
  #hasIdentity = false;
  /** Length of the event that was given last. */
  #lastBytes = 0;

  constructor(engine: ScanEngine, program: LoadedProgram, options: FramerOptions = {}) {
    this.#engine = engine;
    this.#program = program;
    this.#backlog = new Backlog(engine.window);
    this.#maxObjectBytes = checkedLimit('maxObjectBytes', options.maxObjectBytes ?? DEFAULT_MAX_OBJECT_BYTES);
  }

  /** What was wrong when `next` last said `bad`. */
  get problem(): ScanProblem | undefined {
    return this.#problem;
  }

  /** After `bad`: the engine's result holds the event's identity, though its body can't be used. */
  get hasIdentity(): boolean {
    return this.#hasIdentity;
  }

  /** Gives the next bytes of the stream. They are copied. */
  push(chunk: Uint8Array): void {
    if (this.#isEnded) throw new Error('a watch framer got bytes behind the end of its stream');
    if (chunk.length === 0) return;
    const backlog = this.#backlog;
    if (!backlog.isInWindow) {
      // Without a newline there is nothing to scan yet, and the window can stay with whoever has it.
      this.#hasWork ||=
        this.#lines !== undefined ||
        this.#skipped !== undefined ||
        backlog.length + chunk.length > this.#maxObjectBytes ||
        chunk.includes(NEWLINE);
      if (this.#hasWork) backlog.take();
    }
    this.#hasWork ||= backlog.isInWindow;
    backlog.append(chunk);
  }

  /** The stream has ended. */
  end(): void {
    this.#isEnded = true;
    this.#hasWork = true;
  }

  /** Gives up: nothing more will be read. The window is free for others. */
  close(): void {
    this.#backlog.drop();
    this.#isEnded = true;
    this.#hasWork = false;
    this.#lines = undefined;
    this.#skipped = undefined;
  }

  /**
   * Lets `next` give the last event again: the caller found no room for it. Only after an `event`, and before
   * anything else is called.
   */
  unread(): void {
    this.#backlog.unconsume(this.#lastBytes);
    this.#searchedBytes = 0;
    this.#hasWork = true;
  }

  /** Goes on to the next event or problem. See {@link Step}. */
  next(): Step {
    this.#hasIdentity = false;
    if (!this.#hasWork) return this.#isEnded ? Step.done : Step.more;
    if (this.#backlog.length > 0) this.#backlog.take();
    let step: Step | typeof GO_ON;
    do {
      if (this.#skipped !== undefined) step = this.#skip(this.#skipped);
      else if (this.#lines !== undefined) step = this.#followLines(this.#lines);
      else step = this.#readLine();
    } while (step === GO_ON);
    this.#hasWork = step !== Step.more && step !== Step.done;
    return step;
  }

  #readLine(): Step | typeof GO_ON {
    const engine = this.#engine;
    const backlog = this.#backlog;
    const end = backlog.end;
    const at = this.#passSpaces(end);
    if (at === end) return this.#isEnded ? Step.done : Step.more;

    const newline = engine.wasm.lineEnd(at + this.#searchedBytes, end);
    const stop = newline === 0 ? end : newline;
    this.#searchedBytes = stop - at;
    const isLarge = stop - at > this.#maxObjectBytes;
    if (newline === 0 && !this.#isEnded && !isLarge) return Step.more;
    if (engine.bytes[at] !== OPEN_BRACE) {
      const what = `${byteText(engine.bytes[at]!)} can't begin an event`;
      if (isLarge) this.#skipped = 'line';
      return this.#giveUp(isLarge ? at : stop, 'malformed', at, what);
    }
    const status = engine.scan(this.#program.eventNode, at, stop);
    const eventStop = status === SCAN_COMPLETE ? engine.resultAt(SCAN_STOP) : stop;
    if (eventStop - at > this.#maxObjectBytes) return this.#skipLarge(at, new EventLines());
    if (status === SCAN_COMPLETE) return this.#takeEvent(at);
    if (status === SCAN_INCOMPLETE && newline !== 0) {
      this.#lines = new EventLines();
      this.#followedBytes = 0;
      this.#firstLineBytes = stop + 1 - at;
      return GO_ON;
    }
    if (status === SCAN_INCOMPLETE)
      return this.#giveUp(stop, 'truncated', at, 'the stream ends inside an event', true);
    return this.#giveUp(stop, 'malformed', engine.resultAt(SCAN_STOP), 'an event is not JSON', true);
  }

  /** Forgets white space at the start of the backlog, and returns where it starts then. */
  #passSpaces(end: number): number {
    const start = this.#backlog.start;
    if (start === end || this.#engine.bytes[start]! > SPACE) return start;
    const at = this.#engine.wasm.skipSpaces(start, end);
    this.#consumeTo(at);
    return at;
  }

  /** The scan of the event at `at` was complete. */
  #takeEvent(at: number): Step | typeof GO_ON {
    const engine = this.#engine;
    const stop = engine.resultAt(SCAN_STOP);
    if (engine.resultAt(SCAN_EVENT_TYPE + 1) === 0 || engine.resultAt(SCAN_OBJECT_END) === 0) {
      return this.#giveUp(stop, 'not-an-event', at, 'a line has no type or no object', true);
    }
    if (!this.#isJsonAround(at, stop)) {
      return this.#giveUp(stop, 'malformed', at, 'an event is not JSON beside its object', true);
    }
    this.#consumeTo(stop);
    this.#lastBytes = stop - at;
    this.#isInGarbage = false;
    if ((engine.resultAt(SCAN_FLAGS) & SCAN_FLAG_NON_ASCII) === 0) return Step.event;
    if (isUtf8(engine.bytes.subarray(at, stop))) return Step.event;
    this.#hasIdentity = hasReadableIdentity(engine);
    this.#problem = this.#describe('invalid-utf8', at, 'an event is not UTF-8', true);
    return Step.bad;
  }

  /**
   * Whether the event is JSON apart from its object, which is looked at when it is decoded. The scanner goes over members
   * that it does not know by their brackets; there are none unless there are more bytes than any event needs.
   */
  #isJsonAround(at: number, stop: number): boolean {
    const engine = this.#engine;
    const begin = engine.resultAt(SCAN_OBJECT_START);
    const end = engine.resultAt(SCAN_OBJECT_END);
    const typeBytes = engine.resultAt(SCAN_EVENT_TYPE + 1) - engine.resultAt(SCAN_EVENT_TYPE);
    if (begin - at + (stop - end) === FRAME_BYTES + typeBytes) return true;
    try {
      JSON.parse(
        `${engine.bytes.toString('latin1', at, begin)}{}${engine.bytes.toString('latin1', end, stop)}`,
      );
      return true;
    } catch {
      return false;
    }
  }

  /** Passes over what is no event, and says so unless it belongs to what was reported before. */
  #giveUp(
    to: number,
    reason: ScanProblemReason,
    at: number,
    what: string,
    hasKey = false,
  ): Step | typeof GO_ON {
    const wasInGarbage = this.#isInGarbage;
    if (!wasInGarbage) this.#problem = this.#describe(reason, at, what, hasKey);
    this.#isInGarbage = true;
    this.#consumeTo(to);
    return wasInGarbage ? GO_ON : Step.bad;
  }

  #followLines(lines: EventLines): Step | typeof GO_ON {
    const engine = this.#engine;
    const backlog = this.#backlog;
    const at = backlog.start;
    const verdict = lines.follow(engine, at + this.#followedBytes, backlog.end);
    this.#followedBytes = lines.stop - at;
    if (verdict === Lines.broken) return this.#startAgain('malformed', lines.stop, 'an event is not JSON');
    if (verdict !== Lines.closed) {
      if (this.#followedBytes > this.#maxObjectBytes) return this.#skipLarge(at, lines);
      if (verdict === Lines.goOn) return GO_ON;
      return this.#isEnded ? this.#startAgain('truncated', at, 'the stream ends inside an event') : Step.more;
    }
    const status = engine.scan(this.#program.eventNode, at, lines.stop);
    if (status !== SCAN_COMPLETE)
      return this.#startAgain('malformed', engine.resultAt(SCAN_STOP), 'an event is not JSON');
    this.#lines = undefined;
    if (this.#followedBytes > this.#maxObjectBytes) {
      const step = this.#giveUp(lines.stop, 'too-large', at, this.#tooLargeText(), true);
      this.#isInGarbage = false;
      return step;
    }
    return this.#takeEvent(at);
  }

  /** The first of the lines was broken; those behind it may be good. */
  #startAgain(reason: ScanProblemReason, wrongAt: number, what: string): Step | typeof GO_ON {
    this.#lines = undefined;
    this.#rescannedBytes += this.#followedBytes - this.#firstLineBytes;
    const isTooOften = this.#rescannedBytes > RESCAN_FACTOR * this.#backlog.receivedBytes;
    const bytes = isTooOften ? this.#followedBytes : this.#firstLineBytes;
    return this.#giveUp(this.#backlog.start + bytes, reason, wrongAt, what);
  }

  /** The event at `at` is too large to be kept. */
  #skipLarge(at: number, lines: EventLines): Step | typeof GO_ON {
    const followed = this.#lines === undefined ? at : at + this.#followedBytes;
    this.#lines = undefined;
    this.#skipped = lines;
    return this.#giveUp(followed, 'too-large', at, this.#tooLargeText(), true);
  }

  #skip(skipped: EventLines | 'line'): Step | typeof GO_ON {
    const backlog = this.#backlog;
    const { start, end } = backlog;
    if (skipped === 'line') {
      const newline = this.#engine.wasm.lineEnd(start, end);
      this.#consumeTo(newline === 0 ? end : newline);
      if (newline !== 0) this.#skipped = undefined;
    } else {
      const verdict = skipped.follow(this.#engine, start, end);
      this.#consumeTo(skipped.stop);
      if (verdict === Lines.closed || verdict === Lines.broken) this.#skipped = undefined;
      if (verdict === Lines.closed) this.#isInGarbage = false;
    }
    if (this.#skipped === undefined || backlog.length > 0) return GO_ON;
    return this.#isEnded ? Step.done : Step.more;
  }

  #consumeTo(address: number): void {
    this.#searchedBytes = Math.max(0, this.#searchedBytes - (address - this.#backlog.start));
    this.#backlog.consumeTo(address);
  }

  #tooLargeText(): string {
    return `an event has more than ${this.#maxObjectBytes} bytes (maxObjectBytes)`;
  }

  #describe(reason: ScanProblemReason, address: number, what: string, hasKey: boolean): ScanProblem {
    return describeProblem(
      reason,
      this.#backlog.bodyByte(address),
      what,
      hasKey ? keyText(this.#engine) : undefined,
    );
  }
}
