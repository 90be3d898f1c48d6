import { UsageError } from '../../informer/index.ts';
import type { ApiObject } from './object-name.ts';

/** An entry of `metadata.ownerReferences` that names the one object whose controller looks after this one. */
export interface ControllerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: true;
  readonly blockOwnerDeletion: true;
}

/**
 * The owner reference for objects that a controller makes for `owner`: they are deleted with it, and changes of them
 * lead back to it. An owner in a namespace can only own objects of the same namespace; one in none can own all.
 *
 * @param owner - as it was read from a lister or the API
 * @throws UsageError when the owner lacks apiVersion, kind, name or uid
 */
export function controllerReference(owner: ApiObject): ControllerReference {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata ?? {};
  if (!apiVersion || !kind || !name || !uid) {
    const missing = Object.entries({ apiVersion, kind, 'metadata.name': name, 'metadata.uid': uid });
    const names = missing.filter(([, value]) => !value).map(([field]) => field);
    const message = `an owner without ${names.join(', ')} can't be referred to: give the object as it was read from a lister or the API`;
    throw new UsageError(message);
  }
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
