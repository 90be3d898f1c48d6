/**
 * Reads values of a loaded record. Everything is in one function's variables, because that is what V8 makes the
 * fastest code of: a Pod has two hundred values, each of which is a call.
 */
import {
  RECORD_POOL_STRING_MAX,
  TAG_ARRAY,
  TAG_ASCII,
  TAG_DOUBLE,
  TAG_END,
  TAG_FALSE,
  TAG_INTEGER,
  TAG_JSON_STRING,
  TAG_LONG_ARRAY,
  TAG_NULL,
  TAG_NUMBER_TEXT,
  TAG_OBJECT,
  TAG_PAIRS,
  TAG_POOL,
  TAG_SHORT_POOL,
  TAG_SMALL_INTEGER,
  TAG_STRING,
  TAG_TRUE,
  TAG_UNUSED,
  TAG_UTF8,
} from '../layout/record.ts';
import type { EpochReader } from './epoch-reader.ts';
import { RecordError } from './errors.ts';
import type { LoadedRecord } from './loaded-record.ts';
import { type Maker, Makers, type MakersOptions, setOwn } from './makers.ts';

/** V8 copies substrings that are shorter than this; longer ones keep the whole string that they are part of. */
const SLICE_CHARS = 13;

/** The methods of Buffer that its types don't show. They skip what `toString` does before it calls them. */
interface Sliceable {
  latin1Slice(begin: number, end: number): string;
  utf8Slice(begin: number, end: number): string;
}

export interface ValueReader {
  /** The whole object. @throws RecordError when the record is broken */
  readAll(): unknown;
  /**
   * One value, whose tag is at `at`, and whose first string that lies in the pool is there at `poolAt`. Its strings
   * don't keep the pool.
   *
   * @throws RecordError when the record is broken
   */
  readAt(at: number, poolAt: number): unknown;
}

export function createValueReader(record: LoadedRecord, options: MakersOptions): ValueReader {
  const bytes: Uint8Array = record.bytes;
  const text = record.bytes as unknown as Sliceable;
  const { view } = record;
  const makers = new Makers(readValue, options);
  const makersOf = new WeakMap<EpochReader, (Maker | undefined)[]>();

  let epoch: EpochReader | undefined;
  let strings: (string | undefined)[] = [];
  let shapes: (Maker | undefined)[] = [];
  /** The next byte of the structure, and its end. */
  let at = 0;
  let end = 0;
  /** The pool as a string, where it begins, the next byte of it, and how much of it is read string by string. */
  let pool = '';
  let poolStart = 0;
  let poolAt = 0;
  let ownBytes = 0;

  function readValue(): unknown {
    const tag = bytes[at++]!;
    if (tag >= TAG_STRING) {
      const id = ((tag & 0x3f) << 8) | bytes[at++]!;
      if (tag >= TAG_OBJECT) return (shapes[id] ?? newMaker(id))();
      return strings[id] ?? epoch!.string(id);
    }
    if (tag >= TAG_ARRAY) return tag === TAG_LONG_ARRAY ? readLongArray() : readArray(tag - TAG_ARRAY);
    if (tag >= TAG_PAIRS) return readPairs(tag);
    if (tag >= TAG_SHORT_POOL) return readPool(tag - TAG_SHORT_POOL);
    if (tag >= TAG_SMALL_INTEGER) return tag - TAG_SMALL_INTEGER;
    return readRare(tag);
  }

  function newMaker(id: number): Maker {
    if (id >= (TAG_UNUSED - TAG_OBJECT) << 8) throw broken();
    const known = shapes;
    while (known.length <= id) known.push(undefined);
    const maker = makers.make(epoch!.keys(id), (better) => {
      known[id] = better;
    });
    known[id] = maker;
    return maker;
  }

  function readPool(length: number): string {
    const from = poolAt;
    poolAt += length;
    if (from < ownBytes && length >= SLICE_CHARS) {
      return text.latin1Slice(poolStart + from, poolStart + poolAt);
    }
    return pool.substring(from, poolAt);
  }

  function readArray(length: number): unknown[] {
    switch (length) {
      case 0:
        return [];
      case 1:
        return [readValue()];
      case 2:
        return [readValue(), readValue()];
      case 3:
        return [readValue(), readValue(), readValue()];
      case 4:
        return [readValue(), readValue(), readValue(), readValue()];
    }
    const array: unknown[] = [];
    for (let i = 0; i < length; i++) array.push(readValue());
    return array;
  }

  function readLongArray(): unknown[] {
    const array: unknown[] = [];
    while (bytes[at] !== TAG_END) {
      if (at >= end) throw broken();
      array.push(readValue());
    }
    at++;
    return array;
  }

  function readPairs(tag: number): object {
    const id = ((tag - TAG_PAIRS) << 8) | bytes[at++]!;
    const object = (shapes[id] ?? newMaker(id))();
    while (bytes[at] !== TAG_END) {
      if (at >= end) throw broken();
      const key = readValue();
      if (typeof key !== 'string') throw broken();
      setOwn(object, key, readValue());
    }
    at++;
    return object;
  }

  function readVarint(): number {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 32; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  /** Passes over the bytes of a string or number that stands in the structure. */
  function passBytes(): number {
    const length = readVarint();
    const from = at;
    at += length;
    if (at > end) throw broken();
    return from;
  }

  function readRare(tag: number): unknown {
    switch (tag) {
      case TAG_NULL:
        return null;
      case TAG_FALSE:
        return false;
      case TAG_TRUE:
        return true;
      case TAG_INTEGER: {
        const value = readVarint();
        return (value & 1) === 0 ? value >>> 1 : -((value + 1) / 2);
      }
      case TAG_DOUBLE:
        at += 8;
        return view.getFloat64(at - 8, true);
      case TAG_POOL: {
        const length = readVarint();
        if (length > RECORD_POOL_STRING_MAX) throw broken();
        return readPool(length);
      }
    }
    const from = passBytes();
    switch (tag) {
      case TAG_NUMBER_TEXT:
        return Number(text.latin1Slice(from, at));
      case TAG_UTF8:
        return text.utf8Slice(from, at);
      case TAG_ASCII:
        return text.latin1Slice(from, at);
      case TAG_JSON_STRING:
        return JSON.parse(text.utf8Slice(from, at));
    }
    throw broken();
  }

  function broken(): RecordError {
    return new RecordError(`a record is broken at byte ${at}`);
  }

  function open(from: number, poolFrom: number, own: number): void {
    if (epoch !== record.epoch) {
      epoch = record.epoch;
      strings = epoch.strings;
      let known = makersOf.get(epoch);
      if (known === undefined) {
        known = [];
        makersOf.set(epoch, known);
      }
      shapes = known;
    }
    at = from;
    end = record.structEnd;
    poolStart = end;
    poolAt = poolFrom;
    ownBytes = own;
    pool = poolStart === record.end ? '' : text.latin1Slice(poolStart, record.end);
  }

  return {
    readAll() {
      open(record.structStart, 0, record.ownBytes);
      const value = readValue();
      pool = '';
      if (at !== end || poolAt !== record.end - poolStart) throw broken();
      return value;
    },
    readAt(from, poolFrom) {
      open(from, poolFrom, record.end);
      const value = readValue();
      pool = '';
      return value;
    },
  };
}
