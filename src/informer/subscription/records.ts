/** Writes events into the records of a subscription's ring, and reads them out again: see layout/event-ring.ts. */
import {
  EVENT_FLAGS,
  EVENT_HASH_HI,
  EVENT_HASH_LO,
  EVENT_IS_FINAL_STATE_UNKNOWN,
  EVENT_IS_INITIAL,
  EVENT_LAPS,
  EVENT_LENGTH_BYTES,
  EVENT_OFFSET8,
  EVENT_OLD_LENGTH_BYTES,
  EVENT_OLD_OFFSET8,
  EVENT_OLD_SEGMENT,
  EVENT_OLD_STAMP,
  EVENT_SEGMENT,
  EVENT_STAMP,
  EVENT_TYPE,
  EventCode,
} from '../../layout/event-ring.ts';
import { BlockRef } from '../../store/index.ts';
import type { InformerEventType } from '../event.ts';

/** What a record says. */
export interface EventRecord {
  readonly type: InformerEventType;
  /** The state after the change; of a delete, the last one. */
  readonly block: BlockRef;
  /** The state before an update. */
  readonly oldBlock: BlockRef | undefined;
  readonly isInitial: boolean;
  readonly isFinalStateUnknown: boolean;
  /** Events that were merged for this subscriber until then. */
  readonly laps: number;
}

/** @param word - where the record starts */
export function writeEvent(
  words: Int32Array,
  word: number,
  event: Omit<EventRecord, 'laps'>,
  laps: number,
): void {
  const { block, oldBlock } = event;
  words[word + EVENT_TYPE] = EventCode[event.type];
  words[word + EVENT_FLAGS] =
    (event.isInitial ? EVENT_IS_INITIAL : 0) | (event.isFinalStateUnknown ? EVENT_IS_FINAL_STATE_UNKNOWN : 0);
  words[word + EVENT_HASH_LO] = block.hashLo;
  words[word + EVENT_HASH_HI] = block.hashHi;
  words[word + EVENT_SEGMENT] = block.segment;
  words[word + EVENT_OFFSET8] = block.offset8;
  words[word + EVENT_LENGTH_BYTES] = block.lengthBytes;
  words[word + EVENT_STAMP] = block.stamp;
  words[word + EVENT_OLD_SEGMENT] = oldBlock?.segment ?? 0;
  words[word + EVENT_OLD_OFFSET8] = oldBlock?.offset8 ?? 0;
  words[word + EVENT_OLD_LENGTH_BYTES] = oldBlock?.lengthBytes ?? 0;
  words[word + EVENT_OLD_STAMP] = oldBlock?.stamp ?? 0;
  words[word + EVENT_LAPS] = laps;
}

export function readEvent(words: Int32Array, word: number): EventRecord {
  const flags = words[word + EVENT_FLAGS]!;
  const hasOld = words[word + EVENT_OLD_LENGTH_BYTES] !== 0;
  return {
    type: typeOf(words[word + EVENT_TYPE]!),
    block: new BlockRef(
      words[word + EVENT_SEGMENT]!,
      words[word + EVENT_OFFSET8]! >>> 0,
      words[word + EVENT_LENGTH_BYTES]!,
      words[word + EVENT_STAMP]!,
      words[word + EVENT_HASH_LO]!,
      words[word + EVENT_HASH_HI]!,
    ),
    oldBlock: hasOld ? oldBlockOf(words, word) : undefined,
    isInitial: (flags & EVENT_IS_INITIAL) !== 0,
    isFinalStateUnknown: (flags & EVENT_IS_FINAL_STATE_UNKNOWN) !== 0,
    laps: words[word + EVENT_LAPS]! >>> 0,
  };
}

function oldBlockOf(words: Int32Array, word: number): BlockRef {
  return new BlockRef(
    words[word + EVENT_OLD_SEGMENT]!,
    words[word + EVENT_OLD_OFFSET8]! >>> 0,
    words[word + EVENT_OLD_LENGTH_BYTES]!,
    words[word + EVENT_OLD_STAMP]!,
    words[word + EVENT_HASH_LO]!,
    words[word + EVENT_HASH_HI]!,
  );
}

function typeOf(code: number): InformerEventType {
  if (code === EventCode.add) return 'add';
  return code === EventCode.update ? 'update' : 'delete';
}
