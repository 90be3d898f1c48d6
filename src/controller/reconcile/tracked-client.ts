import type { ResourceRef } from '../../reflector/index.ts';
import type { ApiClient, ApiObject } from '../client/index.ts';

/** The requests of a client that can be tracked. */
export type TrackableClient = Pick<ApiClient, 'get' | 'create' | 'update' | 'patch' | 'delete'>;

/** A client whose writes are recorded once they were answered. */
export function trackedClient(
  client: TrackableClient,
  record: (resource: ResourceRef, written: ApiObject) => void,
  recordDelete: (resource: ResourceRef, deleted: ApiObject) => void,
): TrackableClient {
  const recorded = async <T extends ApiObject>(resource: ResourceRef, request: Promise<T>): Promise<T> => {
    const written = await request;
    record(resource, written);
    return written;
  };
  return {
    get: (resource, name, options) => client.get(resource, name, options),
    create: (resource, object, options) => recorded(resource, client.create(resource, object, options)),
    update: (resource, object, options) => recorded(resource, client.update(resource, object, options)),
    patch: <T extends ApiObject>(...[resource, name, patch, options]: Parameters<ApiClient['patch']>) =>
      recorded<T>(resource, client.patch<T>(resource, name, patch, options)),
    delete: async (resource, name, options) => {
      const deleted = await client.delete(resource, name, options);
      recordDelete(resource, deleted);
      return deleted;
    },
  };
}
