/** Makes records of old epochs of a worker's dictionary anew, in the current one. */

import { type HashSeed, hashKey } from '../layout/key-hash.ts';
import { type DictionaryTable, RecordDecoder } from '../records/index.ts';
import { blockKey, bodyEnd, bodyStart, type Segment } from '../store/index.ts';
import type { RecordBody } from './record-body.ts';

export class RecordRewriter {
  readonly #decoder: RecordDecoder;
  readonly #seed: HashSeed;
  readonly #hash = { lo: 0, hi: 0 };

  /** @param dictionaries - all epochs of the worker */
  constructor(dictionaries: DictionaryTable, seed: HashSeed) {
    this.#seed = seed;
    // Only its text is made here, for which no code is needed.
    this.#decoder = new RecordDecoder(dictionaries, { compile: false });
  }

  /**
   * @param body - of the reflector that the block is of: it knows what may not be in a dictionary
   * @returns false when there is no record; then the old one serves
   */
  rewrite(body: RecordBody, segment: Segment, block: number): boolean {
    this.#decoder.load(segment.bytes, bodyStart(segment, block), bodyEnd(segment, block));
    const json = this.#decoder.text();
    const lengthBytes = Buffer.byteLength(json);
    const at = body.reserve(lengthBytes);
    if (at === 0) return false;
    body.bytes.write(json, at);
    hashKey(blockKey(segment, block), this.#seed, this.#hash);
    return body.make(lengthBytes, this.#hash.lo | 0);
  }
}
