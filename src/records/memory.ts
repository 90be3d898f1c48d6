/** Where the buffers for one object lie in a transcoder's memory, and whether all layouts of records are right. */
import { assertLayout } from '../layout/assert.ts';
import {
  RECORD_EPOCH_BYTE,
  RECORD_HEAD_BYTES,
  RECORD_MAX_INPUT_BYTES,
  RECORD_MAX_SECTIONS,
  RECORD_OWN_BYTE,
  RECORD_OWN_MAX,
  RECORD_SECTION_BYTES,
  RECORD_STRUCT_LENGTH_BYTE,
  TAG_ARRAY,
  TAG_JSON_STRING,
  TAG_LONG_ARRAY,
  TAG_OBJECT,
  TAG_PAIRS,
  TAG_SHORT_POOL,
  TAG_SMALL_INTEGER,
  TAG_STRING,
  TAG_UNUSED,
} from '../layout/record.ts';
import {
  DICTIONARY_BYTES,
  DICTIONARY_HEAD_BYTES,
  DICTIONARY_LENGTH_MASK,
  DICTIONARY_MAX_KEY_BYTES,
  DICTIONARY_MAX_KEYS,
  DICTIONARY_MAX_SHAPES,
  DICTIONARY_MAX_STRING_BYTES,
  DICTIONARY_MAX_STRINGS,
  DICTIONARY_NON_ASCII,
  DICTIONARY_PLAIN,
  DICTIONARY_SHAPE_BYTES,
  DICTIONARY_SHAPES_BYTE,
  DICTIONARY_STRING_BYTES,
  DICTIONARY_STRINGS_BYTE,
  DICTIONARY_TEXT_BYTE,
} from '../layout/record-dictionary.ts';
import {
  BUFFERS_BYTE,
  CELL_BYTES,
  HEAD_ROOM_BYTES,
  NODE_BYTES,
  NODE_COUNT,
  NODES_BYTE,
  OVERRUN_BYTES,
  OWN_DICTIONARY_BYTE,
  RESULT_BYTE,
  SECTIONS_BYTE,
  SEEN_BYTE,
  SEEN_CELLS,
  SHAPE_CELLS,
  SHAPE_CELLS_BYTE,
  STRING_CELLS,
  STRING_CELLS_BYTE,
  STRUCT_PER_INPUT,
} from '../layout/record-memory.ts';

const PAGE_BYTES = 1 << 16;

/** Addresses of the buffers for objects of at most `inputBytes`. */
export interface TranscoderBuffers {
  readonly inputBytes: number;
  readonly input: number;
  readonly pool: number;
  readonly scratch: number;
  /** There are HEAD_ROOM_BYTES in front of it. */
  readonly structure: number;
  readonly end: number;
}

export function buffersFor(inputBytes: number): TranscoderBuffers {
  const step = align16(inputBytes) + OVERRUN_BYTES;
  const pool = BUFFERS_BYTE + step;
  const scratch = pool + step;
  const structure = scratch + step + HEAD_ROOM_BYTES;
  // The pool is put behind the structure at last.
  const end = structure + align16(inputBytes) * (STRUCT_PER_INPUT + 1) + OVERRUN_BYTES;
  return { inputBytes, input: BUFFERS_BYTE, pool, scratch, structure, end };
}

function align16(bytes: number): number {
  return (bytes + 15) & ~15;
}

export function pagesFor(buffers: TranscoderBuffers): number {
  return Math.ceil(buffers.end / PAGE_BYTES);
}

/** Most objects are smaller, whatever is left in them. */
export const INITIAL_INPUT_BYTES = 64 * 1024;
export const TRANSCODER_INITIAL_PAGES = pagesFor(buffersFor(INITIAL_INPUT_BYTES));
export const TRANSCODER_MAXIMUM_PAGES = pagesFor(buffersFor(RECORD_MAX_INPUT_BYTES));

assertLayout(
  RECORD_OWN_BYTE % 2 === 0 && RECORD_STRUCT_LENGTH_BYTE % 4 === 0,
  'fields of the head are aligned',
);
assertLayout(RECORD_STRUCT_LENGTH_BYTE + 4 === RECORD_HEAD_BYTES, 'the last field ends the head');
assertLayout(
  RECORD_HEAD_BYTES + RECORD_MAX_SECTIONS * RECORD_SECTION_BYTES <= HEAD_ROOM_BYTES &&
    HEAD_ROOM_BYTES % 16 === 0,
  'a head with all its sections has room',
);
assertLayout(
  RECORD_OWN_BYTE + 2 === RECORD_EPOCH_BYTE && RECORD_OWN_MAX === 0xffff,
  'own bytes have 16 bits',
);
assertLayout(TAG_JSON_STRING < TAG_SMALL_INTEGER, 'single tags end where small integers begin');
assertLayout(TAG_SMALL_INTEGER + 16 === TAG_SHORT_POOL, 'small integers have four bits');
assertLayout(TAG_SHORT_POOL + 32 === TAG_PAIRS, 'short strings have five bits');
assertLayout((TAG_ARRAY - TAG_PAIRS) << 8 === DICTIONARY_MAX_SHAPES, 'pairs name every shape');
assertLayout((TAG_UNUSED - TAG_OBJECT) << 8 === DICTIONARY_MAX_SHAPES, 'objects name every shape');
assertLayout((TAG_OBJECT - TAG_STRING) << 8 === DICTIONARY_MAX_STRINGS, 'two bytes name every string');
assertLayout(TAG_LONG_ARRAY + 1 === TAG_STRING, 'short arrays end where strings begin');

assertLayout(DICTIONARY_STRINGS_BYTE === DICTIONARY_HEAD_BYTES, 'strings follow the head');
assertLayout(
  DICTIONARY_STRINGS_BYTE + DICTIONARY_MAX_STRINGS * DICTIONARY_STRING_BYTES === DICTIONARY_SHAPES_BYTE,
  'shapes follow the strings',
);
assertLayout(
  DICTIONARY_SHAPES_BYTE + DICTIONARY_MAX_SHAPES * DICTIONARY_SHAPE_BYTES === DICTIONARY_TEXT_BYTE,
  'the text follows the shapes',
);
assertLayout(
  DICTIONARY_TEXT_BYTE + DICTIONARY_MAX_STRINGS * (DICTIONARY_MAX_STRING_BYTES + 2) <= DICTIONARY_BYTES,
  'the longest strings fit, all of them',
);
assertLayout(
  Math.max(DICTIONARY_MAX_STRING_BYTES, DICTIONARY_MAX_KEY_BYTES) <= DICTIONARY_LENGTH_MASK,
  'lengths fit beside their flags',
);

assertLayout(
  Math.min(DICTIONARY_NON_ASCII, DICTIONARY_PLAIN) > DICTIONARY_LENGTH_MASK,
  'flags lie above the length',
);
assertLayout(DICTIONARY_MAX_KEYS < DICTIONARY_MAX_SHAPES, 'one large map does not use up all shapes');

assertLayout(RESULT_BYTE + 64 <= SECTIONS_BYTE, 'sections follow the result');
assertLayout(
  SECTIONS_BYTE + RECORD_MAX_SECTIONS * 8 <= OWN_DICTIONARY_BYTE,
  'sections end before the dictionary',
);
assertLayout(OWN_DICTIONARY_BYTE + DICTIONARY_BYTES === NODES_BYTE, 'nodes follow the dictionary');
assertLayout(NODE_COUNT === DICTIONARY_MAX_SHAPES + 1, 'each shape has a node, and one place has no shape');
assertLayout(
  NODES_BYTE + NODE_COUNT * NODE_BYTES <= SHAPE_CELLS_BYTE,
  'cells of shapes lie behind the nodes',
);
assertLayout(SHAPE_CELLS_BYTE + SHAPE_CELLS * CELL_BYTES === STRING_CELLS_BYTE, 'cells of strings follow');
assertLayout(STRING_CELLS_BYTE + STRING_CELLS * CELL_BYTES === SEEN_BYTE, 'what was seen follows');
assertLayout(SEEN_BYTE + SEEN_CELLS * 4 === BUFFERS_BYTE, 'buffers come last');
assertLayout(
  SHAPE_CELLS === 2 * DICTIONARY_MAX_SHAPES && STRING_CELLS === 2 * DICTIONARY_MAX_STRINGS,
  'hash tables are at most half full',
);
assertLayout(BUFFERS_BYTE % 16 === 0, 'buffers are aligned');
