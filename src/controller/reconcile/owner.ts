/** From an object to the key of the one whose controller looks after it. */
import type { Lister, ObjectRef } from '../../informer/index.ts';
import type { ResourceRef } from '../../reflector/index.ts';
import { keyOf } from './request.ts';

/** As far as it is read; it comes from the network. */
interface OwnerReference {
  readonly apiVersion?: unknown;
  readonly name?: unknown;
  readonly uid?: unknown;
  readonly controller?: unknown;
}

/**
 * The key of the owner that is the controller of an object, when that owner is in the cache.
 *
 * Owners are told by uid, so their kind need not be known, and one that was made anew under an old name is not taken
 * for the old one. An owner that is not in the cache yet brings an event of its own when it comes.
 *
 * @param owners - cache of the resource that owners are of
 */
export function ownerKey(
  object: ObjectRef<object>,
  owners: Lister<object>,
  { group }: ResourceRef,
): string | undefined {
  const references = object.at<unknown>('metadata.ownerReferences');
  if (!Array.isArray(references)) return undefined;
  const owner = references.find((reference) => reference?.controller === true) as OwnerReference | undefined;
  if (owner === undefined || groupOf(owner.apiVersion) !== group) return undefined;
  const { name, uid } = owner;
  if (typeof name !== 'string' || typeof uid !== 'string' || !isName(name)) return undefined;
  // An owner is in the namespace of what it owns, or in none.
  const keys = [keyOf(object.namespace, name), name];
  return keys.find((key) => owners.ref(key)?.uid === uid);
}

function groupOf(apiVersion: unknown): string | undefined {
  if (typeof apiVersion !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** The API server does not check names of owners, and the cache refuses what can't be one. */
function isName(name: string): boolean {
  return name !== '' && !name.includes('/');
}
