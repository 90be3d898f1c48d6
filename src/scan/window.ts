import { ScanMemoryError } from './errors.ts';
import { INITIAL_PAGES, MAXIMUM_PAGES, OVERRUN_BYTES, PAGE_BYTES, WINDOW_BYTE } from './memory.ts';
import { type WasmMemory, webAssembly } from './webassembly.ts';

/** Whoever has bytes in the window. */
export interface WindowOwner {
  /** The window is taken by another: bytes that are still needed must be copied out now. */
  stash(): void;
}

/**
 * The part of a worker's WASM memory where bytes are scanned. It has one owner at a time, and grows with
 * the largest object; WASM memory never shrinks.
 */
export class ScanWindow {
  readonly memory: WasmMemory;
  /** The whole memory, made anew when it grew: don't keep it over a call that may grow it. */
  bytes!: Buffer;
  /** The whole memory in words; the same holds. */
  words!: Uint32Array;
  /** Where the window ends. */
  end = 0;
  #owner: WindowOwner | undefined;

  constructor() {
    this.memory = new webAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true });
    this.#view();
  }

  isOwnedBy(owner: WindowOwner): boolean {
    return this.#owner === owner;
  }

  /** Makes `owner` the owner; its predecessor copies its bytes out. */
  take(owner: WindowOwner): void {
    if (this.#owner === owner) return;
    this.#owner?.stash();
    this.#owner = owner;
  }

  leave(owner: WindowOwner): void {
    if (this.#owner === owner) this.#owner = undefined;
  }

  /**
   * Sees to it that the window holds `neededBytes` and as much again, so that an owner who moves its rest to
   * the window's start when it comes to the end moves no byte often.
   *
   * @throws ScanMemoryError when the memory can't grow so far
   */
  reserve(neededBytes: number): void {
    if (neededBytes * 2 <= this.end - WINDOW_BYTE) return;
    const memoryBytes = WINDOW_BYTE + neededBytes * 2 + OVERRUN_BYTES;
    const pages = Math.min(Math.ceil(memoryBytes / PAGE_BYTES), MAXIMUM_PAGES);
    const morePages = pages - this.memory.buffer.byteLength / PAGE_BYTES;
    try {
      if (morePages > 0) this.memory.grow(morePages);
    } catch (cause) {
      throw new ScanMemoryError(`the scanner's memory could not grow by ${morePages} pages of 64 KiB`, {
        cause,
      });
    }
    this.#view();
    if (neededBytes > this.end - WINDOW_BYTE) {
      throw new ScanMemoryError(
        `${neededBytes} bytes were pushed and not consumed: call next() until it wants more before pushing on`,
      );
    }
  }

  #view(): void {
    this.bytes = Buffer.from(this.memory.buffer);
    this.words = new Uint32Array(this.memory.buffer);
    this.end = this.memory.buffer.byteLength - OVERRUN_BYTES;
  }
}
