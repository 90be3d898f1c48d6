/** FNV-1a with 32 bits, as `bench/contender/answer.md` defines the hash of an answer. */

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const ZERO = 0x30;

/** The state behind `namespace/name\0`, to go on from with the digits of each resourceVersion. */
export function hashOfKey(namespace: string, name: string): number {
  const key = namespace === '' ? name : `${namespace}/${name}`;
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(`${key}\0`)) hash = Math.imul(hash ^ byte, PRIME);
  return hash;
}

/** Goes on with the ten digits of a resourceVersion. @returns an unsigned number of 32 bits */
export function hashOfVersion(keyHash: number, version: number): number {
  let hash = keyHash;
  for (let divisor = FIRST_DIVISOR; divisor >= 1; divisor /= 10) {
    const digit = Math.floor(version / divisor) % 10;
    hash = Math.imul(hash ^ (ZERO + digit), PRIME);
  }
  return hash >>> 0;
}

/** The share of one object in the hash of an answer, whatever its resourceVersion looks like. */
export function hashOfObject(namespace: string, name: string, resourceVersion: string): number {
  let hash = hashOfKey(namespace, name);
  for (const byte of Buffer.from(resourceVersion)) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** All resourceVersions here have as many digits, so that one can be written over another. */
export const VERSION_DIGITS = 10;
const FIRST_DIVISOR = 10 ** (VERSION_DIGITS - 1);

/** The server's resourceVersion before it has any object. */
export const VERSION_ZERO = FIRST_DIVISOR;
