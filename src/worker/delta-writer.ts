/**
 * Puts what the scanner found into the arena and on the ring. Runs in the worker, once per object: no
 * closures and no allocation on the usual path.
 */
import {
  BLOCK_BODY_LENGTH_WORD,
  BLOCK_BODY_OFFSET_WORD,
  BLOCK_FLAG_ASCII,
  BLOCK_KEY_BYTE,
  KEY_SEPARATOR_BYTE,
} from '../layout/block.ts';
import {
  HASH_HI,
  HASH_LO,
  KIND,
  LENGTH_BYTES,
  OFFSET8,
  RELEASE_OFFSET8,
  RELEASE_SEGMENT,
  RecordKind,
  SEGMENT,
  SOURCE,
  STAMP,
} from '../layout/ring.ts';
import type { Producer } from '../ring/index.ts';
import { type Arena, fromOffset8, Room, type Segment, toOffset8 } from '../store/index.ts';
import { writeHeader } from './block-header.ts';
import { MOVES, RingShares } from './ring-shares.ts';

/** What became of an attempt to put something on the ring. */
export const PutResult = {
  ok: 0,
  /** The ring is full: wait until the home thread gave records back. */
  ringFull: 1,
  /** The arena is at its limit: wait until the home thread released blocks, if it will. */
  arenaFull: 2,
} as const;

export type PutResult = (typeof PutResult)[keyof typeof PutResult];

/** One object that goes into a block: lengths first, so that room can be found, then the bytes. */
export interface BlockDraft {
  readonly namespaceLength: number;
  readonly nameLength: number;
  readonly uidLength: number;
  readonly resourceVersionLength: number;
  /** Length of key, uid and resourceVersion. */
  readonly identityBytes: number;
  readonly fieldCount: number;
  /** Length of all fields, padded. */
  readonly fieldBytes: number;
  readonly bodyLength: number;
  readonly hashLo: number;
  readonly hashHi: number;
  /** Of the whole block: identity, fields, and the body when that is JSON. */
  readonly isAscii: boolean;
  /** @param separator - the byte between namespace and name */
  writeIdentity(target: Buffer, at: number, separator: number): void;
  writeFields(target: Buffer, targetWords: Int32Array, at: number): void;
  writeBody(target: Buffer, at: number): void;
}

/** What a copy of a block has in place of the block's body. */
export interface OtherBody {
  readonly lengthBytes: number;
  write(target: Buffer, at: number): void;
}

/** Where released blocks come from: the consumer of a release ring, or what does the same within one thread. */
export interface ReleaseSource {
  readonly words: ArrayLike<number>;
  next(): number;
  release(): void;
  fallAsleep(): boolean;
}

export class DeltaWriter {
  /** How the ring is shared among reflectors. */
  readonly shares: RingShares;
  /** Called for each block that is about to be freed; what it holds can still be read. */
  onFree: ((segment: number, offset: number) => void) | undefined;
  /** Called when something changed. */
  onFlush: (() => void) | undefined;

  readonly #deltas: Producer;
  readonly #releases: ReleaseSource;
  readonly #arena: Arena;
  readonly #wakeHome: () => void;

  constructor(deltas: Producer, releases: ReleaseSource, arena: Arena, wakeHome: () => void) {
    this.#deltas = deltas;
    this.#releases = releases;
    this.#arena = arena;
    this.#wakeHome = wakeHome;
    this.shares = new RingShares(deltas.capacity);
    deltas.onGivenBack = (word) => {
      const { words } = deltas;
      this.shares.givenBack(words[word + KIND] === RecordKind.moved ? MOVES : words[word + SOURCE]!);
    };
  }

  /**
   * Puts an object with its body.
   *
   * @param owner - whose block it is, when that is another than who puts it
   */
  putObject(kind: number, source: number, draft: BlockDraft, owner: number = source): PutResult {
    return this.#put(kind, source, draft, draft.fieldBytes, draft.bodyLength, Room.normal, owner);
  }

  /** Puts an object's identity only: it is known, and not looked into. */
  putIdentity(kind: number, source: number, draft: BlockDraft): PutResult {
    return this.#put(kind, source, draft, 0, 0, Room.small, source);
  }

  /** Puts a control record; `body` goes along as JSON. */
  putControl(kind: number, source: number, resourceVersion: string, body: string): PutResult {
    const rv = Buffer.from(resourceVersion);
    const json = Buffer.from(body);
    if (!this.#hasRoom(source)) return PutResult.ringFull;
    const bodyOffset = align4(BLOCK_KEY_BYTE + rv.length);
    const length = bodyOffset + json.length;
    if (!this.#allocate(length, source, Room.small)) return PutResult.arenaFull;
    const segment = this.#arena.segment!;
    const start = this.#arena.offset;
    writeHeader(segment, start, 0, 0, 0, rv.length, 0, BLOCK_FLAG_ASCII, bodyOffset, json.length);
    rv.copy(segment.bytes, start + BLOCK_KEY_BYTE);
    json.copy(segment.bytes, start + bodyOffset);
    this.#record(kind, source, 0, 0, length);
    return PutResult.ok;
  }

  /** Whether a copy may be put now: moving takes no more of the ring than a reflector that is not flooded. */
  get mayMove(): boolean {
    if (this.shares.isBelowShare(MOVES, this.#deltas.free)) return true;
    this.#deltas.refresh();
    return this.shares.isBelowShare(MOVES, this.#deltas.free);
  }

  /** Copies that the home thread did not look at. */
  get moving(): number {
    this.#deltas.refresh();
    return this.shares.waitingOf(MOVES);
  }

  /** Whether records wait that the home thread did not look at. */
  get hasUnread(): boolean {
    this.#deltas.refresh();
    return this.#deltas.free < this.#deltas.capacity;
  }

  /**
   * Puts a copy of a block, which is to take the place of the block. Only when {@link mayMove}.
   *
   * @param source - whose block it is
   * @param start - first byte of the block
   * @param body - in place of the block's body
   * @param room - what the copy may use
   * @returns length of the copy, or 0 when there is no room for it
   */
  putMoved(source: number, from: Segment, start: number, body: OtherBody | undefined, room: Room): number {
    const bodyOffset = from.words[(start >>> 2) + BLOCK_BODY_OFFSET_WORD]!;
    const bodyLength = body?.lengthBytes ?? from.words[(start >>> 2) + BLOCK_BODY_LENGTH_WORD]!;
    const length = bodyOffset + bodyLength;
    if (!this.#arena.allocate(length, source, room)) return 0;
    const { bytes, words } = this.#arena.segment!;
    const to = this.#arena.offset;
    // All but the stamp, which is the copy's own.
    const copied = body === undefined ? length : bodyOffset;
    from.bytes.copy(bytes, to + STAMP_BYTES, start + STAMP_BYTES, start + copied);
    if (body !== undefined) {
      words[(to >>> 2) + BLOCK_BODY_LENGTH_WORD] = bodyLength;
      body.write(bytes, to + bodyOffset);
    }
    this.#record(RecordKind.moved, source, from.id, toOffset8(start), length);
    return length;
  }

  /** Hands over what was put since the last flush, and wakes the home thread when it sleeps. */
  flush(): void {
    if (this.#deltas.publish()) this.#wakeHome();
    this.onFlush?.();
  }

  /** Asks for a `space` message. False when there is space already. */
  waitForSpace(source: number): boolean {
    return this.#deltas.waitForSpace(() => this.#hasRoom(source));
  }

  /** Asks for a `space` message when a block is released. False when some were released meanwhile. */
  waitForRelease(): boolean {
    return this.#releases.fallAsleep();
  }

  /** Whether a body of this length would find room now. */
  hasRoomFor(bytes: number, source: number): boolean {
    this.takeReleases();
    return this.#arena.hasRoomFor(bytes, source);
  }

  /** Whether blocks were released that the arena did not take back yet. */
  takeReleases(): boolean {
    let count = 0;
    for (let word = this.#releases.next(); word !== -1; word = this.#releases.next()) {
      const words = this.#releases.words;
      const segment = words[word + RELEASE_SEGMENT]!;
      const offset = fromOffset8(words[word + RELEASE_OFFSET8]!);
      this.onFree?.(segment, offset);
      this.#arena.free(segment, offset);
      count++;
    }
    if (count > 0) this.#releases.release();
    return count > 0;
  }

  #put(
    kind: number,
    source: number,
    draft: BlockDraft,
    fieldBytes: number,
    bodyLength: number,
    room: Room,
    owner: number,
  ): PutResult {
    if (!this.#hasRoom(source)) return PutResult.ringFull;
    const bodyOffset = align4(BLOCK_KEY_BYTE + draft.identityBytes) + fieldBytes;
    const length = bodyOffset + bodyLength;
    if (!this.#allocate(length, owner, room)) return PutResult.arenaFull;
    const segment = this.#arena.segment!;
    const start = this.#arena.offset;
    const fieldCount = fieldBytes === 0 ? 0 : draft.fieldCount;
    writeHeader(
      segment,
      start,
      draft.namespaceLength,
      draft.nameLength,
      draft.uidLength,
      draft.resourceVersionLength,
      fieldCount,
      draft.isAscii ? BLOCK_FLAG_ASCII : 0,
      bodyOffset,
      bodyLength,
    );
    draft.writeIdentity(segment.bytes, start + BLOCK_KEY_BYTE, KEY_SEPARATOR_BYTE);
    if (fieldCount > 0) draft.writeFields(segment.bytes, segment.words, start + bodyOffset - fieldBytes);
    if (bodyLength > 0) draft.writeBody(segment.bytes, start + bodyOffset);
    this.#record(kind, source, draft.hashLo, draft.hashHi, length);
    return PutResult.ok;
  }

  #hasRoom(source: number): boolean {
    if (this.shares.mayPut(source, this.#deltas.free)) return true;
    this.#deltas.refresh();
    return this.shares.mayPut(source, this.#deltas.free);
  }

  #allocate(length: number, source: number, room: Room): boolean {
    if (this.#arena.allocate(length, source, room)) return true;
    return this.takeReleases() && this.#arena.allocate(length, source, room);
  }

  #record(kind: number, source: number, hashLo: number, hashHi: number, length: number): void {
    const word = this.#deltas.claim();
    this.shares.put(kind === RecordKind.moved ? MOVES : source);
    const words = this.#deltas.words;
    words[word + KIND] = kind;
    words[word + SOURCE] = source;
    words[word + HASH_LO] = hashLo;
    words[word + HASH_HI] = hashHi;
    words[word + SEGMENT] = this.#arena.segment!.id;
    words[word + OFFSET8] = toOffset8(this.#arena.offset);
    words[word + LENGTH_BYTES] = length;
    words[word + STAMP] = this.#arena.stamp;
  }
}

/** The first word of a block, written when it is allocated. */
const STAMP_BYTES = 4;

/** Fields begin on a word. */
export function align4(bytes: number): number {
  return (bytes + 3) & ~3;
}
