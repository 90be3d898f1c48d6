import { ERROR_BODY_LIMIT_BYTES } from './limits.ts';
import { parseStatus } from './status.ts';
import type { ApiStatus } from './types.ts';

/** The body of a response that refused a request, up to a limit. */
export class ErrorBody {
  readonly #contentType: string;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(contentType: string) {
    this.#contentType = contentType;
  }

  push(chunk: Uint8Array): void {
    const part = chunk.subarray(0, ERROR_BODY_LIMIT_BYTES - this.#bytes);
    this.#chunks.push(part);
    this.#bytes += part.length;
  }

  get isFull(): boolean {
    return this.#bytes >= ERROR_BODY_LIMIT_BYTES;
  }

  status(): ApiStatus {
    return parseStatus(Buffer.concat(this.#chunks).toString('utf8'), this.#contentType);
  }
}
