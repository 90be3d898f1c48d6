/** One open watch, or the body of a list while it is sent. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Chunk } from './chunks.ts';

export class Stream {
  readonly #response: Writable;
  readonly #closed: Promise<unknown>;

  constructor(response: Writable) {
    this.#response = response;
    this.#closed = once(response, 'close');
  }

  /** Bytes that the socket has not taken yet. */
  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** @returns false when it is time to wait for {@link drained} */
  send(bytes: Buffer): boolean {
    return this.#response.write(bytes);
  }

  /** As {@link send}; the chunk is used again when it is out. */
  sendChunk(chunk: Chunk): boolean {
    chunk.hold();
    return this.#response.write(chunk.memory.subarray(0, chunk.used), () => chunk.release());
  }

  /** Resolves when the client has read enough, or is gone. */
  async drained(): Promise<void> {
    if (!this.isOpen || !this.#response.writableNeedDrain) return;
    await Promise.race([once(this.#response, 'drain'), this.#closed]);
  }

  end(): void {
    this.#response.end();
  }

  onClose(listener: () => void): void {
    this.#response.on('close', listener);
  }
}
