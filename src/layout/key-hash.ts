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

const encoder = new TextEncoder();

/** Hashes a key given as a string: ASCII without encoding it, anything else as UTF-8. */
export function hashKey(key: string, seed: HashSeed, out: KeyHash): void {
  for (let i = 0; i < key.length; i++) {
    if (key.charCodeAt(i) > 0x7f) {
      const bytes = encoder.encode(key);
      hashBytes(bytes, 0, bytes.length, seed, out);
      return;
    }
  }
  hashAscii(key, seed, out);
}

function hashAscii(key: string, seed: HashSeed, out: KeyHash): void {
  const length = key.length;
  const wholeWords = length & ~3;
  start(seed);
  for (let i = 0; i < wholeWords; i += 4) {
    absorb(
      key.charCodeAt(i) |
        (key.charCodeAt(i + 1) << 8) |
        (key.charCodeAt(i + 2) << 16) |
        (key.charCodeAt(i + 3) << 24),
    );
  }
  let last = length << 24;
  for (let i = wholeWords; i < length; i++) last |= key.charCodeAt(i) << ((i & 3) * 8);
  finish(last, out);
}

/** Hashes a key given as UTF-8 bytes from `begin` to `end`. */
export function hashBytes(bytes: Uint8Array, begin: number, end: number, seed: HashSeed, out: KeyHash): void {
  const length = end - begin;
  const wholeWords = begin + (length & ~3);
  start(seed);
  for (let i = begin; i < wholeWords; i += 4) {
    absorb(bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24));
  }
  let last = length << 24;
  for (let i = wholeWords; i < end; i++) last |= bytes[i]! << ((i - wholeWords) * 8);
  finish(last, out);
}

// The four state words live in the module: a hash is never interrupted, and nothing is allocated.
let v0 = 0;
let v1 = 0;
let v2 = 0;
let v3 = 0;

function start(seed: HashSeed): void {
  v0 = seed.lo | 0;
  v1 = (seed.hi ^ 0xee) | 0;
  v2 = 0x6c796765 ^ seed.lo;
  v3 = 0x74656462 ^ seed.hi;
}

function round(): void {
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

function absorb(word: number): void {
  v3 ^= word;
  round();
  v0 ^= word;
}

function finish(last: number, out: KeyHash): void {
  absorb(last);
  v2 ^= 0xee;
  round();
  round();
  round();
  out.lo = (v1 ^ v3) >>> 0;
  v1 ^= 0xdd;
  round();
  round();
  round();
  out.hi = (v1 ^ v3) >>> 0;
}
