/**
 * Objects that are made while they are sent and forgotten at once: a million Pods are 9.5 GB. They don't change.
 * The next page is made while the client reads the one before.
 */
import { Frames } from './frames.ts';
import { hashOfKey, hashOfVersion } from './hash.ts';
import type { ObjectSetOptions } from './kept-objects.ts';
import type { ListPage, ObjectSource } from './source.ts';
import { type ObjectText, PAGE_OBJECTS, Texts } from './texts.ts';

export class MadeObjects implements ObjectSource {
  readonly frames: Frames;
  readonly size: number;
  readonly version: number;
  readonly #texts: Texts;
  readonly #firstVersion: number;
  #ahead: { page: number; bytes: Buffer } | undefined;

  constructor(options: ObjectSetOptions, firstVersion: number) {
    this.frames = new Frames(options.resource, options.kind);
    this.size = options.objects;
    this.version = firstVersion + options.objects - 1;
    this.#texts = new Texts(options);
    this.#firstVersion = firstVersion;
  }

  /** Pages are of {@link PAGE_OBJECTS}, or everything. @throws RangeError for other limits */
  page(begin: number, limit: number): ListPage {
    const count = Math.min(limit, this.size - begin);
    const isWhole = limit === Number.POSITIVE_INFINITY || limit === PAGE_OBJECTS;
    if (!isWhole || begin % PAGE_OBJECTS !== 0) {
      throw new RangeError(`this many objects are listed in pages of ${PAGE_OBJECTS}, or at once`);
    }
    const end = begin + count;
    return { count, next: end < this.size ? end : undefined, chunks: this.#chunks(begin, end) };
  }

  *initialEvents(): Generator<Buffer> {
    const { before, skippedBytes } = this.frames.events.ADDED;
    const head = before.toString();
    for (let first = 0; first < this.size; first += PAGE_OBJECTS) {
      const lines = this.#items(first).map((item) => `${head}${item.slice(skippedBytes)}}\n`);
      yield Buffer.from(lines.join(''));
    }
  }

  hash(): number {
    let sum = 0;
    for (let first = 0; first < this.size; first += PAGE_OBJECTS) {
      this.#page(first).forEach(({ namespace, name }, k) => {
        sum += hashOfVersion(hashOfKey(namespace, name), this.#firstVersion + first + k);
      });
    }
    return sum;
  }

  *#chunks(begin: number, end: number): Generator<Buffer> {
    for (let first = begin; first < end; first += PAGE_OBJECTS) {
      const bytes = this.#ahead?.page === first ? this.#ahead.bytes : this.#bytes(first);
      this.#makeAhead(first + PAGE_OBJECTS);
      yield bytes;
    }
  }

  #makeAhead(first: number): void {
    if (first >= this.size) return;
    setImmediate(() => {
      if (this.#ahead?.page !== first) this.#ahead = { page: first, bytes: this.#bytes(first) };
    });
  }

  #bytes(first: number): Buffer {
    return Buffer.from(`${this.#items(first).join(',')},`);
  }

  #items(first: number): string[] {
    return this.#page(first).map(({ head, tail }, k) => `${head}${this.#firstVersion + first + k}${tail}`);
  }

  #page(first: number): ObjectText[] {
    return this.#texts.page(first / PAGE_OBJECTS, Math.min(PAGE_OBJECTS, this.size - first));
  }
}
