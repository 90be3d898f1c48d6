/**
 * One object on its way from the scanner's result to a block: lengths first, so that room can be found,
 * then the bytes. Runs in the worker; there is one draft per reader, used again for each object.
 */
import { literalText } from '../index/index.ts';
import { FIELD_ID_SHIFT, FIELD_LENGTH_MASK, MAX_BLOCK_FIELDS, MAX_IDENTITY_BYTES } from '../layout/block.ts';
import { type HashSeed, hashBytes, type KeyHash } from '../layout/key-hash.ts';
import {
  SCAN_API_VERSION,
  SCAN_CUT_COUNT,
  SCAN_CUTS,
  SCAN_FIELD_COUNT,
  SCAN_FIELD_WORDS,
  SCAN_FIELDS,
  SCAN_FLAG_ESCAPED_SHIFT,
  SCAN_FLAG_NON_ASCII,
  SCAN_FLAGS,
  SCAN_HASH_HI,
  SCAN_HASH_LO,
  SCAN_IDENTITY,
  SCAN_KIND,
  SCAN_NAME,
  SCAN_NAMESPACE,
  SCAN_OBJECT_END,
  SCAN_OBJECT_START,
  SCAN_RESOURCE_VERSION,
  SCAN_UID,
  SCAN_VALUE_COMPOUND,
  SCAN_VALUE_ESCAPED,
  SCAN_VALUE_STRING,
} from '../layout/scan.ts';
import type { ScanEngine, ScanFilters } from '../scan/index.ts';
import type { BlockDraft } from './delta-writer.ts';
import { filteredValue } from './filtered-value.ts';
import type { RecordBody } from './record-body.ts';

/** Any of the four identity strings that are written holds an escape. */
const ESCAPED_IDENTITY = 0b1111 << SCAN_FLAG_ESCAPED_SHIFT;

/** In place of a value that says nothing. */
const NOTHING = Buffer.alloc(0);

/** The type of a list's items, as the list says it: typed lists leave it out of their items. */
export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export class ObjectDraft implements BlockDraft {
  namespaceLength = 0;
  nameLength = 0;
  uidLength = 0;
  resourceVersionLength = 0;
  /** Length of key, uid and resourceVersion. */
  identityBytes = 0;
  fieldCount = 0;
  /** Length of all fields, padded. */
  fieldBytes = 0;
  bodyLength = 0;
  hashLo = 0;
  hashHi = 0;
  isAscii = true;
  /** Hash of uid and resourceVersion, after {@link hashVersion}. */
  versionLo = 0;
  versionHi = 0;

  readonly #engine: ScanEngine;
  readonly #seed: HashSeed;
  readonly #hash: KeyHash = { lo: 0, hi: 0 };
  /** Identity strings without escapes, when the object had some; else they are copied as they are. */
  #unescaped: Buffer[] | undefined;
  /** Bytes of values that can't be copied as they are, by position in the scanner's list. */
  readonly #converted = new Map<number, Buffer>();
  /** Fields whose values are looked into, when there are any. */
  #filters: ScanFilters;
  /** Put before the first key of an object that has no kind and apiVersion of its own. */
  #prefix: Buffer | undefined;
  #prefixFor: TypeMeta | undefined;
  #usesPrefix = false;
  /** Makes bodies records, when the reflector wants them so. */
  readonly #record: RecordBody | undefined;

  constructor(engine: ScanEngine, seed: HashSeed, record?: RecordBody) {
    this.#engine = engine;
    this.#seed = seed;
    this.#record = record;
  }

  /**
   * Takes the object that the scanner found last.
   *
   * @param typeMeta - goes into objects that lack kind and apiVersion; those of another kind are refused
   * @returns what is wrong with it, or undefined; then nothing of the draft may be used
   */
  take(typeMeta: TypeMeta | undefined): string | undefined {
    const words = this.#engine.words;
    const base = this.#engine.resultWord;
    const flags = words[base + SCAN_FLAGS]!;
    this.isAscii = (flags & SCAN_FLAG_NON_ASCII) === 0;
    this.#record?.clear();
    this.#unescaped = undefined;
    if ((flags & ESCAPED_IDENTITY) !== 0) this.#unescapeIdentity(flags);
    this.namespaceLength = this.#identityLength(SCAN_NAMESPACE);
    this.nameLength = this.#identityLength(SCAN_NAME);
    this.uidLength = this.#identityLength(SCAN_UID);
    this.resourceVersionLength = this.#identityLength(SCAN_RESOURCE_VERSION);
    if (this.nameLength === 0) return 'it has no metadata.name';
    const longest = Math.max(
      this.namespaceLength,
      this.nameLength,
      this.uidLength,
      this.resourceVersionLength,
    );
    if (longest > MAX_IDENTITY_BYTES) return `its identity is longer than ${MAX_IDENTITY_BYTES} bytes`;
    const kind = typeMeta === undefined ? undefined : this.#otherKind(typeMeta.kind);
    if (kind !== undefined) return `its kind is ${kind}, and ${typeMeta!.kind} was asked for`;
    const separator = this.namespaceLength === 0 ? 0 : 1;
    this.identityBytes =
      this.namespaceLength + separator + this.nameLength + this.uidLength + this.resourceVersionLength;
    this.hashLo = words[base + SCAN_HASH_LO]! | 0;
    this.hashHi = words[base + SCAN_HASH_HI]! | 0;
    // The scanner hashes no escapes and no monsters, and says so with zeros.
    if (this.#unescaped !== undefined || (this.hashLo === 0 && this.hashHi === 0)) this.#hashKey();
    this.#measureFields();
    this.#measureBody(typeMeta);
    return undefined;
  }

  /** Kind and apiVersion of the object that the scanner found last, when it says both. */
  typeMetaOfObject(): TypeMeta | undefined {
    const kind = this.#identityText(SCAN_KIND);
    const apiVersion = this.#identityText(SCAN_API_VERSION);
    return kind === '' || apiVersion === '' ? undefined : { kind, apiVersion };
  }

  /** Sets `versionLo` and `versionHi`. False when the object has no resourceVersion, so that none is known. */
  hashVersion(): boolean {
    if (this.resourceVersionLength === 0) return false;
    const hash = this.#hash;
    this.#hashString(SCAN_UID, this.#seed);
    this.#hashString(SCAN_RESOURCE_VERSION, hash);
    this.versionLo = hash.lo | 0;
    this.versionHi = hash.hi | 0;
    return true;
  }

  /** The key, for messages. */
  get key(): string {
    const name = this.#identityText(SCAN_NAME);
    const namespace = this.#identityText(SCAN_NAMESPACE);
    return namespace === '' ? name : `${namespace}/${name}`;
  }

  get resourceVersion(): string {
    return this.#identityText(SCAN_RESOURCE_VERSION);
  }

  writeIdentity(target: Buffer, at: number, separator: number): void {
    let to = at;
    if (this.namespaceLength > 0) {
      to = this.#writeString(SCAN_NAMESPACE, target, to);
      target[to++] = separator;
    }
    to = this.#writeString(SCAN_NAME, target, to);
    to = this.#writeString(SCAN_UID, target, to);
    this.#writeString(SCAN_RESOURCE_VERSION, target, to);
  }

  writeFields(target: Buffer, targetWords: Int32Array, at: number): void {
    const words = this.#engine.words;
    const count = words[this.#engine.resultWord + SCAN_FIELD_COUNT]!;
    let entry = this.#engine.resultWord + SCAN_FIELDS;
    let to = at;
    for (let i = 0; i < count; i++, entry += SCAN_FIELD_WORDS) {
      const length = this.#fieldLength(i, entry);
      if (length === -1) continue;
      targetWords[to >>> 2] = ((words[entry]! & 0xff) << FIELD_ID_SHIFT) | length;
      const converted = this.#converted.get(i);
      if (converted === undefined) copySmall(this.#engine.bytes, words[entry + 1]!, target, to + 4, length);
      else converted.copy(target, to + 4);
      to += 4 + ((length + 3) & ~3);
    }
  }

  /** To be called once for each object that is put with its body: then its length is known. */
  prepareBody(): void {
    const record = this.#record;
    if (record === undefined || record.isMade) return;
    const at = record.reserve(this.bodyLength);
    if (at === 0) return;
    this.writeJson(record.bytes, at);
    if (record.make(this.bodyLength, this.hashLo)) this.bodyLength = record.lengthBytes;
  }

  writeBody(target: Buffer, at: number): void {
    if (this.#record?.isMade) {
      this.#record.write(target, at);
      return;
    }
    this.#record?.fellBack();
    this.writeJson(target, at);
  }

  /** Copies the object without what is cut, with its type in front when it had none. */
  protected writeJson(target: Buffer, at: number): void {
    const { bytes, words, resultWord } = this.#engine;
    let from = words[resultWord + SCAN_OBJECT_START]!;
    let to = at;
    if (this.#usesPrefix) {
      to += this.#prefix!.copy(target, to);
      from++;
    }
    const cuts = words[resultWord + SCAN_CUT_COUNT]!;
    for (let i = 0; i < cuts; i++) {
      const cut = resultWord + SCAN_CUTS + 2 * i;
      to += bytes.copy(target, to, from, words[cut]!);
      from = words[cut + 1]!;
    }
    bytes.copy(target, to, from, words[resultWord + SCAN_OBJECT_END]!);
  }

  /** The object's kind, when it has one and it is not this one. */
  #otherKind(expected: string): string | undefined {
    const { bytes, words, resultWord } = this.#engine;
    const begin = words[resultWord + SCAN_KIND]!;
    if (begin === 0) return undefined;
    const length = words[resultWord + SCAN_KIND + 1]! - begin;
    let isSame = length === expected.length;
    for (let i = 0; isSame && i < length; i++) isSame = bytes[begin + i] === expected.charCodeAt(i);
    if (isSame) return undefined;
    const text = bytes.toString('utf8', begin, begin + length);
    return unescapeJson(text) === expected ? undefined : text;
  }

  #measureBody(typeMeta: TypeMeta | undefined): void {
    const { words, resultWord } = this.#engine;
    let length = words[resultWord + SCAN_OBJECT_END]! - words[resultWord + SCAN_OBJECT_START]!;
    const cuts = words[resultWord + SCAN_CUT_COUNT]!;
    for (let i = 0; i < cuts; i++) {
      const cut = resultWord + SCAN_CUTS + 2 * i;
      length -= words[cut + 1]! - words[cut]!;
    }
    // An object that has one of the two is taken as it is; decoding fills in what is missing.
    this.#usesPrefix = typeMeta !== undefined && words[resultWord + SCAN_KIND] === 0;
    if (this.#usesPrefix) length += this.#prefixOf(typeMeta!).length - 1;
    this.bodyLength = length;
  }

  /** `{"kind":…,"apiVersion":…,`: an object with a name always has another key behind it. */
  #prefixOf(typeMeta: TypeMeta): Buffer {
    if (this.#prefix === undefined || this.#prefixFor !== typeMeta) {
      const { kind, apiVersion } = typeMeta;
      this.#prefix = Buffer.from(
        `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`,
      );
      this.#prefixFor = typeMeta;
    }
    return this.#prefix;
  }

  #measureFields(): void {
    const words = this.#engine.words;
    const base = this.#engine.resultWord;
    const count = Math.min(words[base + SCAN_FIELD_COUNT]!, MAX_BLOCK_FIELDS);
    if (this.#converted.size > 0) this.#converted.clear();
    this.#filters = this.#engine.filters;
    let total = 0;
    let fields = 0;
    let entry = base + SCAN_FIELDS;
    for (let i = 0; i < count; i++, entry += SCAN_FIELD_WORDS) {
      const length = this.#fieldLength(i, entry);
      if (length === -1) continue;
      fields++;
      total += 4 + ((length + 3) & ~3);
    }
    this.fieldCount = fields;
    this.fieldBytes = total;
  }

  /** Length of the value as it is kept, or -1 when it says nothing: null, objects, arrays, monsters. */
  #fieldLength(index: number, entry: number): number {
    const words = this.#engine.words;
    const type = words[entry]! >>> 8;
    const length = words[entry + 2]! - words[entry + 1]!;
    if (this.#filters?.has(words[entry]! & 0xff)) return this.#filteredLength(index, entry);
    if (type === SCAN_VALUE_STRING) return length <= FIELD_LENGTH_MASK ? length : -1;
    if (type === SCAN_VALUE_COMPOUND) return -1;
    const known = this.#converted.get(index);
    if (known !== undefined) return known.length;
    const raw = this.#engine.bytes.toString('utf8', words[entry + 1]!, words[entry + 2]!);
    const text = type === SCAN_VALUE_ESCAPED ? unescapeJson(raw) : literalText(raw);
    if (text === undefined) return -1;
    const converted = Buffer.from(text);
    if (converted.length > FIELD_LENGTH_MASK) return -1;
    if (type === SCAN_VALUE_ESCAPED) this.isAscii = this.isAscii && isAsciiText(text);
    this.#converted.set(index, converted);
    return converted.length;
  }

  /** As `#fieldLength`, of an element that a filter takes or not. */
  #filteredLength(index: number, entry: number): number {
    let value = this.#converted.get(index);
    if (value === undefined) {
      const words = this.#engine.words;
      const isElement = words[entry]! >>> 8 === SCAN_VALUE_COMPOUND;
      const filter = this.#filters!.get(words[entry]! & 0xff)!;
      const element = isElement ? this.#engine.bytes.subarray(words[entry + 1]!, words[entry + 2]!) : NOTHING;
      const text = filteredValue(element, filter);
      value = text === undefined ? NOTHING : Buffer.from(text);
      if (value.length > FIELD_LENGTH_MASK) value = NOTHING;
      this.isAscii = this.isAscii && value.every((byte) => byte < 0x80);
      this.#converted.set(index, value);
    }
    return value === NOTHING ? -1 : value.length;
  }

  #identityLength(field: number): number {
    const unescaped = this.#unescaped?.[(field - SCAN_IDENTITY) >> 1];
    if (unescaped !== undefined) return unescaped.length;
    const words = this.#engine.words;
    const at = this.#engine.resultWord + field;
    return words[at + 1]! - words[at]!;
  }

  #identityText(field: number): string {
    const unescaped = this.#unescaped?.[(field - SCAN_IDENTITY) >> 1];
    if (unescaped !== undefined) return unescaped.toString();
    const words = this.#engine.words;
    const at = this.#engine.resultWord + field;
    return this.#engine.bytes.toString('utf8', words[at]!, words[at + 1]!);
  }

  #writeString(field: number, target: Buffer, at: number): number {
    const unescaped = this.#unescaped?.[(field - SCAN_IDENTITY) >> 1];
    if (unescaped !== undefined) return at + unescaped.copy(target, at);
    const words = this.#engine.words;
    const word = this.#engine.resultWord + field;
    const length = words[word + 1]! - words[word]!;
    copySmall(this.#engine.bytes, words[word]!, target, at, length);
    return at + length;
  }

  #hashString(field: number, seed: HashSeed): void {
    const unescaped = this.#unescaped?.[(field - SCAN_IDENTITY) >> 1];
    if (unescaped !== undefined) {
      hashBytes(unescaped, 0, unescaped.length, seed, this.#hash);
      return;
    }
    const words = this.#engine.words;
    const word = this.#engine.resultWord + field;
    hashBytes(this.#engine.bytes, words[word]!, words[word + 1]!, seed, this.#hash);
  }

  #unescapeIdentity(flags: number): void {
    const { bytes, words, resultWord } = this.#engine;
    const texts: Buffer[] = [];
    for (let i = 0; i < 4; i++) {
      const word = resultWord + SCAN_IDENTITY + 2 * i;
      const raw = bytes.toString('utf8', words[word]!, words[word + 1]!);
      const isEscaped = (flags & (1 << (SCAN_FLAG_ESCAPED_SHIFT + i))) !== 0;
      texts.push(Buffer.from((isEscaped ? unescapeJson(raw) : raw) ?? ''));
    }
    this.#unescaped = texts;
    this.isAscii = this.isAscii && texts.every((text) => isAsciiText(text.toString()));
  }

  #hashKey(): void {
    const key = Buffer.from(this.key);
    hashBytes(key, 0, key.length, this.#seed, this.#hash);
    this.hashLo = this.#hash.lo | 0;
    this.hashHi = this.#hash.hi | 0;
  }
}

/** Faster than a call into the runtime for the few bytes that identity strings have. */
function copySmall(source: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  for (let i = 0; i < length; i++) target[to + i] = source[from + i]!;
}

function unescapeJson(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

function isAsciiText(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
