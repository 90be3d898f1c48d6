import { isUtf8 } from 'node:buffer';
import { Envelope } from './envelope.ts';
import { GO_ON, type ListSource } from './list-source.ts';
import { byteText, type Step } from './step.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const LETTER_N = 0x6e;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The next bytes are items. */
export const ITEMS_BEGIN = -3;

/** Where in the root object the next byte stands. */
const Place = {
  root: 0,
  memberOrEnd: 1,
  member: 2,
  colon: 3,
  value: 4,
  behindValue: 5,
  behindRoot: 6,
} as const;

/** Reads the root object of a list, all but the elements of its items. */
export class RootReader {
  readonly envelope = new Envelope();
  readonly #source: ListSource;
  readonly #maxEnvelopeBytes: number;
  #place: number = Place.root;
  #key = '';
  #hasItems = false;

  constructor(source: ListSource, maxEnvelopeBytes: number) {
    this.#source = source;
    this.#maxEnvelopeBytes = maxEnvelopeBytes;
  }

  /** Whether the root object is closed. */
  get isComplete(): boolean {
    return this.#place === Place.behindRoot;
  }

  /** Reads the token that begins with `byte` at `at`. */
  read(at: number, byte: number): Step | typeof GO_ON | typeof ITEMS_BEGIN {
    const source = this.#source;
    switch (this.#place) {
      case Place.root:
        if (byte === OPEN_BRACE) return this.#moveTo(Place.memberOrEnd, at + 1);
        return source.fail('not-json', at, `the body begins with ${byteText(byte)}, not with an object`);
      case Place.memberOrEnd:
        return byte === CLOSE_BRACE ? this.#moveTo(Place.behindRoot, at + 1) : this.#readKey(at, byte);
      case Place.member:
        return this.#readKey(at, byte);
      case Place.colon:
        return byte === COLON
          ? this.#moveTo(Place.value, at + 1)
          : source.failAt(at, 'behind a key of the list');
      case Place.value:
        return this.#key === 'items' ? this.#readItems(at, byte) : this.#readMember(at);
      case Place.behindValue:
        if (byte === COMMA) return this.#moveTo(Place.member, at + 1);
        if (byte === CLOSE_BRACE) return this.#moveTo(Place.behindRoot, at + 1);
        return source.failAt(at, 'behind a value of the list');
      default:
        return source.failAt(at, 'behind the list');
    }
  }

  #moveTo(place: number, address: number): typeof GO_ON {
    this.#place = place;
    this.#source.backlog.consumeTo(address);
    return GO_ON;
  }

  #readKey(at: number, byte: number): Step | typeof GO_ON {
    const source = this.#source;
    if (byte !== QUOTE) return source.failAt(at, 'where a key of the list belongs');
    const close = source.engine.wasm.skipString(at, source.backlog.end);
    const roomBytes = this.#maxEnvelopeBytes - this.envelope.bytes;
    if (close === 0) return this.#tokenOpen(at, roomBytes, 'in a key of the list');
    if (close - at > roomBytes) return this.#failTooLarge(at);
    const bytes = source.engine.bytes.subarray(at, close + 1);
    // A key that is nearly 'items' must not make a list that has none.
    if (!isUtf8(bytes)) return source.fail('invalid-utf8', at, 'a key of the list is not UTF-8');
    try {
      this.#key = JSON.parse(bytes.toString()) as string;
    } catch {
      return source.fail('malformed', at, 'a key of the list is no JSON string');
    }
    return this.#moveTo(Place.colon, close + 1);
  }

  #readItems(at: number, byte: number): Step | typeof GO_ON | typeof ITEMS_BEGIN {
    const source = this.#source;
    if (this.#hasItems) return source.fail('malformed', at, 'the list has items twice');
    if (byte === OPEN_BRACKET) {
      this.#hasItems = true;
      this.#moveTo(Place.behindValue, at + 1);
      return ITEMS_BEGIN;
    }
    if (byte !== LETTER_N) return source.fail('malformed', at, 'the items of the list are no array');
    const stop = source.engine.wasm.skipValue(at, source.backlog.end);
    if (stop === 0) return this.#tokenOpen(at, this.#maxEnvelopeBytes, 'in the items of the list');
    this.#hasItems = true;
    return this.#moveTo(Place.behindValue, stop);
  }

  #readMember(at: number): Step | typeof GO_ON {
    const source = this.#source;
    const { engine, backlog } = source;
    const roomBytes = this.#maxEnvelopeBytes - this.envelope.bytes;
    const stop = engine.wasm.skipValue(at, backlog.end);
    if (stop === 0) return this.#tokenOpen(at, roomBytes, 'in a value of the list');
    if (stop - at > roomBytes) return this.#failTooLarge(at);
    const bytes = engine.bytes.subarray(at, stop);
    if (!isUtf8(bytes)) return source.fail('invalid-utf8', at, 'a value of the list is not UTF-8');
    try {
      this.envelope.add(this.#key, bytes.toString(), bytes.length);
    } catch {
      return source.fail('malformed', at, 'a value of the list is not JSON');
    }
    return this.#moveTo(Place.behindValue, stop);
  }

  /** A token was not passed: it is wrong, or it does not end yet. */
  #tokenOpen(at: number, limitBytes: number, where: string): Step {
    const source = this.#source;
    const failure = source.engine.wasm.failure();
    if (failure < source.backlog.end) return source.failAt(failure, where);
    if (source.backlog.length > limitBytes) return this.#failTooLarge(at);
    return source.waitFor(limitBytes);
  }

  #failTooLarge(at: number): Step {
    const limit = `${this.#maxEnvelopeBytes} bytes beside its items (maxEnvelopeBytes)`;
    return this.#source.fail('too-large', at, `the list has more than ${limit}`);
  }
}
