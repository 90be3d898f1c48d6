import { UsageError } from '../../informer/index.ts';
import type { ApiObject } from './object-name.ts';

/**
 * A JSON merge patch that replaces an object's finalizers. The server refuses it with `conflict` when the object has
 * changed since it was read: else it would undo the finalizers that others added or removed meanwhile.
 */
export interface FinalizersPatch {
  readonly metadata: { readonly resourceVersion: string; readonly finalizers: readonly string[] };
}

/** `domain/name`, as the API server wants custom finalizers. */
const FINALIZER = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** True when the object is not removed before somebody takes away this finalizer. */
export function hasFinalizer(object: ApiObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/**
 * The patch that adds a finalizer behind those that are there.
 *
 * @param finalizer - `domain/name`, for example `shop.example.com/cleanup`
 * @returns null when the object has it
 * @throws UsageError when the name can't be one, when the object is being deleted (it gets no new finalizers: clean up
 *   instead), or when it has no resourceVersion
 */
export function addFinalizer(object: ApiObject, finalizer: string): FinalizersPatch | null {
  if (!FINALIZER.test(finalizer)) {
    const example = 'shop.example.com/cleanup';
    throw new UsageError(`a finalizer is a domain and a name, such as '${example}', not '${finalizer}'`);
  }
  if (hasFinalizer(object, finalizer)) return null;
  if (object.metadata?.deletionTimestamp !== undefined) {
    const message = `${describe(object)} is being deleted and gets no new finalizers: check deletionTimestamp first`;
    throw new UsageError(message);
  }
  return patchOf(object, [...(object.metadata?.finalizers ?? []), finalizer]);
}

/**
 * The patch that removes a finalizer. When it is the last one of an object that is being deleted, the object goes.
 *
 * @returns null when the object does not have it
 * @throws UsageError when the object has no resourceVersion
 */
export function removeFinalizer(object: ApiObject, finalizer: string): FinalizersPatch | null {
  if (!hasFinalizer(object, finalizer)) return null;
  return patchOf(object, object.metadata?.finalizers?.filter((name) => name !== finalizer) ?? []);
}

function patchOf(object: ApiObject, finalizers: readonly string[]): FinalizersPatch {
  const resourceVersion = object.metadata?.resourceVersion;
  if (!resourceVersion) {
    const message = `${describe(object)} has no resourceVersion: give the object as it was read from a lister or the API`;
    throw new UsageError(message);
  }
  return { metadata: { resourceVersion, finalizers } };
}

function describe({ kind = 'the object', metadata }: ApiObject): string {
  const { namespace, name = '' } = metadata ?? {};
  return namespace ? `${kind} ${namespace}/${name}` : `${kind} ${name}`.trim();
}
