import { WINDOW_BYTE } from './memory.ts';
import type { ScanWindow, WindowOwner } from './window.ts';

/** A stash above this is given back when its bytes return to the window: it was made for a rare object. */
const KEPT_STASH_BYTES = 1 << 18;
const MIN_STASH_BYTES = 1 << 12;
/** A rest up to this moves to the window's start with each chunk: the same few pages stay in the CPU's cache. */
const MOVED_REST_BYTES = 1 << 14;

/**
 * The bytes that one framer has received and not consumed. They lie in the window while it is this framer's,
 * and in a buffer of their own while another framer uses it.
 */
export class Backlog implements WindowOwner {
  readonly #window: ScanWindow;
  #stash: Buffer | undefined;
  #length = 0;
  /** While in the window: address of the first byte. */
  #start = 0;
  /** How many bytes were consumed, as a double: bodies can be longer than 2^32. */
  #consumedBytes: number;

  /** @param firstByte - place in the body of the first byte that will be appended */
  constructor(window: ScanWindow, firstByte = 0) {
    this.#window = window;
    this.#consumedBytes = firstByte;
  }

  get length(): number {
    return this.#length;
  }

  /** Address of the first byte; only while in the window. */
  get start(): number {
    return this.#start;
  }

  /** Address behind the last byte; only while in the window. */
  get end(): number {
    return this.#start + this.#length;
  }

  get isInWindow(): boolean {
    return this.#window.isOwnedBy(this);
  }

  /** How many bytes have come in all. */
  get receivedBytes(): number {
    return this.#consumedBytes + this.#length;
  }

  /** Place in the body of the byte at `address`; only while in the window. */
  bodyByte(address: number): number {
    return this.#consumedBytes + (address - this.#start);
  }

  /** Appends a copy of `chunk`, in the window or wherever the bytes are. */
  append(chunk: Uint8Array): void {
    if (this.isInWindow) this.#appendInWindow(chunk);
    else this.#appendAside(chunk);
  }

  /** Brings the bytes into the window. They stay where they are until the next append or take. */
  take(): void {
    const window = this.#window;
    if (window.isOwnedBy(this)) return;
    window.take(this);
    window.reserve(this.#length);
    this.#start = WINDOW_BYTE;
    if (this.#length > 0) this.#stash!.copy(window.bytes, WINDOW_BYTE, 0, this.#length);
    if (this.#stash !== undefined && this.#stash.length > KEPT_STASH_BYTES) this.#stash = undefined;
  }

  /** Forgets the bytes before `address`; only while in the window. */
  consumeTo(address: number): void {
    const bytes = address - this.#start;
    this.#start = address;
    this.#length -= bytes;
    this.#consumedBytes += bytes;
  }

  /** Takes back the last {@link consumeTo}, when nothing was appended or taken since. */
  unconsume(bytes: number): void {
    this.#start -= bytes;
    this.#length += bytes;
    this.#consumedBytes -= bytes;
  }

  stash(): void {
    const length = this.#length;
    if (length === 0) return;
    this.#growStash(length);
    this.#window.bytes.copy(this.#stash!, 0, this.#start, this.#start + length);
  }

  /** Forgets all bytes and leaves the window. */
  drop(): void {
    this.#window.leave(this);
    this.#consumedBytes += this.#length;
    this.#length = 0;
    this.#stash = undefined;
  }

  #appendInWindow(chunk: Uint8Array): void {
    const window = this.#window;
    if (this.#length <= MOVED_REST_BYTES || this.end + chunk.length > window.end) {
      window.reserve(this.#length + chunk.length);
      if (this.#length > 0) window.bytes.copy(window.bytes, WINDOW_BYTE, this.#start, this.end);
      this.#start = WINDOW_BYTE;
    }
    copyInto(window.bytes, this.end, chunk);
    this.#length += chunk.length;
  }

  #appendAside(chunk: Uint8Array): void {
    this.#growStash(this.#length + chunk.length);
    copyInto(this.#stash!, this.#length, chunk);
    this.#length += chunk.length;
  }

  #growStash(bytes: number): void {
    if (this.#stash !== undefined && this.#stash.length >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes * 2, MIN_STASH_BYTES));
    if (!this.isInWindow) this.#stash?.copy(larger, 0, 0, this.#length);
    this.#stash = larger;
  }
}

/**
 * Copies a chunk into shared memory. `TypedArray.set`, and Buffer's copy of a whole buffer, go byte by byte
 * there, in atomic steps; Buffer's copy of a part is one memmove, ten times faster. So the last byte goes
 * alone.
 */
function copyInto(target: Buffer, at: number, chunk: Uint8Array): void {
  const last = chunk.length - 1;
  if (last > 0) Buffer.prototype.copy.call(chunk, target, at, 0, last);
  target[at + last] = chunk[last]!;
}
