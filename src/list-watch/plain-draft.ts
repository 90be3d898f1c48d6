/**
 * One object on its way from a function's hands to a block: what the scanner's draft is for bytes. There is one per
 * reflector, used again for each object.
 */
import { compileAccessor } from '../index/index.ts';
import { FIELD_ID_SHIFT, FIELD_LENGTH_MASK, MAX_BLOCK_FIELDS, MAX_IDENTITY_BYTES } from '../layout/block.ts';
import { type HashSeed, hashKey, type KeyHash } from '../layout/key-hash.ts';
import type { ScanSpec } from '../scan/index.ts';
import type { TypeMeta, VersionedDraft } from '../worker/index.ts';
import { describeValue, isMap, textOfError } from './errors.ts';
import { keptPaths } from './kept-paths.ts';
import { withoutPaths } from './without-paths.ts';

interface Field {
  readonly id: number;
  readonly valuesOf: (object: unknown) => string[];
}

interface FieldValue {
  readonly id: number;
  readonly value: string;
  readonly lengthBytes: number;
}

export class PlainDraft implements VersionedDraft {
  namespaceLength = 0;
  nameLength = 0;
  uidLength = 0;
  resourceVersionLength = 0;
  identityBytes = 0;
  fieldBytes = 0;
  bodyLength = 0;
  hashLo = 0;
  hashHi = 0;
  versionLo = 0;
  versionHi = 0;
  isAscii = true;
  resourceVersion = '';
  /** The object can be told apart, whatever else is wrong with it. */
  hasIdentity = false;

  readonly #seed: HashSeed;
  readonly #fields: readonly Field[];
  readonly #drops: ScanSpec['drops'];
  readonly #keeps: ScanSpec['drops'];
  readonly #hash: KeyHash = { lo: 0, hi: 0 };
  #object: object = {};
  #typeMeta: TypeMeta | undefined;
  #namespace = '';
  #name = '';
  #uid = '';
  #values: FieldValue[] = [];
  #body = '';

  constructor(spec: ScanSpec, seed: HashSeed) {
    this.#seed = seed;
    this.#fields = spec.fields.map(({ id, path }) => ({ id, valuesOf: compileAccessor(path) }));
    this.#drops = spec.drops;
    this.#keeps = spec.keeps ?? [];
  }

  /**
   * Takes an object's identity.
   *
   * @param typeMeta - goes into objects that lack a kind; those of another kind are refused
   * @param needsVersion - false for deletes, which can do without
   * @returns what is wrong with the object, or undefined
   */
  takeIdentity(object: unknown, typeMeta: TypeMeta | undefined, needsVersion = true): string | undefined {
    this.hasIdentity = false;
    if (!isMap(object)) return `it is ${describeValue(object)}`;
    const { metadata, kind } = object;
    if (!isMap(metadata)) return `its metadata is ${describeValue(metadata)}`;
    for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
      const value = metadata[field] ?? '';
      if (typeof value !== 'string') return `its metadata.${field} is ${describeValue(value)}, not a string`;
    }
    const { name, namespace, uid, resourceVersion } = metadata as Record<string, string | undefined>;
    if (!name) return 'it has no metadata.name';
    this.#object = object;
    this.#typeMeta = typeof kind === 'string' ? undefined : typeMeta;
    this.#name = name;
    this.#namespace = namespace ?? '';
    this.#uid = uid ?? '';
    this.resourceVersion = resourceVersion ?? '';
    if (!this.#measureIdentity()) return `its identity is longer than ${MAX_IDENTITY_BYTES} bytes`;
    if (typeMeta !== undefined && typeof kind === 'string' && kind !== typeMeta.kind) {
      return `its kind is ${kind}, and ${typeMeta.kind} was asked for`;
    }
    this.hasIdentity = true;
    if (!needsVersion || this.resourceVersion !== '') return undefined;
    return `${this.key} has no metadata.resourceVersion, by which changes are told from repetitions`;
  }

  /**
   * Takes the body and field values of the object whose identity was taken.
   *
   * @returns what is wrong with the object, or undefined
   */
  takeBody(): string | undefined {
    try {
      const kept = withoutPaths(keptPaths(this.#object, this.#keeps), this.#drops);
      const typed = this.#typeMeta === undefined ? kept : { ...this.#typeMeta, ...kept };
      const body = JSON.stringify(typed) as string | undefined;
      if (body === undefined || !body.startsWith('{')) return `toJSON of ${this.key} gives no object`;
      this.#body = body;
      this.bodyLength = Buffer.byteLength(body);
      this.isAscii = this.isAscii && this.bodyLength === body.length;
      this.#takeFields();
      return undefined;
    } catch (error) {
      return `${this.key} can't be written as JSON: ${textOfError(error)}`;
    }
  }

  /** The key, for messages. */
  get key(): string {
    return this.#namespace === '' ? this.#name : `${this.#namespace}/${this.#name}`;
  }

  get fieldCount(): number {
    return this.#values.length;
  }

  hashVersion(): boolean {
    if (this.resourceVersion === '') return false;
    hashKey(this.#uid, this.#seed, this.#hash);
    hashKey(this.resourceVersion, this.#hash, this.#hash);
    this.versionLo = this.#hash.lo | 0;
    this.versionHi = this.#hash.hi | 0;
    return true;
  }

  writeIdentity(target: Buffer, at: number, separator: number): void {
    let to = at;
    if (this.namespaceLength > 0) {
      to += target.write(this.#namespace, to);
      target[to++] = separator;
    }
    to += target.write(this.#name, to);
    to += target.write(this.#uid, to);
    target.write(this.resourceVersion, to);
  }

  writeFields(target: Buffer, targetWords: Int32Array, at: number): void {
    let to = at;
    for (const { id, value, lengthBytes } of this.#values) {
      targetWords[to >>> 2] = (id << FIELD_ID_SHIFT) | lengthBytes;
      target.write(value, to + 4);
      to += 4 + align4(lengthBytes);
    }
  }

  writeBody(target: Buffer, at: number): void {
    target.write(this.#body, at, this.bodyLength, this.isAscii ? 'latin1' : 'utf8');
  }

  /** False when a part of it is too long. */
  #measureIdentity(): boolean {
    const parts = [this.#namespace, this.#name, this.#uid, this.resourceVersion];
    const [namespaceLength, nameLength, uidLength, resourceVersionLength] = parts.map((part) =>
      Buffer.byteLength(part),
    ) as [number, number, number, number];
    this.namespaceLength = namespaceLength;
    this.nameLength = nameLength;
    this.uidLength = uidLength;
    this.resourceVersionLength = resourceVersionLength;
    const bytes = namespaceLength + nameLength + uidLength + resourceVersionLength;
    this.identityBytes = bytes + (namespaceLength === 0 ? 0 : 1);
    // One byte per character means ASCII: every other character takes more bytes than it counts.
    this.isAscii = bytes === parts.reduce((length, part) => length + part.length, 0);
    hashKey(this.key, this.#seed, this.#hash);
    this.hashLo = this.#hash.lo | 0;
    this.hashHi = this.#hash.hi | 0;
    return Math.max(namespaceLength, nameLength, uidLength, resourceVersionLength) <= MAX_IDENTITY_BYTES;
  }

  /** Of the whole object: what the projection drops still has an index. */
  #takeFields(): void {
    this.#values = [];
    this.fieldBytes = 0;
    for (const { id, valuesOf } of this.#fields) {
      for (const value of valuesOf(this.#object)) {
        const lengthBytes = Buffer.byteLength(value);
        if (lengthBytes > FIELD_LENGTH_MASK || this.#values.length === MAX_BLOCK_FIELDS) continue;
        this.#values.push({ id, value, lengthBytes });
        this.fieldBytes += 4 + align4(lengthBytes);
        if (lengthBytes !== value.length) this.isAscii = false;
      }
    }
  }
}

/** Fields begin on a word. */
function align4(bytes: number): number {
  return (bytes + 3) & ~3;
}
