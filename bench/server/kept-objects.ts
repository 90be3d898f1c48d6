/**
 * The objects of one resource, kept as the bytes that lists send. What an update changes has as many digits as
 * before and is written over it, so that a list of the present state always lies ready, and an event is one copy.
 */
import { EVENT_END, type EventType, Frames } from './frames.ts';
import { hashOfKey, hashOfVersion, VERSION_DIGITS } from './hash.ts';
import type { BenchResource, ObjectKind } from './resources.ts';
import { Slabs } from './slabs.ts';
import type { ListPage, ObjectSource } from './source.ts';
import { type ObjectText, PAGE_OBJECTS, Texts } from './texts.ts';

export interface ObjectSetOptions {
  readonly kind: ObjectKind;
  readonly resource: BenchResource;
  readonly seed: number;
  /** Objects that are there from the start. */
  readonly objects: number;
  /** Objects that creations bring. Default 0. */
  readonly spare?: number;
}

const VERSION_LABEL = Buffer.from('"app.kubernetes.io/version":"v');
const TRANSITION = Buffer.from('"lastTransitionTime":"');
const UID = Buffer.from('"uid":"');
/** Of the seconds in a time as JSON has it. */
const SECONDS_AT = '2026-11-30T09:00:'.length;
const UID_DIGITS = 8;
const ZERO = 0x30;
const MINUTE_SECONDS = 60;

/** Bytes of initial events that are written at once. */
const CHUNK_BYTES = 1024 * 1024;

export class KeptObjects implements ObjectSource {
  readonly frames: Frames;
  readonly #slabs = new Slabs();
  /** Where each object lies, and where in it that which changes does; -1 when it has none. */
  readonly #slab: Uint16Array;
  readonly #start: Uint32Array;
  readonly #length: Uint32Array;
  readonly #versionAt: Int32Array;
  readonly #labelAt: Int32Array;
  readonly #timeAt: Int32Array;
  readonly #uidAt: Int32Array;
  readonly #keyHash: Int32Array;
  readonly #version: Float64Array;
  readonly #isLive: Uint8Array;
  #live = 0;
  /** The resourceVersion of the last change. */
  version: number;

  /** @param firstVersion - of the first object, from which on each has its own */
  constructor(options: ObjectSetOptions, firstVersion: number) {
    const capacity = options.objects + (options.spare ?? 0);
    this.frames = new Frames(options.resource, options.kind);
    this.#slab = new Uint16Array(capacity);
    this.#start = new Uint32Array(capacity);
    this.#length = new Uint32Array(capacity);
    this.#versionAt = new Int32Array(capacity);
    this.#labelAt = new Int32Array(capacity);
    this.#timeAt = new Int32Array(capacity);
    this.#uidAt = new Int32Array(capacity);
    this.#keyHash = new Int32Array(capacity);
    this.#version = new Float64Array(capacity);
    this.#isLive = new Uint8Array(capacity);
    const texts = new Texts(options);
    for (let first = 0; first < capacity; first += PAGE_OBJECTS) {
      const page = texts.page(first / PAGE_OBJECTS, Math.min(PAGE_OBJECTS, capacity - first));
      for (const [k, text] of page.entries()) this.#place(first + k, text, firstVersion + first + k);
    }
    this.#isLive.fill(1, 0, options.objects);
    this.#live = options.objects;
    this.version = firstVersion + options.objects - 1;
  }

  get capacity(): number {
    return this.#version.length;
  }

  get size(): number {
    return this.#live;
  }

  isLive(i: number): boolean {
    return this.#isLive[i] === 1;
  }

  /** Number of the last object of a list; -1 when there is none. */
  get lastLive(): number {
    return this.#isLive.lastIndexOf(1);
  }

  /** Sum over all objects, as the hash of an answer is made. */
  hash(): number {
    let sum = 0;
    for (let i = 0; i < this.capacity; i++) {
      if (this.isLive(i)) sum += hashOfVersion(this.#keyHash[i]!, this.#version[i]!);
    }
    return sum;
  }

  /** Gives an object a new state: resourceVersion, one label and the time of one condition differ. */
  update(i: number, version: number): void {
    this.#setVersion(i, version);
    const bytes = this.#slabs.at(this.#slab[i]!);
    const label = this.#labelAt[i]!;
    if (label !== -1) bytes[label] = ZERO + ((bytes[label]! - ZERO + 1) % 10);
    const seconds = this.#timeAt[i]!;
    if (seconds === -1) return;
    const second = version % MINUTE_SECONDS;
    bytes[seconds] = ZERO + Math.floor(second / 10);
    bytes[seconds + 1] = ZERO + (second % 10);
  }

  /** Brings an object, with another uid than it may have had before. */
  create(i: number, version: number): void {
    this.#setVersion(i, version);
    const digits = (version % 0x1_0000_0000).toString(16).padStart(UID_DIGITS, '0');
    this.#slabs.at(this.#slab[i]!).write(digits, this.#uidAt[i]!, 'latin1');
    this.#isLive[i] = 1;
    this.#live++;
  }

  delete(i: number, version: number): void {
    this.#setVersion(i, version);
    this.#isLive[i] = 0;
    this.#live--;
  }

  eventBytes(type: EventType, i: number): number {
    const { before, skippedBytes } = this.frames.events[type];
    return before.length + this.#length[i]! - skippedBytes + EVENT_END.length;
  }

  /** Writes the event of the present state. @returns where the next one goes */
  writeEvent(type: EventType, i: number, target: Buffer, at: number): number {
    const { before, skippedBytes } = this.frames.events[type];
    const start = this.#start[i]!;
    at += before.copy(target, at);
    at += this.#slabs.at(this.#slab[i]!).copy(target, at, start + skippedBytes, start + this.#length[i]!);
    return at + EVENT_END.copy(target, at);
  }

  page(begin: number, limit: number): ListPage {
    let count = 0;
    let end = begin;
    for (; end < this.capacity && count < limit; end++) count += this.#isLive[end]!;
    while (end < this.capacity && !this.isLive(end)) end++;
    return { count, next: end < this.capacity ? end : undefined, chunks: this.#runs(begin, end) };
  }

  *initialEvents(): Generator<Buffer> {
    let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    let used = 0;
    for (let i = 0; i < this.capacity; i++) {
      if (!this.isLive(i)) continue;
      if (used + this.eventBytes('ADDED', i) > CHUNK_BYTES) {
        yield chunk.subarray(0, used);
        chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        used = 0;
      }
      used = this.writeEvent('ADDED', i, chunk, used);
    }
    if (used > 0) yield chunk.subarray(0, used);
  }

  /** Objects that lie one behind the other, with a comma behind each, as long as nothing lies between. */
  *#runs(begin: number, end: number): Generator<Buffer> {
    let i = begin;
    while (i < end) {
      if (!this.isLive(i)) {
        i++;
        continue;
      }
      const slab = this.#slab[i]!;
      const start = this.#start[i]!;
      while (i < end && this.isLive(i) && this.#slab[i] === slab) i++;
      yield this.#slabs.at(slab).subarray(start, this.#start[i - 1]! + this.#length[i - 1]! + COMMA.length);
    }
  }

  #place(i: number, text: ObjectText, version: number): void {
    const encoding = text.isAscii ? 'latin1' : 'utf8';
    const json = `${text.head}${version}${text.tail},`;
    const length = text.isAscii ? json.length : Buffer.byteLength(json);
    const slab = this.#slabs.reserve(length);
    const start = this.#slabs.used;
    slab.write(json, start, encoding);
    this.#slabs.advance(length);
    const object = slab.subarray(start, start + length);
    this.#slab[i] = this.#slabs.last;
    this.#start[i] = start;
    this.#length[i] = length - COMMA.length;
    this.#versionAt[i] = start + Buffer.byteLength(text.head);
    this.#labelAt[i] = placeBehind(object, VERSION_LABEL, start);
    const time = placeBehind(object, TRANSITION, start);
    this.#timeAt[i] = time === -1 ? -1 : time + SECONDS_AT;
    this.#uidAt[i] = placeBehind(object, UID, start);
    this.#keyHash[i] = hashOfKey(text.namespace, text.name);
    this.#version[i] = version;
  }

  #setVersion(i: number, version: number): void {
    const bytes = this.#slabs.at(this.#slab[i]!);
    const at = this.#versionAt[i]!;
    let rest = version;
    for (let digit = VERSION_DIGITS - 1; digit >= 0; digit--) {
      const quotient = Math.floor(rest / 10);
      bytes[at + digit] = ZERO + rest - quotient * 10;
      rest = quotient;
    }
    this.#version[i] = version;
    this.version = version;
  }
}
const COMMA = ',';

function placeBehind(object: Buffer, pattern: Buffer, start: number): number {
  const found = object.indexOf(pattern);
  return found === -1 ? -1 : start + found + pattern.length;
}
