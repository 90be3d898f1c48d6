/** Strings: finding their end, decoding their escapes, checking their UTF-8, and writing them. */
import { REFUSED_SYNTAX, REFUSED_UTF8 } from '../../../layout/record';
import { BACKSLASH, QUOTE } from '../blocks';
import { isWorthKnowing, NOT_FOUND, stringId } from './dictionary';
import { noteString } from './shapes';
import { refuse, scratch } from './state';
import { putAscii, putJsonString, putStringId, putUtf8 } from './writer';

/** Not 0 when bytes above 0x7f were passed. */
let high: i32 = 0;

/** Bit n is set when byte n can't stand in a string as it is. */
// @ts-ignore: decorator
@inline
function stops(block: v128): i32 {
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
      i8x16.lt_u(block, i8x16.splat(0x20)),
    ),
  );
}

/** The first quote, backslash or control character. There is one: behind the input are zeros. */
// @ts-ignore: decorator
@inline
function plainEnd(p: usize): usize {
  while (true) {
    const block = v128.load(p);
    const stop = stops(block);
    const above = i8x16.bitmask(block);
    if (stop != 0) {
      const at = ctz(stop);
      high |= above & ((1 << at) - 1);
      return p + <usize>at;
    }
    high |= above;
    p += 16;
  }
  return 0;
}

/** What a key without escapes is. */
export let keyIsAscii: bool = false;
export let keyHasEscapes: bool = false;

/** The byte behind the quote that closes the key at `p`, or 0 after `refuse`. A key with escapes is not passed. */
export function plainKeyEnd(p: usize): usize {
  high = 0;
  const end = plainEnd(p);
  keyIsAscii = high == 0;
  keyHasEscapes = load<u8>(end) == BACKSLASH;
  if (keyHasEscapes) return end;
  if (load<u8>(end) != QUOTE) return refuse(REFUSED_SYNTAX);
  return keyIsAscii || isUtf8(p, end) ? end + 1 : refuse(REFUSED_UTF8);
}

/** Writes the string that the quote at `p` opens, and returns the byte behind the closing quote, or 0. */
export function putString(p: usize, place: usize, mayLearn: bool): usize {
  high = 0;
  const begin = p + 1;
  const end = plainEnd(begin);
  const stop = load<u8>(end);
  if (stop == QUOTE) return putText(begin, <u32>(end - begin), true, place, mayLearn) ? end + 1 : 0;
  if (stop != BACKSLASH) return refuse(REFUSED_SYNTAX);
  return putEscaped(p, end, place, mayLearn);
}

/** Writes decoded text. False after `refuse`. */
function putText(at: usize, length: u32, isPlain: bool, place: usize, mayLearn: bool): bool {
  const isAscii = high == 0;
  if (!isAscii && !isUtf8(at, at + <usize>length)) return refuse(REFUSED_UTF8) != 0;
  if (isWorthKnowing(at, length)) {
    const id = stringId(at, length, isAscii, isPlain, mayLearn);
    if (id != NOT_FOUND) {
      noteString(place, <u32>id);
      putStringId(<u32>id);
      return true;
    }
  }
  if (isAscii) putAscii(at, length);
  else putUtf8(at, length);
  return true;
}

/** As `putString`, of a string whose first backslash is at `p`. */
function putEscaped(quote: usize, p: usize, place: usize, mayLearn: bool): usize {
  let to = scratch + (p - quote - 1);
  memory.copy(scratch, quote + 1, p - quote - 1);
  let isWhole = true;
  while (load<u8>(p) == BACKSLASH) {
    const letter = load<u8>(p, 1);
    if (letter != 0x75) {
      const byte = escapedByte(letter);
      if (byte == 0) return refuse(REFUSED_SYNTAX);
      store<u8>(to++, byte);
      p += 2;
    } else {
      let code = hexUnit(p + 2);
      if (code > 0xffff) return refuse(REFUSED_SYNTAX);
      p += 6;
      if ((code & 0xf800) == 0xd800) {
        const low = load<u16>(p) == 0x755c ? hexUnit(p + 2) : 0;
        if ((code & 0xfc00) == 0xd800 && (low & 0xfffffc00) == 0xdc00) {
          code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
          p += 6;
        } else {
          isWhole = false;
          code = 0xfffd;
        }
      }
      if (code > 0x7f) high = 1;
      to = storeUtf8(code, to);
    }
    // What follows up to the next escape, in blocks: what is copied too much is overwritten.
    while (true) {
      const block = v128.load(p);
      v128.store(to, block);
      const stop = stops(block);
      const passed = stop == 0 ? 16 : ctz(stop);
      high |= i8x16.bitmask(block) & ((1 << passed) - 1);
      p += <usize>passed;
      to += <usize>passed;
      if (stop != 0) break;
    }
  }
  if (load<u8>(p) != QUOTE) return refuse(REFUSED_SYNTAX);
  if (isWhole) return putText(scratch, <u32>(to - scratch), false, place, mayLearn) ? p + 1 : 0;
  if (!isUtf8(quote, p)) return refuse(REFUSED_UTF8);
  putJsonString(quote, <u32>(p + 1 - quote));
  return p + 1;
}

/** The byte that an escape stands for, or 0 when it is none; `u` is not asked for. */
function escapedByte(letter: u8): u8 {
  if (letter == QUOTE || letter == BACKSLASH || letter == 0x2f) return letter;
  if (letter == 0x6e) return 0x0a;
  if (letter == 0x74) return 0x09;
  if (letter == 0x72) return 0x0d;
  if (letter == 0x62) return 0x08;
  return letter == 0x66 ? 0x0c : 0;
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
  const high = (hexDigit(load<u8>(p)) << 12) | (hexDigit(load<u8>(p, 1)) << 8);
  const low = (hexDigit(load<u8>(p, 2)) << 4) | hexDigit(load<u8>(p, 3));
  return high | low;
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

// @ts-ignore: decorator
@inline
function isTail(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}

/** Whether the bytes are UTF-8 as RFC 3629 has it: shortest forms, no surrogates, nothing above U+10FFFF. */
function isUtf8(p: usize, end: usize): bool {
  while (p < end) {
    const lead = <u32>load<u8>(p);
    if (lead < 0x80) {
      p++;
      continue;
    }
    const second = <u32>load<u8>(p, 1);
    if (!isTail(second)) return false;
    if (lead < 0xe0) {
      if (lead < 0xc2) return false;
      p += 2;
    } else if (lead < 0xf0) {
      if (!isTail(<u32>load<u8>(p, 2))) return false;
      if (lead == 0xe0 && second < 0xa0) return false;
      if (lead == 0xed && second > 0x9f) return false;
      p += 3;
    } else {
      if (lead > 0xf4 || !isTail(<u32>load<u8>(p, 2)) || !isTail(<u32>load<u8>(p, 3))) return false;
      if (lead == 0xf0 && second < 0x90) return false;
      if (lead == 0xf4 && second > 0x8f) return false;
      p += 4;
    }
  }
  return p == end;
}
