/** Goes over a loaded record without making objects: to skip values, to find some, and to print them as JSON. */
import {
  TAG_ARRAY,
  TAG_ASCII,
  TAG_DOUBLE,
  TAG_END,
  TAG_INTEGER,
  TAG_JSON_STRING,
  TAG_LONG_ARRAY,
  TAG_NUMBER_TEXT,
  TAG_OBJECT,
  TAG_PAIRS,
  TAG_POOL,
  TAG_SHORT_POOL,
  TAG_SMALL_INTEGER,
  TAG_STRING,
  TAG_TRUE,
  TAG_UTF8,
} from '../layout/record.ts';
import { RecordError } from './errors.ts';
import type { LoadedRecord } from './loaded-record.ts';
import type { ValueReader } from './value-reader.ts';

/** What the tag at a place begins. */
export type ValueKind = 'object' | 'array' | 'string' | 'literal';

export class RecordWalker {
  /** The tag of a value. */
  at = 0;
  /** Where in the pool its first string would lie. */
  poolAt = 0;
  readonly #record: LoadedRecord;
  readonly #reader: ValueReader;

  constructor(record: LoadedRecord, reader: ValueReader) {
    this.#record = record;
    this.#reader = reader;
  }

  /** Goes to the whole object. */
  rewind(): void {
    this.at = this.#record.structStart;
    this.poolAt = 0;
  }

  get kind(): ValueKind {
    const tag = this.#record.bytes[this.at]!;
    if (tag >= TAG_OBJECT || (tag >= TAG_PAIRS && tag < TAG_ARRAY)) return 'object';
    if (tag >= TAG_STRING) return 'string';
    if (tag >= TAG_ARRAY) return 'array';
    if (tag >= TAG_SHORT_POOL || (tag >= TAG_UTF8 && tag <= TAG_JSON_STRING)) return 'string';
    return 'literal';
  }

  /** The value here, decoded. */
  value(): unknown {
    return this.#reader.readAt(this.at, this.poolAt);
  }

  /** Goes to the last value of a key, or says that there is none. The value here must be an object. */
  enterMember(key: string): boolean {
    const { bytes, epoch } = this.#record;
    const isWhole = this.at === this.#record.structStart;
    const tag = bytes[this.at++]!;
    const keys = epoch.keys(((tag & 0x1f) << 8) | bytes[this.at++]!);
    const index = keys.lastIndexOf(key);
    if (tag >= TAG_OBJECT) {
      if (index === -1) return false;
      if (isWhole && index < this.#record.sections) {
        this.at = this.#record.sectionStruct(index);
        this.poolAt = this.#record.sectionPool(index);
      } else {
        this.#skipMany(index);
      }
      return true;
    }
    let foundAt = -1;
    let foundPoolAt = 0;
    for (let i = 0; i < keys.length; i++) {
      if (i === index) {
        foundAt = this.at;
        foundPoolAt = this.poolAt;
      }
      this.skip();
    }
    while (this.#isBeforeEnd()) {
      const name = this.value();
      this.skip();
      if (name === key) {
        foundAt = this.at;
        foundPoolAt = this.poolAt;
      }
      this.skip();
    }
    if (foundAt === -1) return false;
    this.at = foundAt;
    this.poolAt = foundPoolAt;
    return true;
  }

  /** Calls `visit` at each element of the array here. It may leave the walker anywhere. */
  eachElement(visit: (index: number) => void): void {
    const tag = this.#record.bytes[this.at++]!;
    const length = tag === TAG_LONG_ARRAY ? Number.POSITIVE_INFINITY : tag - TAG_ARRAY;
    for (let index = 0; index < length; index++) {
      if (tag === TAG_LONG_ARRAY && !this.#isBeforeEnd()) return;
      const { at, poolAt } = this;
      visit(index);
      this.at = at;
      this.poolAt = poolAt;
      this.skip();
    }
  }

  /** Calls `visit` for each key of the object here, at its value, and leaves the walker behind the object. */
  eachMember(visit: (key: string) => void): void {
    const { bytes, epoch } = this.#record;
    const tag = bytes[this.at++]!;
    const keys = epoch.keys(((tag & 0x1f) << 8) | bytes[this.at++]!);
    for (const key of keys) this.#visitMember(key, visit);
    if (tag >= TAG_OBJECT) return;
    while (this.#isBeforeEnd()) {
      const key = this.value() as string;
      this.skip();
      this.#visitMember(key, visit);
    }
    this.at++;
  }

  /** Goes behind the value here. */
  skip(): void {
    const { bytes } = this.#record;
    const tag = bytes[this.at++]!;
    if (tag >= TAG_OBJECT) {
      this.#skipMany(this.#record.epoch.keys(((tag & 0x1f) << 8) | bytes[this.at++]!).length);
    } else if (tag >= TAG_STRING) {
      this.at++;
    } else if (tag === TAG_LONG_ARRAY) {
      while (this.#isBeforeEnd()) this.skip();
      this.at++;
    } else if (tag >= TAG_ARRAY) {
      this.#skipMany(tag - TAG_ARRAY);
    } else if (tag >= TAG_PAIRS) {
      this.#skipMany(this.#record.epoch.keys(((tag - TAG_PAIRS) << 8) | bytes[this.at++]!).length);
      while (this.#isBeforeEnd()) this.skip();
      this.at++;
    } else if (tag >= TAG_SHORT_POOL) {
      this.poolAt += tag - TAG_SHORT_POOL;
    } else if (tag < TAG_SMALL_INTEGER && tag > TAG_TRUE) {
      this.#skipRare(tag);
    }
  }

  /**
   * The value here as JSON. Numbers are as they were received, and so are the order of keys and keys that occur twice;
   * white space is gone, and strings are escaped as JSON.stringify does it.
   */
  json(): string {
    const parts: string[] = [];
    this.#print(parts);
    return parts.join('');
  }

  #print(parts: string[]): void {
    const { kind } = this;
    if (kind === 'object') {
      let separator = '{';
      const start = parts.length;
      this.eachMember((key) => {
        parts.push(separator, JSON.stringify(key), ':');
        separator = ',';
        this.#print(parts);
      });
      parts.push(parts.length === start ? '{}' : '}');
    } else if (kind === 'array') {
      let separator = '[';
      const start = parts.length;
      this.eachElement(() => {
        parts.push(separator);
        separator = ',';
        this.#print(parts);
      });
      parts.push(parts.length === start ? '[]' : ']');
    } else {
      parts.push(this.#leaf());
    }
  }

  /** The JSON of a value that holds no others. */
  #leaf(): string {
    const { bytes } = this.#record;
    if (bytes[this.at] === TAG_NUMBER_TEXT) {
      this.at++;
      const length = this.#varint();
      return bytes.toString('latin1', this.at, this.at + length);
    }
    return JSON.stringify(this.value());
  }

  #visitMember(key: string, visit: (key: string) => void): void {
    const { at, poolAt } = this;
    visit(key);
    this.at = at;
    this.poolAt = poolAt;
    this.skip();
  }

  #skipMany(count: number): void {
    for (let i = 0; i < count; i++) this.skip();
  }

  #skipRare(tag: number): void {
    if (tag === TAG_INTEGER) this.#varint();
    else if (tag === TAG_DOUBLE) this.at += 8;
    else if (tag === TAG_POOL) this.poolAt += this.#varint();
    else if (tag === TAG_UTF8 || tag === TAG_ASCII || tag === TAG_JSON_STRING || tag === TAG_NUMBER_TEXT) {
      const length = this.#varint();
      this.at += length;
    } else throw this.#broken();
  }

  #varint(): number {
    const { bytes } = this.#record;
    let byte = bytes[this.at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 32; shift += 7) {
      byte = bytes[this.at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  /** Whether an array or pairs go on here. @throws RecordError when the structure has ended */
  #isBeforeEnd(): boolean {
    if (this.at >= this.#record.structEnd) throw this.#broken();
    return this.#record.bytes[this.at] !== TAG_END;
  }

  #broken(): RecordError {
    return new RecordError(`a record is broken at byte ${this.at}`);
  }
}
