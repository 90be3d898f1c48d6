import type { ResourceRef } from '../../reflector/index.ts';
import type { ApiClient, RequestOptions } from './api-client.ts';
import { mergePatch } from './merge-patch.ts';
import { type ApiObject, nameOf } from './object-name.ts';

/** What of an {@link ApiClient} a patch needs. */
export type ObjectPatcher = Pick<ApiClient, 'patch'>;

/**
 * Writes the status of an object, through its status subresource: only what differs, and only if something does, so
 * that a controller that always writes its status does not wake itself up for ever. Fields that are absent from
 * `status` are removed. The server refuses with `conflict` when the object has changed since it was read, because
 * a list, such as conditions, is always replaced as a whole.
 *
 * @param object - as it was read from the lister or the API; is not changed
 * @returns the object as the server has it now, or `object` itself when nothing differs
 * @throws ApiError when the server refuses, TypeError when the object has no name
 */
export async function patchStatus<T extends ApiObject & { readonly status?: object }>(
  client: ObjectPatcher,
  resource: ResourceRef,
  object: T,
  status: NonNullable<T['status']>,
  { signal }: RequestOptions = {},
): Promise<T> {
  const change = mergePatch(object.status ?? {}, status);
  if (change === undefined) return object;
  const resourceVersion = object.metadata?.resourceVersion;
  const patch = { ...(resourceVersion && { metadata: { resourceVersion } }), status: change };
  return client.patch<T>(resource, nameOf(object), patch, { subresource: 'status', signal });
}
