/** Writing what a scan found to the result region, and taking it back when a key occurs again. */
import {
  SCAN_CUT_COUNT, SCAN_CUTS, SCAN_EVENT_TYPE, SCAN_FIELD_COUNT, SCAN_FIELD_NODES, SCAN_FIELD_WORDS, SCAN_FIELDS,
  SCAN_FLAG_ESCAPED_SHIFT, SCAN_FLAG_FIELDS_OVERFLOW, SCAN_FLAG_NON_ASCII, SCAN_FLAGS, SCAN_IDENTITY,
  SCAN_IDENTITY_COUNT, SCAN_IDENTITY_NODES, SCAN_MAX_CUTS, SCAN_MAX_FIELDS, SCAN_OBJECT_END, SCAN_OBJECT_START,
  SCAN_SCRATCH, SCAN_SCRATCH_WORDS,
} from '../../layout/scan';
import { nonAscii } from './state';

let result: usize = 0;
let cutCount: i32 = 0;
let flags: u32 = 0;
export let fieldCount: i32 = 0;

// @ts-ignore: decorator
@inline
export function putWord(word: i32, value: usize): void {
  store<u32>(result + (<usize>word << 2), <u32>value);
}

// @ts-ignore: decorator
@inline
export function getWord(word: i32): u32 {
  return load<u32>(result + (<usize>word << 2));
}

/** One of two places to decode a string to. */
// @ts-ignore: decorator
@inline
export function scratch(n: i32): usize {
  return result + (<usize>(SCAN_SCRATCH + n * SCAN_SCRATCH_WORDS) << 2);
}

export function openResult(region: usize): void {
  result = region;
  cutCount = 0;
  fieldCount = 0;
  flags = 0;
  for (let word: usize = 0; word < <usize>(SCAN_EVENT_TYPE + 2); word += 2) store<u64>(region + (word << 2), 0);
}

export function closeResult(): void {
  putWord(SCAN_FLAGS, <usize>(flags | (nonAscii != 0 ? SCAN_FLAG_NON_ASCII : 0)));
  putWord(SCAN_CUT_COUNT, <usize>cutCount);
  putWord(SCAN_FIELD_COUNT, <usize>fieldCount);
}

export function isIdentityEscaped(word: i32): bool {
  return ((flags >> (SCAN_FLAG_ESCAPED_SHIFT + ((word - SCAN_IDENTITY) >> 1))) & 1) != 0;
}

export function putCut(from: usize, to: usize): void {
  if (cutCount == SCAN_MAX_CUTS || from == to) return;
  putWord(SCAN_CUTS + cutCount * 2, from);
  putWord(SCAN_CUTS + cutCount * 2 + 1, to);
  cutCount++;
}

/** The object begins: cuts of an earlier one under the same key lie outside of it. */
export function beginObject(): void {
  cutCount = 0;
}

export function endObject(from: usize, to: usize): void {
  putWord(SCAN_OBJECT_START, from);
  putWord(SCAN_OBJECT_END, to);
}

export function putIdentity(slot: i32, node: u32, from: usize, to: usize, escaped: bool): void {
  const word = SCAN_IDENTITY + slot * 2;
  putWord(word, from);
  putWord(word + 1, to);
  putWord(SCAN_IDENTITY_NODES + slot, <usize>node);
  const bit: u32 = 1 << (SCAN_FLAG_ESCAPED_SHIFT + slot);
  flags = escaped ? flags | bit : flags & ~bit;
}

export function putField(id: u32, type: u32, node: u32, from: usize, to: usize): void {
  if (fieldCount == SCAN_MAX_FIELDS) {
    flags |= SCAN_FLAG_FIELDS_OVERFLOW;
    return;
  }
  const word = SCAN_FIELDS + fieldCount * SCAN_FIELD_WORDS;
  putWord(word, <usize>(id | (type << 8)));
  putWord(word + 1, from);
  putWord(word + 2, to);
  store<u16>(fieldNode(fieldCount), <u16>node);
  fieldCount++;
}

// @ts-ignore: decorator
@inline
function fieldNode(field: i32): usize {
  return result + (<usize>SCAN_FIELD_NODES << 2) + (<usize>field << 1);
}

/** Address of a field's three words, and the number of the node that gave it. */
export function fieldAddress(field: i32): usize {
  return result + (<usize>(SCAN_FIELDS + field * SCAN_FIELD_WORDS) << 2);
}

export function fieldNodeNumber(field: i32): u32 {
  return load<u16>(fieldNode(field));
}

/**
 * Takes back what the nodes from `first` to `last` gave since there were `since` fields: their key occurs
 * again in the same object, and the last one counts.
 */
export function takeBack(first: u32, last: u32, since: i32): void {
  let kept = since;
  for (let field = since; field < fieldCount; field++) {
    const node = fieldNodeNumber(field);
    if (node >= first && node <= last) continue;
    if (kept != field) {
      memory.copy(fieldAddress(kept), fieldAddress(field), SCAN_FIELD_WORDS * 4);
      store<u16>(fieldNode(kept), <u16>node);
    }
    kept++;
  }
  fieldCount = kept;
  for (let slot = 0; slot < SCAN_IDENTITY_COUNT; slot++) {
    const word = SCAN_IDENTITY + slot * 2;
    const node = getWord(SCAN_IDENTITY_NODES + slot);
    if (getWord(word + 1) != 0 && node >= first && node <= last) putIdentity(slot, 0, 0, 0, false);
  }
}
