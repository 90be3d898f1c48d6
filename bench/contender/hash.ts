/** Hash of a cache, as `answer.md` defines it. */

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Sum over all objects, in any order, as a decimal string. */
export function hashOfCache(entries: Iterable<readonly [key: string, resourceVersion: string]>): {
  readonly objects: number;
  readonly hash: string;
} {
  let objects = 0;
  let sum = 0;
  for (const [key, resourceVersion] of entries) {
    objects++;
    sum += fnv1a(`${key}\0${resourceVersion}`);
  }
  return { objects, hash: String(sum) };
}

function fnv1a(text: string): number {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}
