/**
 * The transcoder's WASM module: JSON in, a record out. It checks all of JSON's grammar and all UTF-8, and what it
 * reads and writes lies in the regions of layout/record-memory.ts and in the buffers that its caller made for the
 * length of the input.
 */
import {
  RECORD_EPOCH_BYTE, RECORD_FORMAT, RECORD_HEAD_BYTES, RECORD_MAX_BYTES, RECORD_MAX_SECTIONS, RECORD_OWN_BYTE,
  RECORD_OWN_MAX, RECORD_SECTION_BYTES, RECORD_SECTIONS_BYTE, RECORD_STRUCT_LENGTH_BYTE, REFUSED_SIZE, REFUSED_SYNTAX,
} from '../../../layout/record';
import {
  DICTIONARY_EPOCH_WORD, DICTIONARY_FORMAT, DICTIONARY_FORMAT_WORD, DICTIONARY_HEAD_BYTES, DICTIONARY_SHAPE_COUNT_WORD,
} from '../../../layout/record-dictionary';
import {
  NODES_BYTE, OVERRUN_BYTES, OWN_DICTIONARY_BYTE, RESULT_BYTE, RESULT_IS_FULL, RESULT_RECORD, SECTIONS_BYTE, SEEN_BYTE,
} from '../../../layout/record-memory';
import { openState, refuse } from './state';
import { ownEnd, putRoot, sectionCount, skipSpace } from './values';
import { openWriter, poolEnd, structureEnd } from './writer';

/** Begins an empty dictionary. What was seen in objects is remembered. */
export function openEpoch(epoch: u32): void {
  memory.fill(OWN_DICTIONARY_BYTE, 0, DICTIONARY_HEAD_BYTES);
  store<u32>(OWN_DICTIONARY_BYTE + DICTIONARY_FORMAT_WORD * 4, DICTIONARY_FORMAT);
  store<u32>(OWN_DICTIONARY_BYTE + DICTIONARY_EPOCH_WORD * 4, epoch);
  store<u32>(OWN_DICTIONARY_BYTE + DICTIONARY_SHAPE_COUNT_WORD * 4, 1);
  // Nodes and the cells of both tables; strings seen once lie behind, in SEEN_BYTE.
  memory.fill(NODES_BYTE, 0, SEEN_BYTE - NODES_BYTE);
  store<u32>(<usize>(RESULT_BYTE + (RESULT_IS_FULL << 2)), 0);
}

/**
 * Makes a record of the JSON at `input`. All of the buffers have OVERRUN_BYTES behind them.
 *
 * @param pool - room for `length` bytes
 * @param scratch - room for `length` bytes
 * @param structure - room for three times `length` bytes, and HEAD_ROOM_BYTES in front of it
 * @returns the length of the record, which RESULT_RECORD points to, or 0: then see RESULT_REFUSAL
 */
export function transcode(
  input: usize, length: u32, pool: usize, scratch: usize, structure: usize, objectTag: u32, learnsValues: bool,
): u32 {
  const end = input + <usize>length;
  // No byte of JSON is 0, so that nothing has to ask for the end.
  memory.fill(end, 0, OVERRUN_BYTES);
  openState(objectTag, learnsValues, scratch);
  openWriter(structure, pool);
  const stop = putRoot(input, SECTIONS_BYTE);
  if (stop == 0) return 0;
  if (skipSpace(stop) != end) return <u32>refuse(REFUSED_SYNTAX);
  return finish(structure, pool);
}

/** Writes the head in front of the structure, and the pool behind it. */
function finish(structure: usize, pool: usize): u32 {
  const structLength = structureEnd() - structure;
  const poolLength = poolEnd() - pool;
  let count = sectionCount;
  if (count > RECORD_MAX_SECTIONS || structLength > 0xffff || poolLength > 0xffff) count = 0;
  const record = structure - RECORD_HEAD_BYTES - <usize>(count * RECORD_SECTION_BYTES);
  const length = structureEnd() + poolLength - record;
  if (length > <usize>RECORD_MAX_BYTES) return <u32>refuse(REFUSED_SIZE);
  const own = ownEnd == 0 ? <usize>0 : ownEnd - pool;
  store<u8>(record, RECORD_FORMAT);
  store<u8>(record, count, RECORD_SECTIONS_BYTE);
  store<u16>(record, <u16>min<usize>(own, RECORD_OWN_MAX), RECORD_OWN_BYTE);
  store<u32>(record, load<u32>(OWN_DICTIONARY_BYTE + DICTIONARY_EPOCH_WORD * 4), RECORD_EPOCH_BYTE);
  store<u32>(record, <u32>structLength, RECORD_STRUCT_LENGTH_BYTE);
  let to = record + RECORD_HEAD_BYTES;
  for (let i = 0; i < count; i++) {
    const section = <usize>(SECTIONS_BYTE + (i << 3));
    store<u16>(to, <u16>(load<u32>(section) - <u32>structure));
    store<u16>(to, <u16>(load<u32>(section, 4) - <u32>pool), 2);
    to += RECORD_SECTION_BYTES;
  }
  memory.copy(structureEnd(), pool, poolLength);
  store<u32>(<usize>(RESULT_BYTE + (RESULT_RECORD << 2)), <u32>record);
  return <u32>length;
}
