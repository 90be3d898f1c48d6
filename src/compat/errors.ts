/** What `error` callbacks get, and which errors of an informer they are told of. */
import type { InformerError } from '../informer/index.ts';

/**
 * What went wrong. For information: the informer goes on by itself, and `start()` does no harm. Has the fields by which
 * code for client-node tells errors apart.
 */
export class CompatError extends Error {
  override readonly name = 'CompatError';
  /** HTTP status when the server answered, as in client-node's ApiException; else a word such as 'connect-failed'. */
  readonly code: number | string;
  /** HTTP status when the server answered, as in the errors of client-node's Watch. */
  readonly statusCode: number | undefined;
  /** When the next try is made, in milliseconds; undefined when nothing is pending. */
  readonly retryInMs: number | undefined;

  /** @internal */
  constructor(
    message: string,
    details: {
      code: number | string;
      cause: unknown;
      statusCode?: number | undefined;
      retryInMs?: number | undefined;
    },
  ) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.statusCode = details.statusCode;
    this.retryInMs = details.retryInMs;
  }
}

export function compatErrorOf(error: InformerError): CompatError {
  const { message, code, status, retryInMs } = error;
  return new CompatError(message, { code: status ?? code, statusCode: status, retryInMs, cause: error });
}

/**
 * What client-node passes over in silence: versions that expired, watches that the server or a timer ended, lines and
 * objects that it can't use.
 */
const SILENT_CODES = new Set([
  'expired',
  'short-watch',
  'idle-timeout',
  'bad-object',
  'bad-objects',
  'bad-bookmark',
  'unknown-event',
]);

/** Whether client-node would have called `error`. What is tried again at once is nothing that anybody has to know. */
export function isToldOf({ code, retryInMs }: InformerError): boolean {
  return retryInMs !== 0 && !SILENT_CODES.has(code);
}
