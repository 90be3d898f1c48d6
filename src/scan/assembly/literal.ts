/** Numbers, true, false and null. */
import { fail } from './state';

const TRUE: u32 = 0x65757274;
const ALSE: u32 = 0x65736c61;
const NULL: u32 = 0x6c6c756e;

// @ts-ignore: decorator
@inline
function isDigit(byte: u8): bool {
  return <u32>byte - 0x30 <= 9;
}

/** The first byte at or behind `p` that is no digit; there must be one digit at least. */
function digitsEnd(p: usize, end: usize): usize {
  if (p >= end || !isDigit(load<u8>(p))) return fail(p);
  while (p < end && isDigit(load<u8>(p))) p++;
  return p;
}

function numberEnd(p: usize, end: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  if (p < end && load<u8>(p) == 0x30) {
    p++;
  } else {
    p = digitsEnd(p, end);
    if (p == 0) return 0;
  }
  if (p < end && load<u8>(p) == 0x2e) {
    p = digitsEnd(p + 1, end);
    if (p == 0) return 0;
  }
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    p = digitsEnd(p, end);
  }
  return p;
}

/** The length of the part of `word` that is there before `end` and is as it should be. */
function matchingBytes(p: usize, end: usize, word: u32, length: usize): usize {
  let at: usize = 0;
  while (at < length && p + at < end && load<u8>(p + at) == <u8>(word >> (<u32>at * 8))) at++;
  return at;
}

function wordEnd(p: usize, end: usize, word: u32): usize {
  const at = matchingBytes(p, end, word, 4);
  return at == 4 ? p + 4 : fail(p + at);
}

/** The byte behind the literal at `p`. What ends at `end` may go on in bytes to come, so it fails there. */
export function literalEnd(p: usize, end: usize): usize {
  const first = load<u8>(p);
  let stop: usize;
  if (p >= end) stop = fail(end);
  else if (first == 0x74) stop = wordEnd(p, end, TRUE);
  else if (first == 0x66) stop = wordEnd(p + 1, end, ALSE);
  else if (first == 0x6e) stop = wordEnd(p, end, NULL);
  else stop = numberEnd(p, end);
  return stop >= end ? fail(end) : stop;
}
