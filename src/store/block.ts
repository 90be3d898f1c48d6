/**
 * Reads blocks (see layout/block.ts) in place. A block is named by its segment and the byte it starts at, a
 * multiple of 8 below 2 GiB. Nothing here checks stamps: who reads a block that may be released meanwhile
 * compares the stamp before and after.
 */
import {
  BLOCK_BODY_LENGTH_WORD,
  BLOCK_BODY_OFFSET_WORD,
  BLOCK_FIELD_COUNT_HALF,
  BLOCK_FLAG_ASCII,
  BLOCK_FLAGS_HALF,
  BLOCK_KEY_BYTE,
  BLOCK_NAME_LENGTH_HALF,
  BLOCK_NAMESPACE_LENGTH_HALF,
  BLOCK_RV_LENGTH_HALF,
  BLOCK_STAMP_WORD,
  BLOCK_UID_LENGTH_HALF,
  FIELD_ID_SHIFT,
  FIELD_LENGTH_MASK,
} from '../layout/block.ts';
import { type HashSeed, hashBytes, type KeyHash } from '../layout/key-hash.ts';
import type { Segment } from './segments.ts';

/** Buffer methods that Node's types leave out; they skip the look at an encoding's name. */
interface Sliceable {
  latin1Slice(begin: number, end: number): string;
  utf8Slice(begin: number, end: number): string;
}

/**
 * The block's stamp now, as a signed word; 0, which no block has, behind the end of the segment: a number of a
 * segment that was given up can name a shorter one later.
 */
export function blockStamp(segment: Segment, block: number): number {
  const word = (block >>> 2) + BLOCK_STAMP_WORD;
  return word < segment.words.length ? Atomics.load(segment.words, word) : 0;
}

/** `namespace/name`, or `name` when there is no namespace. */
export function blockKey(segment: Segment, block: number): string {
  const begin = block + BLOCK_KEY_BYTE;
  return text(segment, block, begin, begin + blockKeyLength(segment, block));
}

/** '' for an object without a namespace. */
export function blockNamespace(segment: Segment, block: number): string {
  const begin = block + BLOCK_KEY_BYTE;
  return text(segment, block, begin, begin + half(segment, block, BLOCK_NAMESPACE_LENGTH_HALF));
}

export function blockName(segment: Segment, block: number): string {
  const end = block + BLOCK_KEY_BYTE + blockKeyLength(segment, block);
  return text(segment, block, end - half(segment, block, BLOCK_NAME_LENGTH_HALF), end);
}

export function blockUid(segment: Segment, block: number): string {
  const begin = uidStart(segment, block);
  return text(segment, block, begin, begin + half(segment, block, BLOCK_UID_LENGTH_HALF));
}

export function blockResourceVersion(segment: Segment, block: number): string {
  const begin = uidStart(segment, block) + half(segment, block, BLOCK_UID_LENGTH_HALF);
  return text(segment, block, begin, begin + half(segment, block, BLOCK_RV_LENGTH_HALF));
}

/**
 * Hashes uid and resourceVersion as a worker does (`ObjectDraft.hashVersion`).
 *
 * @returns false when the block names no resourceVersion; `out` is not set then
 */
export function hashVersion(segment: Segment, block: number, seed: HashSeed, out: KeyHash): boolean {
  const uid = uidStart(segment, block);
  const version = uid + half(segment, block, BLOCK_UID_LENGTH_HALF);
  const end = version + half(segment, block, BLOCK_RV_LENGTH_HALF);
  if (end === version) return false;
  hashBytes(segment.bytes, uid, version, seed, out);
  hashBytes(segment.bytes, version, end, out, out);
  return true;
}

/** The first value of a field, or undefined when the object has none. */
export function blockField(segment: Segment, block: number, fieldId: number): string | undefined {
  const words = segment.words;
  let word = fieldsStartWord(segment, block);
  for (let left = blockFieldCount(segment, block); left > 0; left--) {
    const head = words[word]!;
    if (head >>> FIELD_ID_SHIFT === fieldId) return fieldText(segment, block, word);
    word = nextFieldWord(word, head);
  }
  return undefined;
}

/** All values of a field in the order of the block, repeated ones too. */
export function blockFields(segment: Segment, block: number, fieldId: number): string[] {
  const words = segment.words;
  const values: string[] = [];
  let word = fieldsStartWord(segment, block);
  for (let left = blockFieldCount(segment, block); left > 0; left--) {
    const head = words[word]!;
    if (head >>> FIELD_ID_SHIFT === fieldId) values.push(fieldText(segment, block, word));
    word = nextFieldWord(word, head);
  }
  return values;
}

/** First byte of the body in the segment. */
export function bodyStart(segment: Segment, block: number): number {
  return block + segment.words[(block >>> 2) + BLOCK_BODY_OFFSET_WORD]!;
}

/** The byte behind the body; {@link bodyStart} when the block has none. */
export function bodyEnd(segment: Segment, block: number): number {
  return bodyStart(segment, block) + segment.words[(block >>> 2) + BLOCK_BODY_LENGTH_WORD]!;
}

/** Do both blocks hold the same version of the same object: are uid and resourceVersion equal? */
export function sameIdentity(a: Segment, blockA: number, b: Segment, blockB: number): boolean {
  const uidLength = half(a, blockA, BLOCK_UID_LENGTH_HALF);
  const rvLength = half(a, blockA, BLOCK_RV_LENGTH_HALF);
  if (uidLength !== half(b, blockB, BLOCK_UID_LENGTH_HALF)) return false;
  if (rvLength !== half(b, blockB, BLOCK_RV_LENGTH_HALF)) return false;
  const bytesA = a.bytes;
  const bytesB = b.bytes;
  const beginA = uidStart(a, blockA);
  const beginB = uidStart(b, blockB);
  // From the end: versions of one object differ in the last digits of the resourceVersion.
  for (let i = uidLength + rvLength - 1; i >= 0; i--) {
    if (bytesA[beginA + i] !== bytesB[beginB + i]) return false;
  }
  return true;
}

/** Do both blocks hold an object of the same namespace and name? */
export function sameKey(a: Segment, blockA: number, b: Segment, blockB: number): boolean {
  const lengths = (blockA >>> 1) + BLOCK_NAMESPACE_LENGTH_HALF;
  if (a.halves[lengths] !== half(b, blockB, BLOCK_NAMESPACE_LENGTH_HALF)) return false;
  if (half(a, blockA, BLOCK_NAME_LENGTH_HALF) !== half(b, blockB, BLOCK_NAME_LENGTH_HALF)) return false;
  return sameBytes(a, blockA + BLOCK_KEY_BYTE, b, blockB + BLOCK_KEY_BYTE, blockKeyLength(a, blockA));
}

/** Is the key of the block the first `length` bytes of `words`? */
export function hasKey(
  segment: Segment,
  block: number,
  words: Int32Array,
  bytes: Uint8Array,
  length: number,
): boolean {
  if (blockKeyLength(segment, block) !== length) return false;
  const begin = block + BLOCK_KEY_BYTE;
  const wholeWords = length >>> 2;
  const beginWord = begin >>> 2;
  for (let i = 0; i < wholeWords; i++) if (segment.words[beginWord + i] !== words[i]) return false;
  for (let i = wholeWords << 2; i < length; i++) if (segment.bytes[begin + i] !== bytes[i]) return false;
  return true;
}

/** Number of field values in the block. */
export function blockFieldCount(segment: Segment, block: number): number {
  return half(segment, block, BLOCK_FIELD_COUNT_HALF);
}

/** Index in `segment.words` of the first field's head: field id and length, see layout/block.ts. */
export function fieldsStartWord(segment: Segment, block: number): number {
  const identityEnd =
    uidStart(segment, block) +
    half(segment, block, BLOCK_UID_LENGTH_HALF) +
    half(segment, block, BLOCK_RV_LENGTH_HALF);
  return (identityEnd + 3) >>> 2;
}

/** The word of the field's head behind the one at `word`, whose content is `head`. */
export function nextFieldWord(word: number, head: number): number {
  return word + 1 + (((head & FIELD_LENGTH_MASK) + 3) >>> 2);
}

/** Compares bytes that start on a word in both segments. */
export function sameBytes(a: Segment, beginA: number, b: Segment, beginB: number, length: number): boolean {
  const wordsA = a.words;
  const wordsB = b.words;
  const wholeWords = length >>> 2;
  const wordA = beginA >>> 2;
  const wordB = beginB >>> 2;
  for (let i = 0; i < wholeWords; i++) if (wordsA[wordA + i] !== wordsB[wordB + i]) return false;
  for (let i = wholeWords << 2; i < length; i++) {
    if (a.bytes[beginA + i] !== b.bytes[beginB + i]) return false;
  }
  return true;
}

/** Length of the key in bytes. */
export function blockKeyLength(segment: Segment, block: number): number {
  const namespaceLength = half(segment, block, BLOCK_NAMESPACE_LENGTH_HALF);
  const nameLength = half(segment, block, BLOCK_NAME_LENGTH_HALF);
  return namespaceLength === 0 ? nameLength : namespaceLength + 1 + nameLength;
}

function uidStart(segment: Segment, block: number): number {
  return block + BLOCK_KEY_BYTE + blockKeyLength(segment, block);
}

function half(segment: Segment, block: number, index: number): number {
  return segment.halves[(block >>> 1) + index]!;
}

function fieldText(segment: Segment, block: number, word: number): string {
  const begin = (word + 1) * 4;
  return text(segment, block, begin, begin + (segment.words[word]! & FIELD_LENGTH_MASK));
}

function text(segment: Segment, block: number, begin: number, end: number): string {
  const bytes = segment.bytes as unknown as Sliceable;
  const isAscii = (half(segment, block, BLOCK_FLAGS_HALF) & BLOCK_FLAG_ASCII) !== 0;
  return isAscii ? bytes.latin1Slice(begin, end) : bytes.utf8Slice(begin, end);
}
