import { createHash } from 'node:crypto';
import type { Collection } from './collection.ts';

/** Which object there is, in which state. */
export interface ObjectState {
  /** `namespace/name`, or the name alone. */
  key: string;
  uid: string;
  resourceVersion: string;
}

/** All objects of a resource in one line, to compare a cache with. */
export interface Digest {
  count: number;
  /** The server's, at the time of the digest. */
  resourceVersion: string;
  /** Of a line `key uid resourceVersion` with a line end for each object, in order of the keys' code units. */
  sha256: string;
}

/** Key, uid and resourceVersion of all objects, in order of their keys. */
export function statesOf(collection: Collection): ObjectState[] {
  return collection.sorted().map(({ key, uid, resourceVersion }) => {
    return { key, uid, resourceVersion: String(resourceVersion) };
  });
}

/**
 * The digest of these states, in any order. A test makes the same from what its cache holds and compares two
 * short texts instead of 50,000 objects.
 */
export function digestOf(states: readonly ObjectState[], resourceVersion: string): Digest {
  const hash = createHash('sha256');
  const sorted = [...states].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { key, uid, resourceVersion: version } of sorted) hash.update(`${key} ${uid} ${version}\n`);
  return { count: states.length, resourceVersion, sha256: hash.digest('hex') };
}
