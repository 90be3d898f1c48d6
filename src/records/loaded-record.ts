import {
  RECORD_EPOCH_BYTE,
  RECORD_FORMAT,
  RECORD_HEAD_BYTES,
  RECORD_MAX_BYTES,
  RECORD_OWN_BYTE,
  RECORD_SECTION_BYTES,
  RECORD_SECTIONS_BYTE,
  RECORD_STRUCT_LENGTH_BYTE,
} from '../layout/record.ts';
import type { DictionaryTable } from './dictionary-table.ts';
import type { EpochReader } from './epoch-reader.ts';
import { RecordError, UnknownEpochError } from './errors.ts';

/**
 * A copy of one record, and what its head says. Records are read from a copy: what lies in shared memory may be given
 * to another object while somebody reads, and is checked for that between copying and decoding.
 *
 * The buffer is as long as the longest record, and always the same one, so that the decoder's code can have its address
 * in it. What no record has reached yet costs addresses only.
 */
export class LoadedRecord {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(RECORD_MAX_BYTES);
  readonly view = new DataView(this.bytes.buffer);
  structStart = 0;
  structEnd = 0;
  /** The pool goes on to here. It begins where the structure ends. */
  end = 0;
  /** So many bytes of the pool are decoded string by string. */
  ownBytes = 0;
  sections = 0;
  epoch!: EpochReader;
  readonly #dictionaries: DictionaryTable;

  constructor(dictionaries: DictionaryTable) {
    this.#dictionaries = dictionaries;
  }

  /** Copies the bytes, which may be torn: nothing is looked at. */
  copy(source: Buffer, begin: number, end: number): void {
    if (end - begin > RECORD_MAX_BYTES || end - begin < RECORD_HEAD_BYTES) {
      throw new RecordError(`${end - begin} bytes are no record`);
    }
    source.copy(this.bytes, 0, begin, end);
    this.end = end - begin;
  }

  /** @throws RecordError when the bytes can't be a record; UnknownEpochError when its dictionary is not known here */
  open(): void {
    const { bytes, view } = this;
    if (bytes[0] !== RECORD_FORMAT) throw new RecordError(`a record of format ${bytes[0]} can't be read`);
    this.sections = bytes[RECORD_SECTIONS_BYTE]!;
    this.ownBytes = view.getUint16(RECORD_OWN_BYTE, true);
    this.structStart = RECORD_HEAD_BYTES + this.sections * RECORD_SECTION_BYTES;
    this.structEnd = this.structStart + view.getUint32(RECORD_STRUCT_LENGTH_BYTE, true);
    if (this.structEnd > this.end) throw new RecordError('a record is shorter than its head says');
    const number = view.getUint32(RECORD_EPOCH_BYTE, true);
    if (this.epoch?.epoch === number) return;
    const epoch = this.#dictionaries.find(number);
    if (epoch === undefined) throw new UnknownEpochError(number);
    this.epoch = epoch;
  }

  /** Offset in the structure of the value of the nth key of the whole object. */
  sectionStruct(index: number): number {
    return this.structStart + this.view.getUint16(RECORD_HEAD_BYTES + index * RECORD_SECTION_BYTES, true);
  }

  /** The same in the pool. */
  sectionPool(index: number): number {
    return this.view.getUint16(RECORD_HEAD_BYTES + index * RECORD_SECTION_BYTES + 2, true);
  }
}

/** The epoch that a record names. */
export function epochOf(bytes: Buffer, begin: number): number {
  return bytes.readUInt32LE(begin + RECORD_EPOCH_BYTE);
}

/** Whether a body is a record. Every other body is JSON, which never begins with this byte. */
export function isRecord(bytes: Uint8Array, begin: number): boolean {
  return bytes[begin] === RECORD_FORMAT;
}
