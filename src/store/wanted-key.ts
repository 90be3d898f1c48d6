/**
 * The UTF-8 bytes of a key that is looked up, in memory that every look-up uses again: hashing and comparing
 * words is twice as fast as going through a string's characters, and nothing is allocated.
 */
import { MAX_IDENTITY_BYTES } from '../layout/block.ts';

/** Room for every key that fits a block: namespace, separator, name. Only its first pages are ever touched. */
const MAX_KEY_BYTES = 2 * (MAX_IDENTITY_BYTES + 1);

/** Most bytes of UTF-8 for one UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

/** One for each Indexer: look-ups are never interrupted. */
export class WantedKey {
  readonly bytes = Buffer.from(new ArrayBuffer(MAX_KEY_BYTES));
  readonly words = new Int32Array(this.bytes.buffer);
  length = 0;

  /**
   * Takes the bytes of a key.
   *
   * @returns false when no object can have it: it is too long, or has a lone surrogate, which UTF-8 has not
   */
  set(key: string): boolean {
    if (key.length * BYTES_PER_UNIT > MAX_KEY_BYTES && Buffer.byteLength(key) > MAX_KEY_BYTES) return false;
    this.length = this.bytes.write(key);
    return this.length === key.length || key.isWellFormed();
  }
}
