/** HalfSipHash-1-3 of `namespace/name`, as in layout/key-hash.ts. */
import {
  SCAN_HASH_HI, SCAN_HASH_LO, SCAN_MAX_HASHED_BYTES, SCAN_NAME, SCAN_NAMESPACE,
} from '../../layout/scan';
import { getWord, isIdentityEscaped, putWord, scratch } from './result';

/** Copies in steps of 16 bytes, up to 15 beyond the end. */
// @ts-ignore: decorator
@inline
function copySmall(to: usize, from: usize, length: usize): void {
  for (let at: usize = 0; at < length; at += 16) v128.store(to + at, v128.load(from + at));
}

/** Writes the hash of the key that the result region holds. */
export function hashKey(seedLo: u32, seedHi: u32): void {
  const namespace = <usize>getWord(SCAN_NAMESPACE);
  const namespaceLength = <usize>getWord(SCAN_NAMESPACE + 1) - namespace;
  let key = <usize>getWord(SCAN_NAME);
  let length = <usize>getWord(SCAN_NAME + 1) - key;
  if (key == 0 || isIdentityEscaped(SCAN_NAME) || isIdentityEscaped(SCAN_NAMESPACE)) return;
  if (<i32>(length + namespaceLength) >= SCAN_MAX_HASHED_BYTES) return;
  if (namespaceLength != 0) {
    const joined = scratch(0);
    copySmall(joined, namespace, namespaceLength);
    store<u8>(joined + namespaceLength, 0x2f);
    copySmall(joined + namespaceLength + 1, key, length);
    key = joined;
    length += namespaceLength + 1;
  }
  hashBytes(key, <u32>length, seedLo, seedHi);
}

/**
 * Message words, the last one with the length, then three finishing rounds for each half of the hash: all
 * in one loop, so that the four state words stay in registers.
 */
function hashBytes(key: usize, length: u32, seedLo: u32, seedHi: u32): void {
  const wholeWords = length >> 2;
  const rest = length & 3;
  const lastWord = (length << 24) | (load<u32>(key + (<usize>wholeWords << 2)) & ((1 << (rest << 3)) - 1));
  let v0: u32 = seedLo;
  let v1: u32 = seedHi ^ 0xee;
  let v2: u32 = 0x6c796765 ^ seedLo;
  let v3: u32 = 0x74656462 ^ seedHi;
  const rounds = wholeWords + 7;
  for (let step: u32 = 0; step < rounds; step++) {
    let word: u32 = 0;
    if (step < wholeWords) word = load<u32>(key + (<usize>step << 2));
    else if (step == wholeWords) word = lastWord;
    else if (step == wholeWords + 1) v2 ^= 0xee;
    else if (step == wholeWords + 4) {
      putWord(SCAN_HASH_LO, <usize>(v1 ^ v3));
      v1 ^= 0xdd;
    }
    v3 ^= word;
    v0 += v1;
    v1 = rotl(v1, 5) ^ v0;
    v0 = rotl(v0, 16);
    v2 += v3;
    v3 = rotl(v3, 8) ^ v2;
    v0 += v3;
    v3 = rotl(v3, 7) ^ v0;
    v2 += v1;
    v1 = rotl(v1, 13) ^ v2;
    v2 = rotl(v2, 16);
    v0 ^= word;
  }
  putWord(SCAN_HASH_HI, <usize>(v1 ^ v3));
}
