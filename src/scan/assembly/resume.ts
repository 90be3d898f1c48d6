/** A structural scan that can go on with the next bytes, and the search for line ends. */
import { SCAN_NEST_BRACES, SCAN_NEST_BRACKET, SCAN_NEST_DEPTH, SCAN_NEST_ESCAPED, SCAN_NEST_IN_STRING, SCAN_NEST_STATE } from '../../layout/scan';
import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACKET, below, bits64, equal64, escapedBytes, nextEscaped, prefixXor } from './blocks';
import { closingBit } from './skip';
import { fail } from './state';

/**
 * Follows brackets and strings from `p` to `end`. The state of the scan is read from the region and left
 * there.
 *
 * @returns the byte behind the bracket that closes the first one, or 0: after `fail(end)` when there is
 * none yet, after `fail` at a closing bracket of the wrong kind
 */
export function followNest(region: usize, p: usize, end: usize): usize {
  let depth = load<i32>(region + (SCAN_NEST_DEPTH << 2));
  let braces = load<i32>(region + (SCAN_NEST_BRACES << 2));
  const state = load<u32>(region + (SCAN_NEST_STATE << 2));
  let inString: u64 = (state & SCAN_NEST_IN_STRING) != 0 ? ~(<u64>0) : 0;
  const isBracket = depth == 0 ? load<u8>(p) == OPEN_BRACKET : (state & SCAN_NEST_BRACKET) != 0;
  let firstEscaped: u64 = (state & SCAN_NEST_ESCAPED) != 0 ? 1 : 0;
  while (p < end) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    const length = <u64>(end - p);
    const valid = length < 64 ? below(length) : ~(<u64>0);
    const backslashes = equal64(a, b, c, d, i8x16.splat(0x5c)) & valid;
    const escaped = escapedBytes(backslashes, firstEscaped);
    firstEscaped = length < 64 ? (escaped >> length) & 1 : nextEscaped;
    const strings = prefixXor(equal64(a, b, c, d, i8x16.splat(0x22)) & valid & ~escaped) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    const fold = i8x16.splat(0x20);
    const structure = valid & ~strings;
    const fa = v128.or(a, fold);
    const fb = v128.or(b, fold);
    const fc = v128.or(c, fold);
    const fd = v128.or(d, fold);
    const opens = equal64(fa, fb, fc, fd, i8x16.splat(0x7b)) & structure;
    const closes = equal64(fa, fb, fc, fd, i8x16.splat(0x7d)) & structure;
    const curly = bits64(i16x8.shl(a, 2), i16x8.shl(b, 2), i16x8.shl(c, 2), i16x8.shl(d, 2));
    const at = closingBit(opens, closes, depth);
    if (at < 64) {
      const upTo = ~(<u64>-2 << at);
      braces += <i32>popcnt(opens & curly & upTo) - <i32>popcnt(closes & curly & upTo);
      p += <usize>at;
      return braces == 0 && load<u8>(p) == (isBracket ? CLOSE_BRACKET : CLOSE_BRACE) ? p + 1 : fail(p);
    }
    depth += <i32>popcnt(opens) - <i32>popcnt(closes);
    braces += <i32>popcnt(opens & curly) - <i32>popcnt(closes & curly);
    p += 64;
  }
  store<i32>(region + (SCAN_NEST_DEPTH << 2), depth);
  store<i32>(region + (SCAN_NEST_BRACES << 2), braces);
  const bits =
    (inString != 0 ? SCAN_NEST_IN_STRING : 0) |
    (firstEscaped != 0 ? SCAN_NEST_ESCAPED : 0) |
    (isBracket ? SCAN_NEST_BRACKET : 0);
  store<u32>(region + (SCAN_NEST_STATE << 2), bits);
  return fail(end);
}

/** Address of the first newline from `p` on, or 0. */
export function lineEnd(p: usize, end: usize): usize {
  const newline = i8x16.splat(0x0a);
  while (p < end) {
    const a = i8x16.eq(v128.load(p), newline);
    const b = i8x16.eq(v128.load(p, 16), newline);
    const c = i8x16.eq(v128.load(p, 32), newline);
    const d = i8x16.eq(v128.load(p, 48), newline);
    if (v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) {
      p += <usize>ctz(bits64(a, b, c, d));
      return p < end ? p : 0;
    }
    p += 64;
  }
  return 0;
}
