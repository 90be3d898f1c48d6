import { isUtf8 } from 'node:buffer';
import { SCAN_COMPLETE, SCAN_FLAG_NON_ASCII, SCAN_FLAGS, SCAN_MALFORMED, SCAN_STOP } from '../layout/scan.ts';
import { type LoadedProgram, NEST_BROKEN, NEST_OPEN, newNestState } from './engine.ts';
import { GO_ON, type ListSource } from './list-source.ts';
import { hasReadableIdentity, keyText } from './result.ts';
import { type ScanProblem, Step } from './step.ts';

const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;

/** The array of items has ended. */
export const ITEMS_END = -2;

/** Where in the items the next byte stands. */
const Place = {
  firstOrEnd: 0,
  item: 1,
  behindItem: 2,
  /** Inside an item that is passed over by its brackets. */
  skipped: 3,
} as const;

/** Reads the elements of a list's `items`, from behind the opening bracket. */
export class ItemReader {
  readonly #source: ListSource;
  readonly #program: LoadedProgram;
  readonly #maxObjectBytes: number;
  #place: number = Place.firstOrEnd;
  #nest = newNestState();
  /** What is wrong with the item that is skipped; undefined when it was told already. */
  #untold: ScanProblem | undefined;
  /** Length of the item that was given last. */
  #lastBytes = 0;

  constructor(source: ListSource, program: LoadedProgram, maxObjectBytes: number) {
    this.#source = source;
    this.#program = program;
    this.#maxObjectBytes = maxObjectBytes;
  }

  /** Whether what comes next lies inside of an item, so that even white space matters. */
  get isSkipping(): boolean {
    return this.#place === Place.skipped;
  }

  /** Reads the token that begins with `byte` at `at`. */
  read(at: number, byte: number): Step | typeof GO_ON | typeof ITEMS_END {
    const source = this.#source;
    if (this.#place === Place.behindItem) {
      source.backlog.consumeTo(at + 1);
      this.#place = Place.item;
      if (byte === COMMA) return GO_ON;
      return byte === CLOSE_BRACKET ? ITEMS_END : source.failAt(at, 'behind an item');
    }
    if (byte === OPEN_BRACE) return this.#readObject(at);
    if (byte === CLOSE_BRACKET && this.#place === Place.firstOrEnd) {
      source.backlog.consumeTo(at + 1);
      return ITEMS_END;
    }
    return this.#readOther(at, byte);
  }

  /** The item that was given last is to be given again. */
  unread(): void {
    this.#place = Place.item;
    this.#source.backlog.unconsume(this.#lastBytes);
  }

  #readObject(at: number): Step | typeof GO_ON {
    const source = this.#source;
    const { engine, backlog } = source;
    const status = engine.scan(this.#program.objectNode, at, backlog.end);
    if (status === SCAN_MALFORMED) {
      const wrongAt = engine.resultAt(SCAN_STOP);
      this.#untold = source.describe('malformed', wrongAt, 'an item is not JSON', keyText(engine));
      return this.#startSkipping();
    }
    const stop = status === SCAN_COMPLETE ? engine.resultAt(SCAN_STOP) : backlog.end;
    if (stop - at > this.#maxObjectBytes) {
      this.#startSkipping();
      const what = `an item has more than ${this.#maxObjectBytes} bytes (maxObjectBytes)`;
      return source.bad(source.describe('too-large', at, what, keyText(engine)));
    }
    if (status !== SCAN_COMPLETE) return source.waitFor(this.#maxObjectBytes, keyText(engine));
    this.#place = Place.behindItem;
    this.#lastBytes = stop - at;
    backlog.consumeTo(stop);
    if ((engine.resultAt(SCAN_FLAGS) & SCAN_FLAG_NON_ASCII) === 0) return Step.item;
    if (isUtf8(engine.bytes.subarray(at, stop))) return Step.item;
    source.hasIdentity = hasReadableIdentity(engine);
    return source.bad(source.describe('invalid-utf8', at, 'an item is not UTF-8', keyText(engine)));
  }

  #readOther(at: number, byte: number): Step | typeof GO_ON {
    const source = this.#source;
    const { engine, backlog } = source;
    const problem = source.describe('not-an-object', at, 'an item is not an object');
    if (byte === OPEN_BRACKET) {
      this.#untold = problem;
      return this.#startSkipping();
    }
    const stop = engine.wasm.skipValue(at, backlog.end);
    if (stop === 0) {
      const failure = engine.wasm.failure();
      if (failure < backlog.end) return source.failAt(failure, 'in an item');
      if (backlog.length > this.#maxObjectBytes) return source.fail('too-large', at, 'an item is too large');
      return source.waitFor(this.#maxObjectBytes);
    }
    backlog.consumeTo(stop);
    this.#place = Place.behindItem;
    return source.bad(problem);
  }

  #startSkipping(): typeof GO_ON {
    this.#place = Place.skipped;
    this.#nest = newNestState();
    return GO_ON;
  }

  /** Goes on behind an item that can't be read, as far as its brackets tell where that is. */
  skip(): Step | typeof GO_ON {
    const source = this.#source;
    const { engine, backlog } = source;
    const stop = engine.followNest(this.#nest, backlog.start, backlog.end);
    if (stop === NEST_BROKEN) {
      const wrongAt = engine.wasm.failure();
      const what = 'a bracket closes one of another kind';
      return source.failWith(this.#untold ?? source.describe('malformed', wrongAt, what));
    }
    if (stop === NEST_OPEN) {
      backlog.consumeTo(backlog.end);
      if (!source.isEnded) return Step.more;
      const what = 'the body ends inside an item';
      return source.failWith(this.#untold ?? source.describe('truncated', backlog.end, what));
    }
    backlog.consumeTo(stop);
    this.#place = Place.behindItem;
    const untold = this.#untold;
    this.#untold = undefined;
    return untold === undefined ? GO_ON : source.bad(untold);
  }
}
