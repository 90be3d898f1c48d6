/** Numbers, true, false and null. */
import {
  REFUSED_SYNTAX, TAG_DOUBLE, TAG_FALSE, TAG_INTEGER, TAG_NULL, TAG_NUMBER_TEXT, TAG_SMALL_INTEGER, TAG_TRUE,
} from '../../../layout/record';
import { refuse } from './state';
import { putByte, putDouble, putInline, putVarint } from './writer';

/** Integers of more digits may be more than a double holds. */
const MAX_EXACT_DIGITS: usize = 15;
/** From here on twice the number is more than 31 bits. */
const MAX_VARINT: u64 = 0x3fffffff;

// @ts-ignore: decorator
@inline
function isDigit(byte: u32): bool {
  return byte - 0x30 <= 9;
}

/** The first byte at or behind `p` that is no digit, or 0 when there is none at `p`. */
function digitsEnd(p: usize): usize {
  if (!isDigit(<u32>load<u8>(p))) return refuse(REFUSED_SYNTAX);
  while (isDigit(<u32>load<u8>(p))) p++;
  return p;
}

export function putNumber(p: usize): usize {
  const begin = p;
  const isNegative = load<u8>(p) == 0x2d;
  if (isNegative) p++;
  const firstDigit = p;
  let value: u64 = 0;
  while (isDigit(<u32>load<u8>(p))) value = value * 10 + <u64>(load<u8>(p++) - 0x30);
  const digits = p - firstDigit;
  if (digits == 0 || (digits > 1 && load<u8>(firstDigit) == 0x30)) return refuse(REFUSED_SYNTAX);
  const next = load<u8>(p);
  if (next == 0x2e || (next | 0x20) == 0x65) return putNumberText(begin, p);
  if (digits > MAX_EXACT_DIGITS || (isNegative && value == 0)) {
    putInline(TAG_NUMBER_TEXT, begin, <u32>(p - begin));
  } else if (value < 16 && !isNegative) {
    putByte(TAG_SMALL_INTEGER | <u32>value);
  } else if (value < MAX_VARINT) {
    putByte(TAG_INTEGER);
    putVarint(isNegative ? (<u32>value << 1) - 1 : <u32>value << 1);
  } else {
    putByte(TAG_DOUBLE);
    putDouble(isNegative ? -(<f64>value) : <f64>value);
  }
  return p;
}

/** A number that goes on at `p` with its fraction or exponent. */
function putNumberText(begin: usize, p: usize): usize {
  if (load<u8>(p) == 0x2e) {
    p = digitsEnd(p + 1);
    if (p == 0) return 0;
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    const sign = load<u8>(p, 1);
    p = digitsEnd(sign == 0x2b || sign == 0x2d ? p + 2 : p + 1);
    if (p == 0) return 0;
  }
  putInline(TAG_NUMBER_TEXT, begin, <u32>(p - begin));
  return p;
}

export function putWord(p: usize): usize {
  const word = load<u32>(p);
  if (word == 0x65757274) {
    putByte(TAG_TRUE);
    return p + 4;
  }
  if (word == 0x6c6c756e) {
    putByte(TAG_NULL);
    return p + 4;
  }
  if (load<u8>(p) == 0x66 && load<u32>(p, 1) == 0x65736c61) {
    putByte(TAG_FALSE);
    return p + 5;
  }
  return refuse(REFUSED_SYNTAX);
}
