/**
 * The hash of an object's key, computed by the worker on bytes (in WASM) and by readers on strings (here).
 * HalfSipHash-1-3 with a 64-bit result: short keys, 32-bit arithmetic only, and keyed by a random seed, so
 * that nobody can choose object names that collide. Source: J.-P. Aumasson and D. J. Bernstein, "SipHash",
 * and the HalfSipHash variant that Linux uses for hash tables.
 */

/** Secret of one process. Made once on the home thread, handed to its workers. */
export interface HashSeed {
  readonly lo: number;
  readonly hi: number;
}

export interface KeyHash {
  lo: number;
  hi: number;
}

/** Where strings are put as bytes; a hash is never interrupted. Longer keys than any real one get their own. */
const scratch = new Uint8Array(1024);
const encoder = new TextEncoder();

/** Hashes a key given as a string, as its UTF-8 bytes. */
export function hashKey(key: string, seed: HashSeed, out: KeyHash): void {
  const length = key.length;
  if (length <= scratch.length) {
    let i = 0;
    for (; i < length; i++) {
      const unit = key.charCodeAt(i);
      if (unit > 0x7f) break;
      scratch[i] = unit;
    }
    if (i === length) {
      hashBytes(scratch, 0, length, seed, out);
      return;
    }
  }
  const bytes = encoder.encode(key);
  hashBytes(bytes, 0, bytes.length, seed, out);
}

/**
 * Hashes a key given as UTF-8 bytes from `begin` to `end`. The state lies in local variables and the round stands here
 * twice, because a function for it makes a hash two to three times slower.
 */
export function hashBytes(bytes: Uint8Array, begin: number, end: number, seed: HashSeed, out: KeyHash): void {
  let v0 = seed.lo | 0;
  let v1 = (seed.hi ^ 0xee) | 0;
  let v2 = 0x6c796765 ^ seed.lo;
  let v3 = 0x74656462 ^ seed.hi;
  const length = end - begin;
  const wholeWords = begin + (length & ~3);
  let last = length << 24;
  for (let i = wholeWords; i < end; i++) last |= bytes[i]! << ((i - wholeWords) * 8);

  for (let i = begin; i <= wholeWords; i += 4) {
    const word =
      i === wholeWords
        ? last
        : bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }

  v2 ^= 0xee;
  for (let i = 0; i < 6; i++) {
    if (i === 3) {
      out.lo = (v1 ^ v3) >>> 0;
      v1 ^= 0xdd;
    }
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
  }
  out.hi = (v1 ^ v3) >>> 0;
}
