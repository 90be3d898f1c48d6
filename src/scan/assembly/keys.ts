/** Finding the child of a program node for a key, and noting the keys of a map. */
import { SCAN_MAX_KEY_BYTES, SCAN_VALUE_ESCAPED, SCAN_VALUE_STRING } from '../../layout/scan';
import {
  KEY_BYTES, KEY_CHILD, KEY_ENTRY_BYTES, KEY_LENGTH, KEY_PREFIX, NODE_ID_COUNTS, NODE_IDS, NODE_KEY_COUNT, NODE_KEYS,
  NODE_LENGTH_MASK,
} from '../program-layout';
import { fieldAddress, fieldCount, fieldNodeNumber, putField, scratch } from './result';
import { decodeString } from './strings';

/** The bit of the key that `findKey` found, in the set of keys of its node. */
export let keyBit: u64 = 0;

/** The child for the key of `length` bytes at `key`, or 0. Sets `keyBit`. */
export function findKey(node: usize, key: usize, length: u32): usize {
  const lengthBit = <u64>min<u32>(length, 63);
  if (((load<u64>(node, NODE_LENGTH_MASK) >> lengthBit) & 1) == 0) return 0;
  const prefix = length < 8 ? load<u64>(key) & ((<u64>1 << (<u64>length << 3)) - 1) : load<u64>(key);
  let entry = <usize>load<u32>(node, NODE_KEYS);
  const stop = entry + <usize>load<u32>(node, NODE_KEY_COUNT) * KEY_ENTRY_BYTES;
  for (let bit: u64 = 1; entry < stop; entry += KEY_ENTRY_BYTES, bit <<= 1) {
    if (load<u64>(entry, KEY_PREFIX) != prefix || load<u32>(entry, KEY_LENGTH) != length) continue;
    if (length > 8 && !isEqual(key, <usize>load<u32>(entry, KEY_BYTES), length)) continue;
    keyBit = bit;
    return <usize>load<u32>(entry, KEY_CHILD);
  }
  return 0;
}

/** Compares at least 8 bytes: words from the start, and one that ends at the end. */
function isEqual(a: usize, b: usize, length: u32): bool {
  const last = <usize>length - 8;
  for (let at: usize = 0; at < last; at += 8) {
    if (load<u64>(a + at) != load<u64>(b + at)) return false;
  }
  return load<u64>(a + last) == load<u64>(b + last);
}

/** As `findKey` for a key with escapes; 1 after `fail` when an escape is none. */
export function findEscapedKey(node: usize, key: usize, keyEnd: usize): usize {
  const length = decodeString(key, keyEnd, scratch(0), SCAN_MAX_KEY_BYTES);
  if (length < 0) return 1;
  return length > SCAN_MAX_KEY_BYTES ? 0 : findKey(node, scratch(0), <u32>length);
}

/** Gives the key to the fields that want the keys of this map, unless the map has shown it before. */
export function putKey(node: usize, number: u32, key: usize, keyEnd: usize, isEscaped: bool, since: i32): void {
  const type = isEscaped ? SCAN_VALUE_ESCAPED : SCAN_VALUE_STRING;
  for (let field = since; field < fieldCount; field++) {
    if (fieldNodeNumber(field) == number && isSameKey(fieldAddress(field), key, keyEnd, isEscaped)) return;
  }
  const values = <usize>load<u16>(node, NODE_ID_COUNTS);
  const keys = <usize>load<u16>(node, NODE_ID_COUNTS + 2);
  const ids = <usize>load<u32>(node, NODE_IDS) + (values << 2);
  for (let i: usize = 0; i < keys; i++) putField(load<u32>(ids + (i << 2)), type, number, key, keyEnd);
}

function isSameKey(field: usize, key: usize, keyEnd: usize, isEscaped: bool): bool {
  let other = <usize>load<u32>(field, 4);
  let otherLength = <i32>(<usize>load<u32>(field, 8) - other);
  let length = <i32>(keyEnd - key);
  const isOtherEscaped = ((load<u32>(field) >> 8) & 0xff) == SCAN_VALUE_ESCAPED;
  if (isEscaped || isOtherEscaped) {
    if (isEscaped) {
      length = decodeString(key, keyEnd, scratch(0), SCAN_MAX_KEY_BYTES);
      key = scratch(0);
    }
    if (isOtherEscaped) {
      otherLength = decodeString(other, other + <usize>otherLength, scratch(1), SCAN_MAX_KEY_BYTES);
      other = scratch(1);
    }
    if (length > SCAN_MAX_KEY_BYTES) return false;
  }
  return length == otherLength && memory.compare(key, other, <usize>length) == 0;
}
