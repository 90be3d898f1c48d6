/** Objects, arrays, and what is in them. */
import { RECORD_MAX_DEPTH, RECORD_MAX_SECTIONS, REFUSED_DEPTH, REFUSED_SYNTAX } from '../../../layout/record';
import { DICTIONARY_MAX_KEY_BYTES } from '../../../layout/record-dictionary';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../blocks';
import { putNumber, putWord } from './literals';
import {
  childOf, expectedAfter, expectedAt, expectedString, isMetadata, keysLeft, matchedBytes, matchesKey, NO_PLACE, noteFirst,
  noteKey, noteNext, noteString, pathOf, ROOT, shapeOf,
} from './shapes';
import { mayLearnValues, refuse } from './state';
import { keyHasEscapes, keyIsAscii, plainKeyEnd, putString } from './strings';
import { closeArray, closeObject, closePairs, openPairs, poolEnd, putStringId, reserve, structureEnd } from './writer';

let depth: i32 = 0;
/** Where sections are noted, and how many there are; more than RECORD_MAX_SECTIONS when there are too many. */
let sections: usize = 0;
export let sectionCount: i32 = 0;
/** End of the pool behind metadata; 0 while there is none. */
export let ownEnd: usize = 0;

/** Writes the value at `p`, which is the whole input. */
export function putRoot(p: usize, sectionsAt: usize): usize {
  depth = 0;
  sections = sectionsAt;
  sectionCount = 0;
  ownEnd = 0;
  return putValue(skipSpace(p), NO_PLACE);
}

// @ts-ignore: decorator
@inline
export function skipSpace(p: usize): usize {
  return load<u8>(p) > 0x20 ? p : skipSpaces(p);
}

function skipSpaces(p: usize): usize {
  while (true) {
    const byte = load<u8>(p);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return p;
    p++;
  }
  return 0;
}

function putValue(p: usize, place: usize): usize {
  const first = load<u8>(p);
  if (first == QUOTE) {
    const known = expectedString(p, place);
    if (known == 0) return putString(p, place, mayLearnValues);
    putStringId(known - 1);
    return p + matchedBytes;
  }
  if (first == OPEN_BRACE || first == OPEN_BRACKET) {
    if (depth == RECORD_MAX_DEPTH) return refuse(REFUSED_DEPTH);
    depth++;
    p = first == OPEN_BRACE ? putObject(p, place) : putArray(p, place);
    depth--;
    return p;
  }
  return <u32>first - 0x30 <= 9 || first == 0x2d ? putNumber(p) : putWord(p);
}

function putArray(p: usize, place: usize): usize {
  const tag = reserve(1);
  let length: u32 = 0;
  p = skipSpace(p + 1);
  if (load<u8>(p) != CLOSE_BRACKET) {
    while (true) {
      p = putValue(p, place);
      if (p == 0) return 0;
      length++;
      p = skipSpace(p);
      const next = load<u8>(p);
      if (next == CLOSE_BRACKET) break;
      if (next != COMMA) return refuse(REFUSED_SYNTAX);
      p = skipSpace(p + 1);
    }
  }
  closeArray(tag, length);
  return p + 1;
}

function putObject(p: usize, place: usize): usize {
  const tag = reserve(2);
  const isTop = depth == 1;
  let node = ROOT;
  p = skipSpace(p + 1);
  if (load<u8>(p) == CLOSE_BRACE) {
    closeObject(tag, shapeOf(ROOT));
    return p + 1;
  }
  let child = expectedAt(place);
  while (true) {
    if (load<u8>(p) != QUOTE) return refuse(REFUSED_SYNTAX);
    const length = child == 0 ? <usize>0 : matchesKey(p + 1, child);
    if (length != 0) {
      p += 1 + length;
    } else {
      const end = plainKeyEnd(p + 1);
      if (end == 0) return 0;
      child = keyHasEscapes ? 0 : childOf(node, p + 1, <u32>(end - p - 1), keyIsAscii);
      if (child == 0) return putPairs(tag, node, p, isTop);
      if (node == ROOT) noteFirst(place, child);
      else noteNext(node, child);
      p = end;
    }
    p = skipSpace(p);
    if (load<u8>(p) != COLON) return refuse(REFUSED_SYNTAX);
    p = skipSpace(p + 1);
    if (isTop) noteSection();
    p = putValue(p, child);
    if (p == 0) return 0;
    if (isTop && isMetadata(child)) ownEnd = poolEnd();
    node = child;
    p = skipSpace(p);
    const next = load<u8>(p);
    if (next == CLOSE_BRACE) break;
    if (next != COMMA) return refuse(REFUSED_SYNTAX);
    p = skipSpace(p + 1);
    child = expectedAfter(node);
  }
  closeObject(tag, shapeOf(node));
  return p + 1;
}

/** The rest of an object, from the key at `p` on, in pairs. */
function putPairs(tag: usize, node: usize, p: usize, isTop: bool): usize {
  openPairs(tag, shapeOf(node));
  if (isTop) sectionCount = RECORD_MAX_SECTIONS + 1;
  let path = pathOf(node);
  let left = keysLeft(node);
  while (true) {
    if (load<u8>(p) != QUOTE) return refuse(REFUSED_SYNTAX);
    if (left != 0) {
      const end = plainKeyEnd(p + 1);
      if (end == 0) return 0;
      const length = <u32>(end - p - 1);
      if (keyHasEscapes || length > <u32>DICTIONARY_MAX_KEY_BYTES) {
        left = 0;
      } else {
        path = noteKey(path, p + 1, length);
        left--;
      }
    }
    p = putString(p, NO_PLACE, true);
    if (p == 0) return 0;
    p = skipSpace(p);
    if (load<u8>(p) != COLON) return refuse(REFUSED_SYNTAX);
    p = putValue(skipSpace(p + 1), NO_PLACE);
    if (p == 0) return 0;
    p = skipSpace(p);
    const next = load<u8>(p);
    if (next == CLOSE_BRACE) break;
    if (next != COMMA) return refuse(REFUSED_SYNTAX);
    p = skipSpace(p + 1);
  }
  closePairs();
  if (isTop) ownEnd = poolEnd();
  return p + 1;
}

/** Notes where the value of the next key of the whole object begins. */
function noteSection(): void {
  if (sectionCount < RECORD_MAX_SECTIONS) {
    const section = sections + (<usize>sectionCount << 3);
    store<u32>(section, <u32>structureEnd());
    store<u32>(section, <u32>poolEnd(), 4);
  }
  sectionCount++;
}
