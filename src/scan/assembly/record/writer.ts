/**
 * Writing a record. There are no checks for room: each value writes at most twice as many bytes as its JSON has (an
 * integer of two digits takes two, `-0` four, `[]` one), and the pool gets no more than the strings have. The buffers
 * are made for that, see layout/record-memory.ts.
 */
import {
  TAG_ARRAY, TAG_ASCII, TAG_END, TAG_JSON_STRING, TAG_LONG_ARRAY, TAG_OBJECT, TAG_PAIRS, TAG_POOL, TAG_SHORT_POOL,
  TAG_STRING, TAG_UTF8, RECORD_POOL_STRING_MAX,
} from '../../../layout/record';

/** The next byte of the structure, and of the pool. */
let to: usize = 0;
let poolTo: usize = 0;

export function openWriter(structure: usize, pool: usize): void {
  to = structure;
  poolTo = pool;
}

// @ts-ignore: decorator
@inline
export function structureEnd(): usize {
  return to;
}

// @ts-ignore: decorator
@inline
export function poolEnd(): usize {
  return poolTo;
}

// @ts-ignore: decorator
@inline
export function putByte(byte: u32): void {
  store<u8>(to, byte);
  to++;
}

// @ts-ignore: decorator
@inline
export function putVarint(value: u32): void {
  while (value >= 0x80) {
    store<u8>(to, value | 0x80);
    to++;
    value >>= 7;
  }
  store<u8>(to, value);
  to++;
}

export function putDouble(value: f64): void {
  store<f64>(to, value);
  to += 8;
}

// @ts-ignore: decorator
@inline
export function putStringId(id: u32): void {
  store<u8>(to, TAG_STRING | (id >> 8));
  store<u8>(to, id, 1);
  to += 2;
}

/** Tag, length and bytes, all in the structure. */
export function putInline(tag: u32, from: usize, length: u32): void {
  putByte(tag);
  putVarint(length);
  memory.copy(to, from, length);
  to += <usize>length;
}

export function putUtf8(from: usize, length: u32): void {
  putInline(TAG_UTF8, from, length);
}

export function putJsonString(from: usize, length: u32): void {
  putInline(TAG_JSON_STRING, from, length);
}

/** A string without bytes above 0x7f. */
export function putAscii(from: usize, length: u32): void {
  if (length > <u32>RECORD_POOL_STRING_MAX) {
    putInline(TAG_ASCII, from, length);
    return;
  }
  if (length < 32) {
    putByte(TAG_SHORT_POOL + length);
    v128.store(poolTo, v128.load(from));
    v128.store(poolTo, v128.load(from, 16), 16);
  } else {
    putByte(TAG_POOL);
    putVarint(length);
    // Up to 15 bytes beyond the end, over which the next string is written.
    for (let at: usize = 0; at < <usize>length; at += 16) v128.store(poolTo + at, v128.load(from + at));
  }
  poolTo += <usize>length;
}

/** Leaves room for what is known only when the array or object has ended. */
// @ts-ignore: decorator
@inline
export function reserve(bytes: usize): usize {
  const at = to;
  to += bytes;
  return at;
}

/** @param at - the byte that was reserved when the array began */
// @ts-ignore: decorator
@inline
export function closeArray(at: usize, length: u32): void {
  if (length < <u32>(TAG_LONG_ARRAY - TAG_ARRAY)) {
    store<u8>(at, TAG_ARRAY + length);
  } else {
    store<u8>(at, TAG_LONG_ARRAY);
    putByte(TAG_END);
  }
}

/** @param at - the two bytes that were reserved when the object began */
// @ts-ignore: decorator
@inline
export function closeObject(at: usize, shape: u32): void {
  store<u8>(at, TAG_OBJECT | (shape >> 8));
  store<u8>(at, shape, 1);
}

/** The pairs follow; `closePairs` ends them. */
// @ts-ignore: decorator
@inline
export function openPairs(at: usize, shape: u32): void {
  store<u8>(at, TAG_PAIRS | (shape >> 8));
  store<u8>(at, shape, 1);
}

// @ts-ignore: decorator
@inline
export function closePairs(): void {
  putByte(TAG_END);
}
