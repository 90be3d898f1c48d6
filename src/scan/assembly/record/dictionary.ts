/** Strings of the dictionary: finding them, and learning those that a second object has. */
import {
  DICTIONARY_BYTES, DICTIONARY_LENGTH_MASK, DICTIONARY_MAX_STRING_BYTES, DICTIONARY_MAX_STRINGS, DICTIONARY_NON_ASCII,
  DICTIONARY_PLAIN, DICTIONARY_STRING_BYTES, DICTIONARY_STRING_COUNT_WORD, DICTIONARY_STRINGS_BYTE,
  DICTIONARY_TEXT_BYTE, DICTIONARY_TEXT_BYTES_WORD,
} from '../../../layout/record-dictionary';
import {
  CELL_BYTES, OWN_DICTIONARY_BYTE, RESULT_BYTE, RESULT_IS_FULL, STRING_CELLS, STRING_CELLS_BYTE,
} from '../../../layout/record-memory';
import { hashOf, isSame, wasSeenElsewhere } from './bytes';

const ENTRIES: usize = OWN_DICTIONARY_BYTE + DICTIONARY_STRINGS_BYTE;
const TEXT: usize = OWN_DICTIONARY_BYTE + DICTIONARY_TEXT_BYTE;
const COUNT: usize = OWN_DICTIONARY_BYTE + DICTIONARY_STRING_COUNT_WORD * 4;
const TEXT_BYTES: usize = OWN_DICTIONARY_BYTE + DICTIONARY_TEXT_BYTES_WORD * 4;
/** Blocks are compared, so the last string needs some bytes behind it. */
const TEXT_LIMIT: u32 = DICTIONARY_BYTES - DICTIONARY_TEXT_BYTE - 32;

/** So many cells are looked at for one string. In a half-full table nearly all are found within five. */
const MAX_PROBES: i32 = 32;

export const NOT_FOUND: i32 = -1;

function noteFull(): void {
  store<u32>(<usize>(RESULT_BYTE + (RESULT_IS_FULL << 2)), 1);
}

/** Appends to the text. 0 when it is full. */
export function appendText(from: usize, length: u32): usize {
  const used = load<u32>(TEXT_BYTES);
  if (used + length > TEXT_LIMIT) {
    noteFull();
    return 0;
  }
  memory.copy(TEXT + <usize>used, from, length);
  store<u32>(TEXT_BYTES, used + length);
  return TEXT + <usize>used;
}

/** Whether JSON text begins with the string `id`, quotes included; then its length, else 0. */
// @ts-ignore: decorator
@inline
export function matchesString(p: usize, id: u32): usize {
  const entry = ENTRIES + <usize>(id * DICTIONARY_STRING_BYTES);
  const info = load<u32>(entry, 4);
  if ((info & DICTIONARY_PLAIN) == 0) return 0;
  const length = <usize>(info & DICTIONARY_LENGTH_MASK) + 2;
  return isSame(p, TEXT + <usize>load<u32>(entry) - 1, length) ? length : 0;
}

/** Bit n is set when byte n of the block is a hexadecimal digit. */
function hexDigits(block: v128): i32 {
  const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
  const letters = i8x16.lt_u(i8x16.sub(v128.or(block, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(6));
  return i8x16.bitmask(v128.or(digits, letters));
}

/**
 * Whether other objects may have the same string for longer than a moment. Times, uids and digests fill a dictionary
 * and are hardly used again; a string of one character is as short as its id.
 */
export function isWorthKnowing(at: usize, length: u32): bool {
  if (length < 2 || length > <u32>DICTIONARY_MAX_STRING_BYTES) return false;
  if (length < 20) return true;
  if (load<u8>(at, 4) == 0x2d && load<u8>(at, 7) == 0x2d && load<u8>(at, 10) == 0x54 && length <= 35) return false;
  // The last group of a uid has twelve digits.
  return length < 32 || (hexDigits(v128.load(at + <usize>length - 16)) & 0xfff0) != 0xfff0;
}

/** The id of a string, or NOT_FOUND. With `mayLearn` it gets one when another object has had it. */
export function stringId(at: usize, length: u32, isAscii: bool, isPlain: bool, mayLearn: bool): i32 {
  const hash = hashOf(at, <usize>length, 0);
  const print = <u32>(hash >> 32) | 1;
  let index = <u32>hash;
  for (let probe = 0; probe < MAX_PROBES; probe++, index++) {
    const cell = <usize>(STRING_CELLS_BYTE + (index & (STRING_CELLS - 1)) * CELL_BYTES);
    const found = load<u32>(cell);
    if (found == 0) return mayLearn && wasSeenElsewhere(hash) ? learn(cell, print, at, length, isAscii, isPlain) : NOT_FOUND;
    if (found != print) continue;
    const id = load<u32>(cell, 4);
    const entry = ENTRIES + <usize>(id * DICTIONARY_STRING_BYTES);
    if ((load<u32>(entry, 4) & DICTIONARY_LENGTH_MASK) != length) continue;
    if (isSame(at, TEXT + <usize>load<u32>(entry), <usize>length)) return <i32>id;
  }
  return NOT_FOUND;
}

function learn(cell: usize, print: u32, at: usize, length: u32, isAscii: bool, isPlain: bool): i32 {
  const id = load<u32>(COUNT);
  const used = load<u32>(TEXT_BYTES);
  if (id >= <u32>DICTIONARY_MAX_STRINGS || used + length + 2 > TEXT_LIMIT) {
    noteFull();
    return NOT_FOUND;
  }
  // With its quotes, so that it can be compared with JSON text.
  const text = TEXT + <usize>used;
  store<u8>(text, 0x22);
  memory.copy(text + 1, at, length);
  store<u8>(text + 1 + <usize>length, 0x22);
  store<u32>(TEXT_BYTES, used + length + 2);
  const entry = ENTRIES + <usize>(id * DICTIONARY_STRING_BYTES);
  store<u32>(entry, used + 1);
  store<u32>(entry, length | (isAscii ? 0 : DICTIONARY_NON_ASCII) | (isPlain ? DICTIONARY_PLAIN : 0), 4);
  store<u32>(COUNT, id + 1);
  store<u32>(cell, print);
  store<u32>(cell, id, 4);
  return <i32>id;
}
