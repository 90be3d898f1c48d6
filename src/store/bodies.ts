/**
 * Bodies of objects, decoded when somebody looks, each at most once while it stays in a bounded cache.
 * Runs on the home thread. The body format `json`: the projected bytes as the server sent them.
 */
import { fromOffset8 } from './arena.ts';
import { blockKey, blockStamp } from './block.ts';
import { bodyText } from './block-body.ts';
import { type BlockRef, placeOf } from './block-ref.ts';
import { DecodeError, ReleasedObjectError } from './body-errors.ts';
import type { SegmentTable } from './segments.ts';

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
  /** Freezes what is decoded, so that a handler that writes to a shared object throws. */
  readonly freeze: boolean;
}

interface CachedObject {
  readonly stamp: number;
  readonly object: object;
  readonly bytes: number;
  /** Looked at again since it went in: it gets a second chance when room is needed. */
  isTouched: boolean;
}

export class Bodies {
  typeMeta: TypeMeta | undefined;
  /** How many bodies were decoded, and how many could not be. */
  decoded = 0;
  failed = 0;

  readonly #options: BodiesOptions;
  readonly #cache = new Map<number, CachedObject>();
  #cachedBytes = 0;

  constructor(options: BodiesOptions) {
    this.#options = options;
  }

  get cachedBytes(): number {
    return this.#cachedBytes;
  }

  /**
   * The object of a block. Shared with everyone who asks: read-only.
   *
   * @throws DecodeError when the body is not valid
   * @throws ReleasedObjectError when the block was given back
   */
  decode(ref: BlockRef): object {
    const place = placeOf(ref);
    const cached = this.#cache.get(place);
    if (cached !== undefined && cached.stamp === ref.stamp) {
      cached.isTouched = true;
      return cached.object;
    }
    const object = this.#decodeNow(ref);
    this.#keep(place, { stamp: ref.stamp, object, bytes: ref.lengthBytes, isTouched: false });
    return object;
  }

  /**
   * The body as it was received: numbers that a double can't hold are still exact here.
   *
   * @throws ReleasedObjectError when the block was given back
   */
  text(ref: BlockRef): string {
    const segment = this.#options.segments.find(ref.segment);
    const block = fromOffset8(ref.offset8);
    if (segment === undefined || blockStamp(segment, block) !== ref.stamp) throw new ReleasedObjectError();
    const text = bodyText(segment, block);
    // The worker stamps a block before it writes a new body: an equal stamp means that nothing was torn.
    if (blockStamp(segment, block) !== ref.stamp) throw new ReleasedObjectError();
    return text;
  }

  /** The block is about to be given back: nobody may find its object under this place again. */
  forget(ref: BlockRef): void {
    const place = placeOf(ref);
    const cached = this.#cache.get(place);
    if (cached === undefined) return;
    this.#cache.delete(place);
    this.#cachedBytes -= cached.bytes;
  }

  #decodeNow(ref: BlockRef): object {
    const text = this.text(ref);
    let object: object;
    try {
      object = this.#options.format.decode(text);
    } catch (cause) {
      this.failed++;
      const segment = this.#options.segments.get(ref.segment);
      throw new DecodeError(blockKey(segment, fromOffset8(ref.offset8)), cause);
    }
    this.decoded++;
    object = this.#withType(object);
    return this.#options.freeze ? deepFreeze(object) : object;
  }

  #withType(object: object): object {
    const { kind, apiVersion } = object as Partial<TypeMeta>;
    if (this.typeMeta === undefined || (kind !== undefined && apiVersion !== undefined)) return object;
    return { ...this.typeMeta, ...object };
  }

  #keep(place: number, entry: CachedObject): void {
    if (entry.bytes > this.#options.cacheBytes) return;
    const old = this.#cache.get(place);
    if (old !== undefined) this.#cachedBytes -= old.bytes;
    this.#cache.set(place, entry);
    this.#cachedBytes += entry.bytes;
    if (this.#cachedBytes > this.#options.cacheBytes) this.#evict();
  }

  #evict(): void {
    // Each entry is passed once with its mark and then goes, so this ends.
    for (const [place, entry] of this.#cache) {
      if (this.#cachedBytes <= this.#options.cacheBytes) return;
      this.#cache.delete(place);
      if (entry.isTouched) {
        entry.isTouched = false;
        this.#cache.set(place, entry);
      } else {
        this.#cachedBytes -= entry.bytes;
      }
    }
  }
}

function deepFreeze(value: object): object {
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && child !== null) deepFreeze(child);
  }
  return Object.freeze(value);
}
