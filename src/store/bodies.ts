/**
 * Bodies of objects, decoded when somebody looks, each at most once while it stays in a bounded cache. A body says
 * itself which format it has: JSON, as the server sent it or as a transform function left it, a record, or MessagePack.
 */
import type { BytePath } from '../index/index.ts';
import { MsgpackDecoder } from '../msgpack/index.ts';
import { type RecordDecoder, UnknownEpochError } from '../records/index.ts';
import { fromOffset8 } from './arena.ts';
import { blockKey, blockStamp, bodyEnd, bodyStart } from './block.ts';
import { bodyBytes, bodyFormat, bodyText } from './block-body.ts';
import type { BlockRef } from './block-ref.ts';
import { DecodeError, ReleasedObjectError } from './body-errors.ts';
import { ObjectCache } from './object-cache.ts';
import { SEGMENT_INDEX_BITS, type Segment, type SegmentTable } from './segments.ts';

/** What objects of a resource are, for bodies that do not say it themselves. */
export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export interface BodiesOptions {
  readonly segments: SegmentTable;
  /** Most bytes of bodies whose objects are kept decoded. Those of records count four times: JSON would be that long. */
  readonly cacheBytes: number;
  /** Most objects that are kept decoded. @default no limit but the bytes */
  readonly cacheEntries?: number;
  /** Freezes what is decoded, so that a handler that writes to a shared object throws. */
  readonly freeze: boolean;
}

/** An object of a record takes as much of the heap as one of JSON that is so many times as long. */
const RECORD_WEIGHT = 4;

/** A body that was read whole: JSON, a copy of MessagePack, or a decoder that has loaded a record. */
type ReadBody = string | Buffer | RecordDecoder;

export class Bodies {
  typeMeta: TypeMeta | undefined;
  /** How many bodies were decoded, how many of these were records, and how many could not be decoded. */
  decoded = 0;
  decodedRecords = 0;
  failed = 0;

  /** What is decoded. */
  readonly cache: ObjectCache;
  readonly #options: BodiesOptions;
  /** Of MessagePack bodies, by worker. */
  readonly #decoders = new Map<number, MsgpackDecoder>();

  constructor(options: BodiesOptions) {
    this.#options = options;
    this.cache = new ObjectCache(options.cacheBytes, options.cacheEntries ?? Number.POSITIVE_INFINITY);
  }

  get cachedBytes(): number {
    return this.cache.bytes;
  }

  get cachedEntries(): number {
    return this.cache.entries;
  }

  /**
   * The object of a block. Shared with everyone who asks: read-only.
   *
   * @throws DecodeError when the body is not valid
   * @throws ReleasedObjectError when the block was given back
   */
  decode(ref: BlockRef): object {
    const cached = this.cache.get(ref);
    if (cached !== undefined) return cached;
    const records = this.decodedRecords;
    const object = this.#decodeNow(ref);
    const isRecord = this.decodedRecords > records;
    this.cache.set(ref, object, isRecord ? RECORD_WEIGHT * ref.lengthBytes : ref.lengthBytes);
    return object;
  }

  /**
   * As {@link decode}, of a block that was found by its key: the cache finds it by that from now on.
   *
   * @param slot - slot address of the object
   */
  decodeAs(key: string, slot: number, ref: BlockRef): object {
    const object = this.decode(ref);
    this.cache.name(ref, key, slot);
    return object;
  }

  /** The object of a block when it is decoded already. */
  cached(ref: BlockRef): object | undefined {
    return this.cache.get(ref);
  }

  /**
   * The body as JSON. Of a JSON body it is what is kept: numbers that a double can't hold are still exact here.
   *
   * @throws DecodeError when a body that is not JSON is not valid
   * @throws ReleasedObjectError when the block was given back
   */
  text(ref: BlockRef): string {
    const body = this.#read(ref, this.#readBody);
    if (typeof body === 'string') return body;
    if (Buffer.isBuffer(body)) return JSON.stringify(this.#parse(ref, body));
    return this.#ofRecord(ref, body, (record) => record.text());
  }

  /**
   * The JSON of each value that a path leads to, as it was received. Nothing else is decoded, but of MessagePack.
   *
   * @throws DecodeError when the body is not valid on the way
   * @throws ReleasedObjectError when the block was given back
   */
  textsAt(ref: BlockRef, path: BytePath): string[] {
    return this.#readPath(
      ref,
      (segment, block) => path.texts(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block)),
      (record) => record.textsAt(path.steps),
      (object) => path.valuesIn(object).map((value) => JSON.stringify(value)),
    );
  }

  /** What {@link textsAt} gives, decoded. Throws as it does. */
  valuesAt(ref: BlockRef, path: BytePath): unknown[] {
    return this.#readPath(
      ref,
      (segment, block) =>
        path
          .texts(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block))
          .map((text) => JSON.parse(text) as unknown),
      (record) => record.valuesAt(path.steps),
      (object) => path.valuesIn(object),
    );
  }

  /** The values that a path gives to an index. Throws as {@link textsAt}. */
  indexValuesAt(ref: BlockRef, path: BytePath): string[] {
    return this.#readPath(
      ref,
      (segment, block) => path.indexValues(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block)),
      (record) => record.indexValuesAt(path.steps),
      (object) => path.indexValuesIn(object),
    );
  }

  /** A copy takes the place of a block: its object is the same one. */
  moved(from: BlockRef, to: BlockRef): void {
    this.cache.move(from, to);
  }

  /** The block is about to be given back: nobody may find its object under this place again. */
  forget(ref: BlockRef): void {
    this.cache.delete(ref);
  }

  /** Reads of a block, whose stamp says before and after that it is still this one. */
  #read<R>(ref: BlockRef, read: (segment: Segment, block: number) => R): R {
    const segment = this.#options.segments.find(ref.segment);
    const block = fromOffset8(ref.offset8);
    if (segment === undefined) throw new ReleasedObjectError();
    checkStamp(segment, block, ref);
    let result: R;
    try {
      result = read(segment, block);
    } catch (error) {
      // Bytes that were torn can be anything: what was wrong with them does not matter then.
      checkStamp(segment, block, ref);
      throw error;
    }
    // The worker stamps a block before it writes a new body: an equal stamp means that nothing was torn.
    checkStamp(segment, block, ref);
    return result;
  }

  /** Follows a path through the bytes of a JSON body, through a record, or through the object of MessagePack. */
  #readPath<R>(
    ref: BlockRef,
    ofJson: (segment: Segment, block: number) => R[],
    ofRecord: (record: RecordDecoder) => R[],
    ofObject: (object: object) => R[],
  ): R[] {
    let result: R[] | Buffer | RecordDecoder;
    try {
      result = this.#read<R[] | Buffer | RecordDecoder>(ref, (segment, block) =>
        bodyFormat(segment, block) === 'json'
          ? ofJson(segment, block)
          : (this.#readBody(segment, block) as Buffer | RecordDecoder),
      );
    } catch (error) {
      throw error instanceof SyntaxError ? this.#failure(ref, error) : error;
    }
    if (Array.isArray(result)) return result;
    return Buffer.isBuffer(result)
      ? ofObject(this.#parse(ref, result))
      : this.#ofRecord(ref, result, ofRecord);
  }

  #decodeNow(ref: BlockRef): object {
    const body = this.#read(ref, this.#readBody);
    const isOther = typeof body === 'string' || Buffer.isBuffer(body);
    const parsed = isOther ? this.#parse(ref, body) : this.#ofRecord(ref, body, decodeRecord);
    const object = this.#withType(parsed);
    this.decoded++;
    if (!isOther) this.decodedRecords++;
    return this.#options.freeze ? deepFreeze(object) : object;
  }

  #parse(ref: BlockRef, body: string | Buffer): object {
    try {
      return typeof body === 'string'
        ? (JSON.parse(body) as object)
        : this.#decoderOf(ref.segment >>> SEGMENT_INDEX_BITS).decode(body);
    } catch (cause) {
      throw this.#failure(ref, cause);
    }
  }

  /** Reads of a record that was loaded, and whose stamp was checked since. */
  #ofRecord<R>(ref: BlockRef, record: RecordDecoder, read: (record: RecordDecoder) => R): R {
    for (;;) {
      try {
        return read(record);
      } catch (cause) {
        if (!(cause instanceof UnknownEpochError)) throw this.#failure(ref, cause);
        // A dictionary goes when the last record of it was given back, so this one was.
        if (!this.#options.segments.fetchDictionary(cause.epoch)) throw new ReleasedObjectError();
      }
    }
  }

  readonly #readBody = (segment: Segment, block: number): ReadBody => {
    switch (bodyFormat(segment, block)) {
      case 'json':
        return bodyText(segment, block);
      case 'msgpack':
        return bodyBytes(segment, block);
      case 'record': {
        const { recordDecoder } = this.#options.segments;
        recordDecoder.load(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block));
        return recordDecoder;
      }
    }
  };

  #decoderOf(worker: number): MsgpackDecoder {
    let decoder = this.#decoders.get(worker);
    if (decoder === undefined) {
      const structures = this.#options.segments.structuresOf(worker);
      if (structures === undefined)
        throw new Error(`the structures of worker ${worker} were never announced`);
      decoder = new MsgpackDecoder(structures);
      this.#decoders.set(worker, decoder);
    }
    return decoder;
  }

  #failure(ref: BlockRef, cause: unknown): DecodeError {
    this.failed++;
    const segment = this.#options.segments.get(ref.segment);
    return new DecodeError(blockKey(segment, fromOffset8(ref.offset8)), cause);
  }

  #withType(object: object): object {
    const { kind, apiVersion } = object as Partial<TypeMeta>;
    if (this.typeMeta === undefined || (kind && apiVersion)) return object;
    return {
      ...this.typeMeta,
      ...object,
      kind: kind || this.typeMeta.kind,
      apiVersion: apiVersion || this.typeMeta.apiVersion,
    };
  }
}

function decodeRecord(record: RecordDecoder): object {
  return record.decode();
}

/** @throws ReleasedObjectError when the block is another one by now */
function checkStamp(segment: Segment, block: number, ref: BlockRef): void {
  if (blockStamp(segment, block) !== ref.stamp) throw new ReleasedObjectError();
}

function deepFreeze(value: object): object {
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && child !== null) deepFreeze(child);
  }
  return Object.freeze(value);
}
