/**
 * Passes over JSON in bytes, for readers that want a part of it. Brackets and strings are followed; what lies between
 * them is not checked. Each function returns the place behind what it passed over.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;

/** Bytes that are no JSON. */
export class JsonBytesError extends SyntaxError {
  override readonly name = 'JsonBytesError';

  constructor(position: number, expected: string) {
    super(`the JSON is broken at byte ${position}: expected is ${expected}`);
  }
}

export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    at++;
  }
  return at;
}

/** @param from - the opening quote */
export function skipString(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from + 1; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw new JsonBytesError(end, 'the end of a string');
}

/** @param from - the first byte of a value */
export function skipValue(bytes: Uint8Array, from: number, end: number): number {
  const first = from < end ? bytes[from]! : 0;
  if (first === QUOTE) return skipString(bytes, from, end);
  return first === OPEN_BRACE || first === OPEN_BRACKET
    ? skipNest(bytes, from, end)
    : skipLiteral(bytes, from, end);
}

/** Square brackets and braces are not told apart: what is decoded behind will notice. */
function skipNest(bytes: Uint8Array, from: number, end: number): number {
  let depth = 0;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      // The loop of skipString, without a call for each of many short strings.
      for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte >= OPEN_BRACKET) {
      // Brackets and braces differ in bit 5 only.
      const folded = byte | 0x20;
      if (folded === OPEN_BRACE) depth++;
      else if (folded === CLOSE_BRACE && --depth === 0) return at + 1;
    }
  }
  throw new JsonBytesError(end, 'a closing bracket');
}

function skipLiteral(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) break;
    at++;
  }
  if (at === from) throw new JsonBytesError(from, 'a value');
  return at;
}

/** Whether the string from `from` to `end`, quotes included, is this key; escapes are looked through. */
export function isKey(bytes: Buffer, from: number, end: number, key: Buffer, text: string): boolean {
  const length = end - from - 2;
  if (length === key.length) {
    let i = 0;
    while (i < length && bytes[from + 1 + i] === key[i]) i++;
    if (i === length) return true;
  }
  // Escapes only make a key longer than it is.
  if (length <= key.length || !bytes.subarray(from, end).includes(BACKSLASH)) return false;
  return JSON.parse(bytes.toString('utf8', from, end)) === text;
}
