import { constants, createGunzip, type Gunzip } from 'node:zlib';

/** JSON shrinks to about a tenth: a full read of a socket is a few of these. */
const OUTPUT_BYTES = 64 * 1024;

/** Whom a body tells. After `onEnd` or `onError` nothing follows. */
export interface GunzipHandlers {
  onData(chunk: Uint8Array): void;
  /** `write` said false, and more can be written now. */
  onDrain(): void;
  /** All that was written is decoded and handed on. */
  onEnd(): void;
  /** The bytes are no gzip. */
  onError(error: Error): void;
}

/**
 * Decodes a gzip body as it comes. A server that flushes sends each event so that it can be decoded at once, in one
 * gzip member or each in its own; both come out without waiting for more.
 */
export class GunzipBody {
  readonly #gunzip: Gunzip;
  #isEnded = false;

  constructor(handlers: GunzipHandlers) {
    this.#gunzip = createGunzip({
      flush: constants.Z_SYNC_FLUSH,
      // A body that was cut still gives what can be decoded; whoever reads the JSON notices that it was cut.
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: OUTPUT_BYTES,
    });
    this.#gunzip.on('data', (chunk: Uint8Array) => handlers.onData(chunk));
    this.#gunzip.on('drain', () => handlers.onDrain());
    this.#gunzip.on('error', (error) => handlers.onError(error));
    this.#gunzip.on('end', () => {
      // zlib stops at bytes behind a member that begin no other one, as if that were the end.
      if (this.#isEnded) handlers.onEnd();
      else handlers.onError(new Error('something else follows behind the compressed bytes'));
    });
  }

  /** False when it can take no more until `onDrain`. */
  write(chunk: Uint8Array): boolean {
    return this.#gunzip.write(chunk);
  }

  /** Nothing more will be written. */
  end(): void {
    this.#isEnded = true;
    this.#gunzip.end();
  }

  pause(): void {
    this.#gunzip.pause();
  }

  resume(): void {
    this.#gunzip.resume();
  }

  /** Gives its memory back; nobody is told anything afterwards. */
  close(): void {
    this.#gunzip.removeAllListeners();
    this.#gunzip.on('error', () => {});
    this.#gunzip.destroy();
  }
}
