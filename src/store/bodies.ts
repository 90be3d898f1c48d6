/**
 * Bodies of objects, decoded when somebody looks, each at most once while it stays in a bounded cache.
 * Runs on the home thread. The body format `json`: the projected bytes as the server sent them.
 */
import type { BytePath } from '../index/index.ts';
import { fromOffset8 } from './arena.ts';
import { blockKey, blockStamp, bodyEnd, bodyStart } from './block.ts';
import { bodyText } from './block-body.ts';
import { type BlockRef, placeOf } from './block-ref.ts';
import { DecodeError, ReleasedObjectError } from './body-errors.ts';
import { ObjectCache } from './object-cache.ts';
import type { Segment, SegmentTable } from './segments.ts';

/** How bytes become objects. Behind this interface lie the body formats; `json` is the first. */
export interface BodyFormat {
  /** @throws when the bytes are not a body of this format */
  decode(text: string): object;
}

export const jsonFormat: BodyFormat = { decode: (text) => JSON.parse(text) as object };

/** What objects of a resource are, for bodies that do not say it themselves. */
export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export interface BodiesOptions {
  readonly segments: SegmentTable;
  readonly format: BodyFormat;
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
   * The body as it was received: numbers that a double can't hold are still exact here.
   *
   * @throws ReleasedObjectError when the block was given back
   */
  text(ref: BlockRef): string {
    return this.#read(ref, bodyText);
  }

  /**
   * The JSON of each value that a path leads to, as it was received. Nothing else is decoded.
   *
   * @throws DecodeError when the body is not valid on the way
   * @throws ReleasedObjectError when the block was given back
   */
  textsAt(ref: BlockRef, path: BytePath): string[] {
    return this.#readPath(ref, (segment, block) =>
      path.texts(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block)),
    );
  }

  /** What {@link textsAt} gives, decoded. Throws as it does. */
  valuesAt(ref: BlockRef, path: BytePath): unknown[] {
    return this.#readPath(ref, (segment, block) =>
      path
        .texts(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block))
        .map((text) => JSON.parse(text) as unknown),
    );
  }

  /** The values that a path gives to an index. Throws as {@link textsAt}. */
  indexValuesAt(ref: BlockRef, path: BytePath): string[] {
    return this.#readPath(ref, (segment, block) =>
      path.indexValues(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block)),
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

  #readPath<R>(ref: BlockRef, read: (segment: Segment, block: number) => R): R {
    try {
      return this.#read(ref, read);
    } catch (error) {
      throw error instanceof SyntaxError ? this.#failure(ref, error) : error;
    }
  }

  #decodeNow(ref: BlockRef): object {
    const text = this.text(ref);
    let object: object;
    try {
      object = this.#options.format.decode(text);
    } catch (cause) {
      throw this.#failure(ref, cause);
    }
    this.decoded++;
    object = this.#withType(object);
    return this.#options.freeze ? deepFreeze(object) : object;
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
