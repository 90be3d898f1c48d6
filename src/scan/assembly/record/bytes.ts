/** Comparing and hashing short runs of bytes. All of these may read up to 15 bytes behind the end. */
import { SEEN_BYTE, SEEN_CELLS } from '../../../layout/record-memory';
import { hashSeed, objectTag } from './state';

// @ts-ignore: decorator
@inline
export function isSame(a: usize, b: usize, length: usize): bool {
  while (length >= 16) {
    if (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) != 0xffff) return false;
    a += 16;
    b += 16;
    length -= 16;
  }
  const wanted = (1 << <i32>length) - 1;
  return (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) & wanted) == wanted;
}

/** Keyed with a secret, so that nobody can choose strings that collide. */
export function hashOf(at: usize, length: usize, salt: u64): u64 {
  let hash = hashSeed() ^ salt ^ (<u64>length * 0x9e3779b97f4a7c15);
  while (length >= 8) {
    hash = (hash ^ load<u64>(at)) * 0x9fb21c651e98df25;
    hash ^= hash >> 32;
    at += 8;
    length -= 8;
  }
  if (length != 0) {
    hash = (hash ^ (load<u64>(at) & ((<u64>1 << (<u64>length << 3)) - 1))) * 0x9fb21c651e98df25;
    hash ^= hash >> 32;
  }
  hash *= 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

/**
 * Whether another object had what has this hash, within the memory of the filter. A cell holds 16 bits of a hash, 14
 * of the object that had it, and a bit that says that it is used; a newcomer takes the place of what was there.
 */
// @ts-ignore: decorator
@inline
export function wasSeenElsewhere(hash: u64): bool {
  const cell = <usize>(SEEN_BYTE + ((<u32>hash & (SEEN_CELLS - 1)) << 2));
  const print = (<u32>(hash >> 48) << 16) | 1;
  const seen = load<u32>(cell);
  if ((seen & 0xffff0001) == print) return (seen & 0xfffc) != objectTag << 2;
  store<u32>(cell, print | (objectTag << 2));
  return false;
}
