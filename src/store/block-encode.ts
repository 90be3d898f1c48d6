/** Makes blocks on the home thread, for objects that come from no worker, and for tests. */
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
  MAX_BLOCK_FIELDS,
  MAX_FIELD_IDS,
  MAX_IDENTITY_BYTES,
} from '../layout/block.ts';
import type { Segment } from './segments.ts';

/** What a block holds. */
export interface BlockContent {
  /** '' or absent for an object without a namespace. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Values of index functions and columns, in the order in which they are kept. */
  readonly fields?: readonly { readonly id: number; readonly value: string }[];
  readonly body?: Uint8Array;
}

/** An object that does not fit the layout of a block. */
export class BlockEncodeError extends Error {
  readonly code = 'BLOCK_ENCODE';

  constructor(what: string, found: number, limit: number) {
    super(`an object can't be put in a block: ${what} is ${found}, and at most ${limit} is possible`);
    this.name = 'BlockEncodeError';
  }
}

/**
 * The bytes of a block. The stamp is 0, which no block in use has: {@link writeBlock} sets it.
 *
 * @throws BlockEncodeError when something is longer or more than the layout allows
 */
export function encodeBlock(content: BlockContent): Buffer {
  const { namespace = '', name, uid = '', resourceVersion = '', fields = [], body } = content;
  atMost('the number of field values', fields.length, MAX_BLOCK_FIELDS);
  const key = Buffer.from(namespace === '' ? name : `${namespace}/${name}`);
  const identity = Buffer.concat([key, Buffer.from(uid), Buffer.from(resourceVersion)]);
  const values = fields.map(encodeField);
  const fieldsOffset = align4(BLOCK_KEY_BYTE + identity.length);
  const bodyOffset = fieldsOffset + values.reduce((sum, value) => sum + value.length, 0);
  const block = Buffer.alloc(bodyOffset + (body?.length ?? 0));

  const words = new Int32Array(block.buffer, block.byteOffset, BLOCK_KEY_BYTE / 4);
  words[BLOCK_BODY_OFFSET_WORD] = bodyOffset;
  words[BLOCK_BODY_LENGTH_WORD] = body?.length ?? 0;
  const halves = new Uint16Array(block.buffer, block.byteOffset, BLOCK_KEY_BYTE / 2);
  halves[BLOCK_NAMESPACE_LENGTH_HALF] = identityLength('the namespace', namespace);
  halves[BLOCK_NAME_LENGTH_HALF] = identityLength('the name', name);
  halves[BLOCK_UID_LENGTH_HALF] = identityLength('the uid', uid);
  halves[BLOCK_RV_LENGTH_HALF] = identityLength('the resourceVersion', resourceVersion);
  halves[BLOCK_FIELD_COUNT_HALF] = fields.length;
  const texts = [identity, ...fields.map(({ value }) => Buffer.from(value)), body ?? Buffer.alloc(0)];
  const isAscii = texts.every(isAsciiOnly);
  halves[BLOCK_FLAGS_HALF] = isAscii ? BLOCK_FLAG_ASCII : 0;

  identity.copy(block, BLOCK_KEY_BYTE);
  Buffer.concat(values).copy(block, fieldsOffset);
  if (body !== undefined) block.set(body, bodyOffset);
  return block;
}

/**
 * Writes an encoded block into a segment, as the owner of that memory: the stamp first, with Atomics, so that
 * whoever still reads the former block there takes notice.
 *
 * @param at - byte in the segment, a multiple of 8
 * @param stamp - not 0, and not that of the block that was there before
 */
export function writeBlock(segment: Segment, at: number, block: Buffer, stamp: number): void {
  Atomics.store(segment.words, (at >>> 2) + BLOCK_STAMP_WORD, stamp);
  block.copy(segment.bytes, at + BLOCK_STAMP_WORD * 4 + 4, BLOCK_STAMP_WORD * 4 + 4);
}

function encodeField({ id, value }: { id: number; value: string }): Buffer {
  atMost('a field id', id, MAX_FIELD_IDS - 1);
  const bytes = Buffer.from(value);
  atMost('the length of a field value in bytes', bytes.length, FIELD_LENGTH_MASK);
  const field = Buffer.alloc(4 + align4(bytes.length));
  new Int32Array(field.buffer, field.byteOffset, 1)[0] = (id << FIELD_ID_SHIFT) | bytes.length;
  bytes.copy(field, 4);
  return field;
}

function identityLength(what: string, value: string): number {
  const length = Buffer.byteLength(value);
  atMost(`the length of ${what} in bytes`, length, MAX_IDENTITY_BYTES);
  return length;
}

function atMost(what: string, found: number, limit: number): void {
  if (found > limit) throw new BlockEncodeError(what, found, limit);
}

function isAsciiOnly(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function align4(length: number): number {
  return (length + 3) & ~3;
}
