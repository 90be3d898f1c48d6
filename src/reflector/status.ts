import { MAX_RETRY_AFTER_MS } from './limits.ts';
import type { ApiStatus } from './types.ts';

const EXPIRED = 410;
const TOO_LARGE_TEXT = 'Too large resource version';

/** Enough of a text to know what it is about. */
const MAX_TEXT_CHARS = 200;

/** Codes of reasons, for a Status that has no code. */
const CODE_OF_REASON: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Expired: EXPIRED,
  Gone: EXPIRED,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  ServerTimeout: 504,
};

/** The code of a Status, from its reason when it names none; 0 when it names neither. */
export function codeOf(status: ApiStatus): number {
  return status.code || CODE_OF_REASON[status.reason ?? ''] || 0;
}

/** The resourceVersion or the continue token is older than what the server remembers. */
export function isExpired(code: number, status: ApiStatus): boolean {
  return code === EXPIRED || status.reason === 'Expired' || status.reason === 'Gone';
}

/** The resourceVersion is newer than what the server has seen. Three generations of servers say it differently. */
export function isTooLargeResourceVersion(status: ApiStatus): boolean {
  const causes = status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  if (status.reason === 'Timeout' && causes.some((cause) => cause.message === TOO_LARGE_TEXT)) return true;
  return (status.message ?? '').includes(TOO_LARGE_TEXT);
}

/**
 * How long the server asks to wait, from the Retry-After header and the Status, whichever is longer; 0 for not at all.
 * A date counts from the response's own Date header, so that clocks need not agree.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, status: ApiStatus): number {
  const fromStatusMs = (status.details?.retryAfterSeconds ?? 0) * 1000;
  const askedMs = Math.max(fromHeader(headers['retry-after'] ?? '', headers.date ?? ''), fromStatusMs);
  return Number.isFinite(askedMs) ? Math.min(Math.max(askedMs, 0), MAX_RETRY_AFTER_MS) : 0;
}

function fromHeader(retryAfter: string, date: string): number {
  if (/^\s*[0-9]+\s*$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const differenceMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(differenceMs) ? 0 : differenceMs;
}

/** Makes a Status of a body that came with an error status: the server's own, or as much as a text says. */
export function parseStatus(body: string, contentType: string): ApiStatus {
  try {
    return toStatus(JSON.parse(body));
  } catch {
    // Proxies answer with pages and texts; a text's first line says what is wrong, a page's does not.
    const firstLine = body.trim().split('\n', 1)[0] ?? '';
    return contentType.startsWith('text/plain') ? { message: firstLine.slice(0, MAX_TEXT_CHARS) } : {};
  }
}

/** Takes from a value what a Status should have, and leaves out what has another type. */
export function toStatus(value: unknown): ApiStatus {
  const { kind, code, reason, message, details } = asObject(value);
  const { retryAfterSeconds, causes } = asObject(details);
  return {
    ...(typeof kind === 'string' && { kind }),
    ...(typeof code === 'number' && { code }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof message === 'string' && { message }),
    details: {
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
      causes: Array.isArray(causes) ? causes.map(toStatus) : [],
    },
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
