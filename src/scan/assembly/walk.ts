/** Walking an object with a program: only what the program names is looked at, all else is skipped. */
import { SCAN_MAX_KEY_BYTES, SCAN_VALUE_COMPOUND, SCAN_VALUE_ESCAPED, SCAN_VALUE_LITERAL, SCAN_VALUE_STRING } from '../../layout/scan';
import {
  NODE_AT, NODE_AT_COUNT, NODE_EACH, NODE_FLAG_DROP, NODE_FLAG_KEEPS_NAMED, NODE_FLAG_OBJECT, NODE_FLAG_WALK_ARRAY, NODE_FLAG_WALK_OBJECT,
  NODE_FLAGS, NODE_ID_COUNTS, NODE_IDENTITY_SHIFT, NODE_IDS, NODE_NUMBERS, AT_CHILD, AT_ENTRY_BYTES, AT_INDEX,
} from '../program-layout';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './blocks';
import { findEscapedKey, findKey, keyBit, putKey } from './keys';
import { literalEnd } from './literal';
import { beginObject, endObject, fieldCount, putCut, putField, putIdentity, scratch, takeBack } from './result';
import { nestEnd, skipSpace, valueEnd } from './skip';
import { escapes, fail } from './state';
import { checkEscapes, stringEnd } from './strings';

/** Number of a node, which is also the first of its subtree, and the last of its subtree. */
// @ts-ignore: decorator
@inline
function firstNumber(node: usize): u32 {
  return load<u16>(node, NODE_NUMBERS);
}

// @ts-ignore: decorator
@inline
function lastNumber(node: usize): u32 {
  return load<u16>(node, NODE_NUMBERS + 2);
}

/** Takes the value at `p` as what `node` says, and returns the byte behind it. */
export function walkValue(node: usize, p: usize, end: usize): usize {
  const first = load<u8>(p);
  const flags = load<u32>(node, NODE_FLAGS);
  if (first == QUOTE) return takeString(node, flags, p, end);
  let stop: usize;
  let type: u32 = SCAN_VALUE_COMPOUND;
  if (first == OPEN_BRACE) {
    if ((flags & NODE_FLAG_OBJECT) != 0) beginObject();
    stop = (flags & NODE_FLAG_WALK_OBJECT) != 0 ? walkObject(node, p, end) : nestEnd(p, end);
    if (stop != 0 && (flags & NODE_FLAG_OBJECT) != 0) endObject(p, stop);
  } else if (first == OPEN_BRACKET) {
    stop = (flags & NODE_FLAG_WALK_ARRAY) != 0 ? walkArray(node, p, end) : nestEnd(p, end);
  } else {
    stop = literalEnd(p, end);
    type = SCAN_VALUE_LITERAL;
  }
  if (stop != 0) putFields(node, type, p, stop);
  return stop;
}

// @ts-ignore: decorator
@inline
function putFields(node: usize, type: u32, from: usize, to: usize): void {
  const count = load<u16>(node, NODE_ID_COUNTS);
  if (count == 0) return;
  const ids = <usize>load<u32>(node, NODE_IDS);
  for (let i: usize = 0; i < <usize>count; i++) putField(load<u32>(ids + (i << 2)), type, firstNumber(node), from, to);
}

function takeString(node: usize, flags: u32, p: usize, end: usize): usize {
  const from = p + 1;
  const to = stringEnd(from, end);
  if (to == 0) return 0;
  const isEscaped = escapes != 0;
  if (isEscaped && !checkEscapes(from, to, scratch(0), SCAN_MAX_KEY_BYTES)) return 0;
  const identity = <i32>(flags >> NODE_IDENTITY_SHIFT);
  if (identity != 0) putIdentity(identity - 1, firstNumber(node), from, to, isEscaped);
  putFields(node, isEscaped ? SCAN_VALUE_ESCAPED : SCAN_VALUE_STRING, from, to);
  return to + 1;
}

function walkObject(node: usize, p: usize, end: usize): usize {
  const fieldsBefore = fieldCount;
  const keyIds = load<u16>(node, NODE_ID_COUNTS + 2);
  const keepsNamed = (load<u32>(node, NODE_FLAGS) & NODE_FLAG_KEEPS_NAMED) != 0;
  let seen: u64 = 0;
  // Members that are dropped are cut in runs: up to the next kept key, or at the end from the last kept value.
  let runStart: usize = 0;
  let runEnd: usize = 0;
  let keptEnd: usize = 0;
  p = skipSpace(p + 1, end);
  if (load<u8>(p) == CLOSE_BRACE) return p < end ? p + 1 : fail(end);
  while (true) {
    if (p >= end || load<u8>(p) != QUOTE) return fail(p);
    const key = p;
    const keyEnd = stringEnd(p + 1, end);
    if (keyEnd == 0) return 0;
    const isEscaped = escapes != 0;
    const child = isEscaped ? findEscapedKey(node, p + 1, keyEnd) : findKey(node, p + 1, <u32>(keyEnd - p - 1));
    if (child == 1) return 0;
    if (keyIds != 0) putKey(node, firstNumber(node), p + 1, keyEnd, isEscaped, fieldsBefore);

    p = skipSpace(keyEnd + 1, end);
    if (p >= end || load<u8>(p) != COLON) return fail(p);
    p = skipSpace(p + 1, end);
    const isDropped = child == 0 ? keepsNamed : (load<u32>(child, NODE_FLAGS) & NODE_FLAG_DROP) != 0;
    if (isDropped) {
      if (runStart == 0) runStart = key;
    } else if (runStart != 0) {
      putCut(runStart, key);
      runStart = 0;
    }
    if (child == 0) {
      p = valueEnd(p, end);
    } else {
      if ((seen & keyBit) != 0) forget(child, fieldsBefore);
      seen |= keyBit;
      p = walkValue(child, p, end);
    }
    if (p == 0) return 0;
    if (isDropped) runEnd = p;
    else keptEnd = p;

    p = skipSpace(p, end);
    if (p >= end) return fail(end);
    const next = load<u8>(p);
    if (next == COMMA) {
      p = skipSpace(p + 1, end);
      continue;
    }
    if (next != CLOSE_BRACE) return fail(p);
    if (runStart != 0) putCut(keptEnd != 0 ? keptEnd : runStart, runEnd);
    return p + 1;
  }
}

function forget(child: usize, fieldsBefore: i32): void {
  takeBack(firstNumber(child), lastNumber(child), fieldsBefore);
  if ((load<u32>(child, NODE_FLAGS) & NODE_FLAG_OBJECT) != 0) {
    beginObject();
    endObject(0, 0);
  }
}

function walkArray(node: usize, p: usize, end: usize): usize {
  let index: u32 = 0;
  p = skipSpace(p + 1, end);
  if (load<u8>(p) == CLOSE_BRACKET) return p < end ? p + 1 : fail(end);
  while (true) {
    const child = findElement(node, index);
    p = child != 0 ? walkValue(child, p, end) : valueEnd(p, end);
    if (p == 0) return 0;
    p = skipSpace(p, end);
    if (p >= end) return fail(end);
    const next = load<u8>(p);
    if (next == CLOSE_BRACKET) return p + 1;
    if (next != COMMA) return fail(p);
    p = skipSpace(p + 1, end);
    index++;
  }
}

function findElement(node: usize, index: u32): usize {
  const list = <usize>load<u32>(node, NODE_AT);
  const stop = list + <usize>load<u32>(node, NODE_AT_COUNT) * AT_ENTRY_BYTES;
  for (let entry = list; entry < stop; entry += AT_ENTRY_BYTES) {
    if (load<u32>(entry, AT_INDEX) == index) return <usize>load<u32>(entry, AT_CHILD);
  }
  return <usize>load<u32>(node, NODE_EACH);
}
