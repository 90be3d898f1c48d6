/**
 * Bodies of objects, decoded when somebody looks, each at most once while it stays in a bounded cache. A body says
 * itself which format it has: JSON, as the server sent it or as a transform function left it, or MessagePack.
 */
import type { BytePath } from '../index/index.ts';
import { MsgpackDecoder } from '../msgpack/index.ts';
import { fromOffset8 } from './arena.ts';
import { blockKey, blockStamp, bodyEnd, bodyStart } from './block.ts';
import { bodyBytes, bodyText, isPacked } from './block-body.ts';
import { type BlockRef, placeOf } from './block-ref.ts';
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
  /** Most bytes of bodies whose objects are kept decoded. */
  readonly cacheBytes: number;
  /** Most objects that are kept decoded. @default no limit but the bytes */
  readonly cacheEntries?: number;
  /** Freezes what is decoded, so that a handler that writes to a shared object throws. */
  readonly freeze: boolean;
}

export class Bodies {
  typeMeta: TypeMeta | undefined;
  /** How many bodies were decoded, and how many could not be. */
  decoded = 0;
  failed = 0;

  readonly #options: BodiesOptions;
  readonly #cache: ObjectCache;
  /** Of MessagePack bodies, by worker. */
  readonly #decoders = new Map<number, MsgpackDecoder>();

  constructor(options: BodiesOptions) {
    this.#options = options;
    this.#cache = new ObjectCache(options.cacheBytes, options.cacheEntries ?? Number.POSITIVE_INFINITY);
  }

  get cachedBytes(): number {
    return this.#cache.bytes;
  }

  get cachedEntries(): number {
    return this.#cache.entries;
  }

  /**
   * The object of a block. Shared with everyone who asks: read-only.
   *
   * @throws DecodeError when the body is not valid
   * @throws ReleasedObjectError when the block was given back
   */
  decode(ref: BlockRef): object {
    const place = placeOf(ref);
    const cached = this.#cache.get(place, ref.stamp);
    if (cached !== undefined) return cached;
    const object = this.#decodeNow(ref);
    this.#cache.set(place, ref.stamp, object, ref.lengthBytes);
    return object;
  }

  /** The object of a block when it is decoded already. */
  cached(ref: BlockRef): object | undefined {
    return this.#cache.get(placeOf(ref), ref.stamp);
  }

  /**
   * The body as JSON. Of a JSON body it is what is kept: numbers that a double can't hold are still exact here.
   *
   * @throws DecodeError when a body that is not JSON is not valid
   * @throws ReleasedObjectError when the block was given back
   */
  text(ref: BlockRef): string {
    const body = this.#read(ref, readBody);
    return typeof body === 'string' ? body : JSON.stringify(this.#parse(ref, body));
  }

  /**
   * The JSON of each value that a path leads to, as it was received. Nothing else of a JSON body is decoded.
   *
   * @throws DecodeError when the body is not valid on the way
   * @throws ReleasedObjectError when the block was given back
   */
  textsAt(ref: BlockRef, path: BytePath): string[] {
    return this.#readPath(
      ref,
      (segment, block) => path.texts(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block)),
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
      (object) => path.valuesIn(object),
    );
  }

  /** The values that a path gives to an index. Throws as {@link textsAt}. */
  indexValuesAt(ref: BlockRef, path: BytePath): string[] {
    return this.#readPath(
      ref,
      (segment, block) => path.indexValues(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block)),
      (object) => path.indexValuesIn(object),
    );
  }

  /** The block is about to be given back: nobody may find its object under this place again. */
  forget(ref: BlockRef): void {
    this.#cache.delete(placeOf(ref));
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

  /** Follows a path through the bytes of a JSON body, or through the object of another one. */
  #readPath<R>(
    ref: BlockRef,
    ofJson: (segment: Segment, block: number) => R[],
    ofObject: (object: object) => R[],
  ): R[] {
    let result: R[] | Buffer;
    try {
      result = this.#read<R[] | Buffer>(ref, (segment, block) =>
        isPacked(segment, block) ? bodyBytes(segment, block) : ofJson(segment, block),
      );
    } catch (error) {
      throw error instanceof SyntaxError ? this.#failure(ref, error) : error;
    }
    return Buffer.isBuffer(result) ? ofObject(this.#parse(ref, result)) : result;
  }

  #decodeNow(ref: BlockRef): object {
    const object = this.#withType(this.#parse(ref, this.#read(ref, readBody)));
    this.decoded++;
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

/** JSON as a string; anything else as a copy of its bytes. */
function readBody(segment: Segment, block: number): string | Buffer {
  return isPacked(segment, block) ? bodyBytes(segment, block) : bodyText(segment, block);
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
