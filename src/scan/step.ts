/** What a framer's `next` says. */
export const Step = {
  /** All that was pushed is scanned: push more, or end. */
  more: 0,
  /** A list item; the engine's result describes it. */
  item: 1,
  /** A watch event; the engine's result describes it. */
  event: 2,
  /** Something is broken, see the framer's `problem`; what follows can be read: go on calling `next`. */
  bad: 3,
  /** The whole body was read and the end was told. */
  done: 4,
  /** The body is broken in such a way that nothing behind can be trusted, see the framer's `problem`. */
  failed: 5,
} as const;

export type Step = (typeof Step)[keyof typeof Step];

/** Why something could not be read. */
export type ScanProblemReason =
  /** Not JSON at that byte. */
  | 'malformed'
  /** The body does not begin as a JSON object: an error page of something in between, perhaps. */
  | 'not-json'
  /** JSON, but no object where one belongs. */
  | 'not-an-object'
  /** A line of a watch that is JSON but has no `type` or no `object`. */
  | 'not-an-event'
  | 'invalid-utf8'
  /** An object or an envelope above its limit. */
  | 'too-large'
  /** The body ended before the JSON did. */
  | 'truncated';

export interface ScanProblem {
  readonly reason: ScanProblemReason;
  /** For people: what is wrong, where. Never a part of an object but its key. */
  readonly message: string;
  /** Place in the body, in bytes from its start. */
  readonly byte: number;
  /** Key of the object, when the scanner had come to its name. Without its namespace when that is not known. */
  readonly keyHint?: string;
}

/** Largest object by default. etcd refuses requests above 1.5 MiB, other storages may not. */
export const DEFAULT_MAX_OBJECT_BYTES = 64 << 20;
/** Largest list body without its items by default. */
export const DEFAULT_MAX_ENVELOPE_BYTES = 1 << 20;
/** Above this the window would not fit into WASM memory twice, which it must to move what it holds. */
export const MAX_OBJECT_BYTES_LIMIT = 512 << 20;

export interface FramerOptions {
  /**
   * Objects above this are reported as bad and skipped without being kept.
   *
   * @default 64 MiB
   */
  readonly maxObjectBytes?: number;
  /**
   * Most bytes of a list that are not items.
   *
   * @default 1 MiB
   */
  readonly maxEnvelopeBytes?: number;
}

/** @throws RangeError when the limit is no integer from 1 to 512 MiB */
export function checkedLimit(name: keyof FramerOptions, value: number): number {
  if (Number.isInteger(value) && value > 0 && value <= MAX_OBJECT_BYTES_LIMIT) return value;
  throw new RangeError(`${name} is an integer from 1 to ${MAX_OBJECT_BYTES_LIMIT}, not ${value}`);
}

/** Makes a problem with a message that says what, of which object, and where. */
export function describeProblem(
  reason: ScanProblemReason,
  byte: number,
  what: string,
  keyHint: string | undefined,
): ScanProblem {
  const whose = keyHint === undefined ? '' : ` (${keyHint})`;
  const message = `${what}${whose}, at byte ${byte} of the body`;
  return keyHint === undefined ? { reason, message, byte } : { reason, message, byte, keyHint };
}

/** A byte for messages: as a character when it is one. */
export function byteText(byte: number): string {
  return byte > 0x20 && byte < 0x7f
    ? `'${String.fromCharCode(byte)}'`
    : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
