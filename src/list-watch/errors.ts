/** A list or watch of a ListerWatcher failed, or gave something that can't be used. */
export class ListWatchError extends Error {
  override readonly name = 'ListWatchError';
  /** Stable, for example 'not-a-list' or 'watch-failed'. */
  readonly code: string;

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
  }
}

/** Longest text of somebody else that is repeated in a message. */
const MAX_TEXT_CHARS = 300;

/** What an error of somebody else says, in one line. */
export function textOfError(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const firstLine = text.trim().split('\n', 1)[0]!;
  return firstLine.length <= MAX_TEXT_CHARS ? firstLine : `${firstLine.slice(0, MAX_TEXT_CHARS)}…`;
}

/** A value for messages: what it is, never what is in it. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { kind } = value as { kind?: unknown };
  return typeof kind === 'string' ? `a ${kind.slice(0, MAX_TEXT_CHARS)}` : 'an object';
}

/** A map with string keys, which is what JSON objects are. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
