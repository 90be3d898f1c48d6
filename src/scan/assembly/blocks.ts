/** Arithmetic on blocks of 64 bytes: one bit per byte. */

export const QUOTE: u8 = 0x22;
export const BACKSLASH: u8 = 0x5c;
export const COMMA: u8 = 0x2c;
export const COLON: u8 = 0x3a;
export const OPEN_BRACE: u8 = 0x7b;
export const CLOSE_BRACE: u8 = 0x7d;
export const OPEN_BRACKET: u8 = 0x5b;
export const CLOSE_BRACKET: u8 = 0x5d;

const EVEN: u64 = 0x5555555555555555;

// @ts-ignore: decorator
@inline
export function bits64(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16)) |
    (<u64>(<u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16)) << 32)
  );
}

// @ts-ignore: decorator
@inline
export function equal64(a: v128, b: v128, c: v128, d: v128, byte: v128): u64 {
  return bits64(i8x16.eq(a, byte), i8x16.eq(b, byte), i8x16.eq(c, byte), i8x16.eq(d, byte));
}

// @ts-ignore: decorator
@inline
export function hasByte(a: v128, b: v128, c: v128, d: v128, byte: v128): bool {
  return v128.any_true(
    v128.or(v128.or(i8x16.eq(a, byte), i8x16.eq(b, byte)), v128.or(i8x16.eq(c, byte), i8x16.eq(d, byte))),
  );
}

/** The bits below bit `at`, which is at most 63. */
// @ts-ignore: decorator
@inline
export function below(at: u64): u64 {
  return (<u64>1 << at) - 1;
}

/** Bit n is the parity of bits 0 to n: between an odd quote and the next one, all ones. */
// @ts-ignore: decorator
@inline
export function prefixXor(bits: u64): u64 {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
}

/** 1 when the byte behind the block that `escapedBytes` saw last is escaped. */
export let nextEscaped: u64 = 0;

/**
 * The bytes that have an odd run of backslashes before them. Adding a run's bits to its first bit carries
 * to the byte behind the run, and whether that is at an even or odd place tells the run's length.
 */
// @ts-ignore: decorator
@inline
export function escapedBytes(backslashes: u64, firstEscaped: u64): u64 {
  const starting = backslashes & ~firstEscaped;
  const following = (starting << 1) | firstEscaped;
  const oddStarts = starting & ~EVEN & ~following;
  const carried = oddStarts + starting;
  nextEscaped = <u64>(carried < oddStarts);
  return (EVEN ^ (carried << 1)) & following;
}
