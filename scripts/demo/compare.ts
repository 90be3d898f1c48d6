/** Compares a cache with its server, object by object. */
import { isDeepStrictEqual } from 'node:util';
import type { SharedInformer } from '../../src/index.ts';

export interface Differences {
  /** On the server, not in the cache. */
  readonly missing: number;
  /** In the cache, not on the server. */
  readonly extra: number;
  /** In both, not deeply equal. */
  readonly different: number;
}

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

export function compareWithServer(informer: SharedInformer, objects: readonly object[]): Differences {
  const left = new Set(informer.lister.keys());
  let missing = 0;
  let different = 0;
  for (const object of objects) {
    const { namespace, name } = (object as Named).metadata;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    if (!left.delete(key)) missing++;
    else if (!isDeepStrictEqual(informer.lister.get(key), object)) different++;
  }
  return { missing, extra: left.size, different };
}
