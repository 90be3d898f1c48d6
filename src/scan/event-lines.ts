/**
 * The slow path of a watch: an event that does not end on its first line. It is pretty-printed, or broken.
 * Brackets and strings are followed line by line, each byte once, whatever the chunks.
 */
import { SCAN_NEST_IN_STRING } from '../layout/scan.ts';
import { NEST_BROKEN, NEST_OPEN, newNestState, type ScanEngine } from './engine.ts';

const SPACE = 0x20;

/** What following said. */
export const Lines = {
  /** All bytes are followed, and the event may go on. */
  wait: 0,
  /** It goes on with the next line. */
  goOn: 1,
  /** Its last bracket is closed: it ends at `stop`. */
  closed: 2,
  /** The lines can't be one event. */
  broken: 3,
} as const;

export type Lines = (typeof Lines)[keyof typeof Lines];

export class EventLines {
  /** Address of the first byte that is not followed yet, or where it was found to be closed or broken. */
  stop = 0;
  readonly #nest = newNestState();
  /** The last byte that is no white space. */
  #lastByte = 0;
  /** A line has ended, and whether the event goes on depends on what comes next. */
  #isAtLineEnd = false;

  /** Goes on at `begin`, which is where `stop` was, though the bytes may have moved. */
  follow(engine: ScanEngine, begin: number, end: number): Lines {
    let at = begin;
    if (!this.#isAtLineEnd) {
      const newline = engine.wasm.lineEnd(begin, end);
      at = newline === 0 ? end : newline;
      const close = engine.followNest(this.#nest, begin, at);
      this.stop = close === NEST_BROKEN ? engine.wasm.failure() : close === NEST_OPEN ? at : close;
      if (close === NEST_BROKEN) return Lines.broken;
      if (close !== NEST_OPEN) return Lines.closed;
      this.#lastByte = lastByte(engine.bytes, begin, at) || this.#lastByte;
      if (newline === 0) return Lines.wait;
      // JSON strings hold no raw newline: the line was cut off.
      if ((this.#nest.bits & SCAN_NEST_IN_STRING) !== 0) return Lines.broken;
      this.#isAtLineEnd = true;
    }
    this.stop = engine.wasm.skipSpaces(at, end);
    if (this.stop === end) return Lines.wait;
    this.#isAtLineEnd = false;
    return canBreak(this.#lastByte, engine.bytes[this.stop]!) ? Lines.goOn : Lines.broken;
  }
}

/** The last byte that is no white space, or 0. */
function lastByte(bytes: Buffer, begin: number, end: number): number {
  for (let at = end - 1; at >= begin; at--) {
    if (bytes[at]! > SPACE) return bytes[at]!;
  }
  return 0;
}

/** Whether a printer breaks the line between these two: behind an opening or a separator, before a closing. */
function canBreak(before: number, behind: number): boolean {
  const opens = before === 0x7b || before === 0x5b || before === 0x2c || before === 0x3a;
  const closes = behind === 0x7d || behind === 0x5d || behind === 0x2c;
  return opens || closes;
}
