/** Reads bodies and identities of blocks, for the home thread. */
import {
  BLOCK_BODY_LENGTH_WORD,
  BLOCK_FLAG_ASCII,
  BLOCK_FLAGS_HALF,
  BLOCK_KEY_BYTE,
  BLOCK_NAME_LENGTH_HALF,
  BLOCK_NAMESPACE_LENGTH_HALF,
  BLOCK_UID_LENGTH_HALF,
} from '../layout/block.ts';
import { RECORD_FORMAT } from '../layout/record.ts';
import { MSGPACK_BODY_BYTE } from '../layout/structures.ts';
import { bodyEnd, bodyStart } from './block.ts';
import type { Segment } from './segments.ts';

/** False for a mark, and for an event whose object found no room. */
export function hasBody(segment: Segment, block: number): boolean {
  return segment.words[(block >>> 2) + BLOCK_BODY_LENGTH_WORD] !== 0;
}

export function bodyText(segment: Segment, block: number): string {
  const isAscii = (segment.halves[(block >>> 1) + BLOCK_FLAGS_HALF]! & BLOCK_FLAG_ASCII) !== 0;
  const encoding = isAscii ? 'latin1' : 'utf8';
  return segment.bytes.toString(encoding, bodyStart(segment, block), bodyEnd(segment, block));
}

/** What a body is, which its first byte says. */
export type BodyFormat = 'json' | 'msgpack' | 'record';

export function bodyFormat(segment: Segment, block: number): BodyFormat {
  if (!hasBody(segment, block)) return 'json';
  const first = segment.bytes[bodyStart(segment, block)];
  if (first === RECORD_FORMAT) return 'record';
  return first === MSGPACK_BODY_BYTE ? 'msgpack' : 'json';
}

/** A copy of the body. */
export function bodyBytes(segment: Segment, block: number): Buffer {
  return Buffer.from(segment.bytes.subarray(bodyStart(segment, block), bodyEnd(segment, block)));
}

/** Do both blocks, which have the same key, hold the same object: are their uids equal? */
export function sameUid(a: Segment, blockA: number, b: Segment, blockB: number): boolean {
  const length = a.halves[(blockA >>> 1) + BLOCK_UID_LENGTH_HALF]!;
  if (length !== b.halves[(blockB >>> 1) + BLOCK_UID_LENGTH_HALF]) return false;
  const beginA = uidStart(a, blockA);
  const beginB = uidStart(b, blockB);
  for (let i = 0; i < length; i++) if (a.bytes[beginA + i] !== b.bytes[beginB + i]) return false;
  return true;
}

function uidStart(segment: Segment, block: number): number {
  const half = block >>> 1;
  const namespace = segment.halves[half + BLOCK_NAMESPACE_LENGTH_HALF]!;
  const name = segment.halves[half + BLOCK_NAME_LENGTH_HALF]!;
  return block + BLOCK_KEY_BYTE + namespace + (namespace === 0 ? 0 : 1) + name;
}
