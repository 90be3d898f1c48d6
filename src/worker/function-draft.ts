/**
 * The draft of a reflector with functions of users: before an object is put, it is parsed, its index functions are
 * called, and what the transform function makes of it becomes its body. Identity, columns and paths stay those that the
 * scanner found. Whatever a function does, the object is kept.
 */
import { checkedValues } from '../index/index.ts';
import { FIELD_ID_SHIFT, FIELD_LENGTH_MASK, MAX_BLOCK_FIELDS } from '../layout/block.ts';
import type { HashSeed } from '../layout/key-hash.ts';
import { MSGPACK_BODY_BYTE } from '../layout/structures.ts';
import type { MsgpackEncoder } from '../msgpack/index.ts';
import type { ScanEngine } from '../scan/index.ts';
import { align4 } from './delta-writer.ts';
import { ObjectDraft } from './object-draft.ts';
import type { RecordBody } from './record-body.ts';
import type { UserFunctions } from './user-functions.ts';

export interface FunctionDraftOptions {
  readonly engine: ScanEngine;
  readonly seed: HashSeed;
  readonly functions: UserFunctions;
  /** Makes bodies MessagePack; else they are JSON, or records when there is a `record`. */
  readonly encoder?: MsgpackEncoder;
  readonly record?: RecordBody;
  /** Told of every failure. `error` may say what is in the object: it must not be shown. */
  readonly onTransformError: (key: string, error: unknown) => void;
  readonly onIndexError: (index: string, key: string, error: unknown) => void;
}

interface Prepared {
  /** Hashes of the key and of the version, and the length before: an object that is tried again is known by them. */
  readonly hashLo: number;
  readonly hashHi: number;
  readonly versionLo: number;
  readonly versionHi: number;
  readonly scannedLength: number;
  /** Undefined when the body stays as it is. */
  readonly body: Buffer | undefined;
  readonly isAscii: boolean;
  readonly fields: readonly { readonly id: number; readonly value: Buffer }[];
}

export class FunctionDraft extends ObjectDraft {
  readonly #options: FunctionDraftOptions;
  #scratch: Buffer = Buffer.alloc(0);
  /** What the functions gave for the last object: when it found no room, it comes again. */
  #last: Prepared | undefined;
  /** What is to be written; undefined when the functions were not asked. */
  #prepared: Prepared | undefined;
  #scannedFieldBytes = 0;

  constructor(options: FunctionDraftOptions) {
    super(options.engine, options.seed, options.record);
    this.#options = options;
  }

  override take(typeMeta: Parameters<ObjectDraft['take']>[0]): string | undefined {
    this.#prepared = undefined;
    return super.take(typeMeta);
  }

  override prepareBody(): void {
    if (this.#prepared !== undefined) return;
    const hasVersion = this.hashVersion();
    const prepared = hasVersion && this.#isLast() ? this.#last! : this.#callFunctions();
    this.#last = hasVersion ? prepared : undefined;
    this.#prepared = prepared;
    const { body, isAscii, fields } = prepared;
    this.isAscii = this.isAscii && isAscii;
    if (body !== undefined) this.bodyLength = body.length;
    super.prepareBody();
    this.#scannedFieldBytes = this.fieldBytes;
    for (const { value } of fields) {
      if (this.fieldCount === MAX_BLOCK_FIELDS) break;
      this.fieldCount++;
      this.fieldBytes += 4 + align4(value.length);
    }
  }

  override writeFields(target: Buffer, targetWords: Int32Array, at: number): void {
    super.writeFields(target, targetWords, at);
    const end = at + this.fieldBytes;
    let to = at + this.#scannedFieldBytes;
    for (const { id, value } of this.#prepared?.fields ?? []) {
      if (to === end) break;
      targetWords[to >>> 2] = (id << FIELD_ID_SHIFT) | value.length;
      value.copy(target, to + 4);
      to += 4 + align4(value.length);
    }
  }

  protected override writeJson(target: Buffer, at: number): void {
    const body = this.#prepared?.body;
    if (body === undefined) super.writeJson(target, at);
    else body.copy(target, at);
  }

  #isLast(): boolean {
    const last = this.#last;
    return (
      last !== undefined &&
      last.hashLo === this.hashLo &&
      last.hashHi === this.hashHi &&
      last.versionLo === this.versionLo &&
      last.versionHi === this.versionHi &&
      last.scannedLength === this.bodyLength
    );
  }

  #callFunctions(): Prepared {
    const { hashLo, hashHi, versionLo, versionHi, bodyLength: scannedLength } = this;
    const json = this.#scannedJson();
    const object = parse(json);
    // What is no JSON is kept as it came: whoever decodes it is told.
    const fields = object === undefined ? [] : this.#indexValues(object);
    const body = object === undefined ? undefined : this.#bodyOf(object, json);
    const isAscii =
      (body === undefined || body[0] === MSGPACK_BODY_BYTE || body.every(isAsciiByte)) &&
      fields.every(({ value }) => value.every(isAsciiByte));
    return { hashLo, hashHi, versionLo, versionHi, scannedLength, body, isAscii, fields };
  }

  #scannedJson(): string {
    const length = this.bodyLength;
    if (this.#scratch.length < length) this.#scratch = Buffer.allocUnsafeSlow(2 * length);
    super.writeJson(this.#scratch, 0);
    return this.#scratch.toString(this.isAscii ? 'latin1' : 'utf8', 0, length);
  }

  #indexValues(object: object): { id: number; value: Buffer }[] {
    const fields: { id: number; value: Buffer }[] = [];
    for (const { name, fieldId, call } of this.#options.functions.indexes) {
      try {
        const values = new Set(checkedValues(call(object)));
        for (const text of values) {
          const value = Buffer.from(text);
          if (value.length > FIELD_LENGTH_MASK) throw new RangeError('a value is too long');
          fields.push({ id: fieldId, value });
        }
      } catch (error) {
        this.#options.onIndexError(name, this.key, error);
      }
    }
    return fields;
  }

  #bodyOf(object: object, scanned: string): Buffer | undefined {
    const { functions, encoder } = this.#options;
    const transformed = functions.transform === undefined ? undefined : this.#transform(object, scanned);
    const json = transformed ?? scanned;
    if (encoder !== undefined) {
      // A function may have changed the object that it got, so it is read anew.
      const isUsed = functions.transform !== undefined || functions.indexes.length > 0;
      const body = encoder.encode(isUsed ? (JSON.parse(json) as object) : object, json);
      if (body !== undefined) return body;
    }
    return transformed === undefined ? undefined : Buffer.from(transformed);
  }

  /** The result as JSON, or undefined when the function failed. */
  #transform(object: object, scanned: string): string | undefined {
    try {
      const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
      const result = checkedObject(this.#options.functions.transform!(object));
      const json = JSON.stringify({ kind, apiVersion, ...result, ...ofType(kind, apiVersion) });
      if (json.length > MAX_TRANSFORMED_LENGTH) {
        throw new RangeError(`a transform function made ${json.length} characters of ${scanned.length}`);
      }
      return json;
    } catch (error) {
      this.#options.onTransformError(this.key, error);
      return undefined;
    }
  }
}

/** Far beyond what an API server keeps of one object: a function that makes more of it went wrong. */
const MAX_TRANSFORMED_LENGTH = 64 * 1024 * 1024;

function parse(json: string): object | undefined {
  try {
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}

/** Kind and apiVersion stay what they were. */
function ofType(kind: unknown, apiVersion: unknown): object {
  return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) };
}

/** @throws TypeError when the result of a transform function can't be an object of a cache */
function checkedObject(result: unknown): object {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    const kind = result === null ? 'null' : Array.isArray(result) ? 'an array' : typeof result;
    throw new TypeError(`a transform function gives an object, not ${kind}`);
  }
  if (typeof (result as { then?: unknown }).then === 'function') {
    throw new TypeError('a transform function gives an object at once, not a promise');
  }
  const { toJSON } = result as { toJSON?: unknown };
  return typeof toJSON === 'function' ? checkedObject(toJSON.call(result)) : result;
}

function isAsciiByte(byte: number): boolean {
  return byte < 0x80;
}
