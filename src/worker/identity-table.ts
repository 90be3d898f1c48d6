/**
 * Which objects there are and in which versions, as a list said it: a row of hashes per object, sorted by shard, and
 * the keys. Made in the worker by a probe, and posted to the home thread, which compares it with the Indexer.
 */

/**
 * Words of a row: hash of the key, hash of uid and resourceVersion (both zero when it names none), where the key lies
 * in `keys` and its length in bytes.
 */
export const IDENTITY_WORDS = 6;
export const IDENTITY_KEY_LO = 0;
export const IDENTITY_KEY_HI = 1;
export const IDENTITY_VERSION_LO = 2;
export const IDENTITY_VERSION_HI = 3;
export const IDENTITY_KEY_AT = 4;
export const IDENTITY_KEY_LENGTH = 5;

/** Words of a shard's digest. */
export const DIGEST_WORDS = 2;

/** Keys have 20 to 80 bytes; room for the first of them. */
const FIRST_ROWS = 1024;
const FIRST_KEY_BYTES = 64 * 1024;

/** Can be posted; its buffers are its own. */
export interface IdentityTable {
  /** Row where each shard begins, and behind the last one the number of rows. */
  readonly starts: Uint32Array<ArrayBuffer>;
  /** {@link DIGEST_WORDS} for each shard. */
  readonly digests: Int32Array<ArrayBuffer>;
  readonly rows: Int32Array<ArrayBuffer>;
  readonly keys: Uint8Array<ArrayBuffer>;
}

/** Adds an object to its shard's digest. The order in which objects are added does not matter. */
export function addToDigest(
  digests: Int32Array,
  shard: number,
  keyLo: number,
  keyHi: number,
  versionLo: number,
  versionHi: number,
): void {
  const at = shard * DIGEST_WORDS;
  // Products tie each version to its key: two keys that swapped their versions must not look alike.
  digests[at] = (digests[at]! + Math.imul(keyLo | 1, versionLo) + keyHi) | 0;
  digests[at + 1] = (digests[at + 1]! + Math.imul(keyHi | 1, versionHi) + keyLo) | 0;
}

/** Collects rows in the order of the list. */
export class IdentityRows {
  #rows = new Int32Array(FIRST_ROWS * IDENTITY_WORDS);
  #keys = Buffer.alloc(FIRST_KEY_BYTES);
  #count = 0;
  #keyBytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Takes the row of an object. */
  add(keyLo: number, keyHi: number, versionLo: number, versionHi: number, key: string): void {
    const length = Buffer.byteLength(key);
    this.#reserve(length);
    const rows = this.#rows;
    const at = this.#count++ * IDENTITY_WORDS;
    rows[at + IDENTITY_KEY_LO] = keyLo;
    rows[at + IDENTITY_KEY_HI] = keyHi;
    rows[at + IDENTITY_VERSION_LO] = versionLo;
    rows[at + IDENTITY_VERSION_HI] = versionHi;
    rows[at + IDENTITY_KEY_AT] = this.#keyBytes;
    rows[at + IDENTITY_KEY_LENGTH] = length;
    this.#keys.write(key, this.#keyBytes);
    this.#keyBytes += length;
  }

  /**
   * Sorts the rows by shard.
   *
   * @param shards - a power of two; an object's shard is what the lowest bits of its key's upper hash say
   */
  table(shards: number): IdentityTable {
    const mask = shards - 1;
    const starts = new Uint32Array(shards + 1);
    const digests = new Int32Array(shards * DIGEST_WORDS);
    const from = this.#rows;
    const words = this.#count * IDENTITY_WORDS;
    for (let row = 0; row < words; row += IDENTITY_WORDS)
      starts[(from[row + IDENTITY_KEY_HI]! & mask) + 1]!++;
    for (let shard = 0; shard < shards; shard++) starts[shard + 1]! += starts[shard]!;
    const next = starts.slice();
    const rows = new Int32Array(words);
    for (let row = 0; row < words; row += IDENTITY_WORDS) {
      const keyHi = from[row + IDENTITY_KEY_HI]!;
      const shard = keyHi & mask;
      addToDigest(
        digests,
        shard,
        from[row + IDENTITY_KEY_LO]!,
        keyHi,
        from[row + IDENTITY_VERSION_LO]!,
        from[row + IDENTITY_VERSION_HI]!,
      );
      rows.set(from.subarray(row, row + IDENTITY_WORDS), next[shard]!++ * IDENTITY_WORDS);
    }
    return { starts, digests, rows, keys: new Uint8Array(this.#keys.subarray(0, this.#keyBytes)) };
  }

  #reserve(keyBytes: number): void {
    if ((this.#count + 1) * IDENTITY_WORDS > this.#rows.length) {
      const rows = new Int32Array(this.#rows.length * 2);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    if (this.#keyBytes + keyBytes > this.#keys.length) {
      const keys = Buffer.alloc(Math.max(this.#keys.length * 2, this.#keyBytes + keyBytes));
      this.#keys.copy(keys, 0, 0, this.#keyBytes);
      this.#keys = keys;
    }
  }
}
