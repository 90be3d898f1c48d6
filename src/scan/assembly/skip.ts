/** Passing over values that nobody wants, and over white space. */
import { OPEN_BRACE, OPEN_BRACKET, QUOTE, below, bits64, equal64, escapedBytes, hasByte, nextEscaped, prefixXor } from './blocks';
import { literalEnd } from './literal';
import { fail, noteNonAscii } from './state';
import { stringEnd } from './strings';

/** The next byte that is not white space, or `end`. */
// @ts-ignore: decorator
@inline
export function skipSpace(p: usize, end: usize): usize {
  return load<u8>(p) > 0x20 ? p : skipSpaceSlow(p, end);
}

function skipSpaceSlow(p: usize, end: usize): usize {
  while (p < end) {
    const byte = load<u8>(p);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return p;
    p++;
  }
  return end;
}

/**
 * The byte behind the bracket that closes the one at `p`. Brackets are matched by count: as many braces
 * open as close, and as many square brackets, and the last one fits the first.
 */
export function nestEnd(p: usize, end: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const fold = i8x16.splat(0x20);
  const open = i8x16.splat(0x7b);
  const close = i8x16.splat(0x7d);
  // The closing bracket of either kind comes two characters behind the opening one.
  const closing = load<u8>(p) + 2;
  let seen = i8x16.splat(0);
  let depth: i32 = 0;
  let braces: i32 = 0;
  let inString: u64 = 0;
  let firstEscaped: u64 = 0;
  while (p < end) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    let quotes = equal64(a, b, c, d, quote);
    if (hasByte(a, b, c, d, backslash) || firstEscaped != 0) {
      quotes &= ~escapedBytes(equal64(a, b, c, d, backslash), firstEscaped);
      firstEscaped = nextEscaped;
    }
    const strings = prefixXor(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    // Square brackets and braces differ in one bit, which also tells a brace.
    const fa = v128.or(a, fold);
    const fb = v128.or(b, fold);
    const fc = v128.or(c, fold);
    const fd = v128.or(d, fold);
    const opens = equal64(fa, fb, fc, fd, open) & ~strings;
    const closes = equal64(fa, fb, fc, fd, close) & ~strings;
    const curly = bits64(i16x8.shl(a, 2), i16x8.shl(b, 2), i16x8.shl(c, 2), i16x8.shl(d, 2));
    const closeCount = <i32>popcnt(closes);
    if (depth <= closeCount) {
      const at = closingBit(opens, closes, depth);
      if (at < 64) {
        p += <usize>at;
        if (p >= end) return fail(end);
        const upTo = ~(<u64>-2 << at);
        braces += <i32>popcnt(opens & curly & upTo) - <i32>popcnt(closes & curly & upTo);
        if (braces != 0 || load<u8>(p) != closing) return fail(p);
        noteNonAscii((bits64(a, b, c, d) & below(at)) | <u64>i8x16.bitmask(seen));
        return p + 1;
      }
    }
    depth += <i32>popcnt(opens) - closeCount;
    braces += <i32>popcnt(opens & curly) - <i32>popcnt(closes & curly);
    seen = v128.or(seen, v128.or(v128.or(a, b), v128.or(c, d)));
    p += 64;
  }
  return fail(end);
}

/** The bit at which `depth` comes down to 0, or 64. */
// @ts-ignore: decorator
@inline
export function closingBit(opens: u64, closes: u64, depth: i32): u64 {
  while (closes != 0) {
    const at = ctz(closes);
    depth--;
    if (depth + <i32>popcnt(opens & below(at)) == 0) return at;
    closes &= closes - 1;
  }
  return 64;
}

/** The byte behind the value at `p`. */
export function valueEnd(p: usize, end: usize): usize {
  const first = load<u8>(p);
  if (first == QUOTE) {
    const close = stringEnd(p + 1, end);
    return close == 0 ? 0 : close + 1;
  }
  if (first == OPEN_BRACE || first == OPEN_BRACKET) return nestEnd(p, end);
  return literalEnd(p, end);
}
