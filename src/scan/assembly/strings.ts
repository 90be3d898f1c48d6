/** Finding the end of a string, and decoding one that has escapes. */
import { BACKSLASH, QUOTE, below, bits64, equal64, escapedBytes, nextEscaped } from './blocks';
import { escapes, fail, noteEscapes, noteNonAscii } from './state';

/**
 * Address of the quote that closes the string whose content begins at `p`. A raw control character fails.
 * Sets `escapes`.
 */
export function stringEnd(p: usize, end: usize): usize {
  const bytes = v128.load(p);
  const stops = i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    ),
  );
  if (stops != 0) {
    const at = ctz(stops);
    if (load<u8>(p + <usize>at) == QUOTE) {
      noteNonAscii(<u64>(i8x16.bitmask(bytes) & ((1 << at) - 1)));
      noteEscapes(0);
      p += <usize>at;
      return p < end ? p : fail(end);
    }
  }
  return longStringEnd(p, end);
}

function longStringEnd(p: usize, end: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let firstEscaped: u64 = 0;
  let backslashesSeen: u64 = 0;
  let seen = i8x16.splat(0);
  while (p < end) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    let quotes = equal64(a, b, c, d, quote);
    const backslashes = equal64(a, b, c, d, backslash);
    if ((backslashes | firstEscaped) != 0) {
      quotes &= ~escapedBytes(backslashes, firstEscaped);
      firstEscaped = nextEscaped;
    }
    const controls = bits64(i8x16.lt_u(a, space), i8x16.lt_u(b, space), i8x16.lt_u(c, space), i8x16.lt_u(d, space));
    const stops = quotes | controls;
    if (stops != 0) {
      const at = ctz(stops);
      noteEscapes(backslashesSeen | (backslashes & below(at)));
      noteNonAscii((bits64(a, b, c, d) & below(at)) | <u64>i8x16.bitmask(seen));
      p += <usize>at;
      if (p >= end) return fail(end);
      return (quotes >> at) & 1 ? p : fail(p);
    }
    backslashesSeen |= backslashes;
    seen = v128.or(seen, v128.or(v128.or(a, b), v128.or(c, d)));
    p += 64;
  }
  return fail(end);
}

// @ts-ignore: decorator
@inline
function hexDigit(byte: u32): u32 {
  if (byte - 0x30 <= 9) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter <= 5 ? letter + 10 : 0xffff0000;
}

/** The four hexadecimal digits at `p`, or more than 0xffff when they are none. */
function hexUnit(p: usize): u32 {
  return (
    (hexDigit(load<u8>(p)) << 12) |
    (hexDigit(load<u8>(p, 1)) << 8) |
    (hexDigit(load<u8>(p, 2)) << 4) |
    hexDigit(load<u8>(p, 3))
  );
}

/** What the escape letter stands for, or 0 when it is no escape (`u` is not handled here). */
function escapedByte(letter: u8): u8 {
  if (letter == QUOTE || letter == BACKSLASH || letter == 0x2f) return letter;
  if (letter == 0x62) return 0x08;
  if (letter == 0x66) return 0x0c;
  if (letter == 0x6e) return 0x0a;
  if (letter == 0x72) return 0x0d;
  if (letter == 0x74) return 0x09;
  return 0;
}

function storeUtf8(code: u32, to: usize): usize {
  if (code < 0x80) {
    store<u8>(to, code);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, 0xc0 | (code >> 6));
    store<u8>(to, 0x80 | (code & 0x3f), 1);
    return to + 2;
  }
  if (code < 0x10000) {
    store<u8>(to, 0xe0 | (code >> 12));
    store<u8>(to, 0x80 | ((code >> 6) & 0x3f), 1);
    store<u8>(to, 0x80 | (code & 0x3f), 2);
    return to + 3;
  }
  store<u8>(to, 0xf0 | (code >> 18));
  store<u8>(to, 0x80 | ((code >> 12) & 0x3f), 1);
  store<u8>(to, 0x80 | ((code >> 6) & 0x3f), 2);
  store<u8>(to, 0x80 | (code & 0x3f), 3);
  return to + 4;
}

/**
 * Decodes the string content from `p` to `stop`, writing at most `limit` bytes (rounded up to a character).
 *
 * @returns the decoded length, which is above `limit` when it did not fit, or -1 after `fail` when an
 * escape is none
 */
export function decodeString(p: usize, stop: usize, to: usize, limit: i32): i32 {
  let at = to;
  const full = to + <usize>limit;
  let cut = false;
  while (p < stop) {
    if (at > full) {
      // Too long to be wanted, but what follows must still be a string.
      cut = true;
      at = to;
    }
    const byte = load<u8>(p);
    if (byte != BACKSLASH) {
      store<u8>(at++, byte);
      p++;
      continue;
    }
    const letter = load<u8>(p, 1);
    if (letter != 0x75) {
      const plain = escapedByte(letter);
      if (plain == 0) return <i32>fail(p) - 1;
      store<u8>(at++, plain);
      p += 2;
      continue;
    }
    let code = hexUnit(p + 2);
    if (code > 0xffff || p + 6 > stop) return <i32>fail(p) - 1;
    p += 6;
    if ((code & 0xfc00) == 0xd800 && p + 6 <= stop && load<u16>(p) == 0x755c) {
      const low = hexUnit(p + 2);
      if ((low & 0xfffffc00) == 0xdc00) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        p += 6;
      }
    }
    at = storeUtf8(code, at);
  }
  return cut ? limit + 1 : <i32>(at - to);
}

/** Whether all escapes of a string's content are escapes; `fail` was called when not. */
export function checkEscapes(p: usize, stop: usize, scratch: usize, limit: i32): bool {
  return escapes == 0 || decodeString(p, stop, scratch, limit) >= 0;
}
