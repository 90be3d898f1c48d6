import { type ApiClient, ApiError } from '../client/index.ts';
import type { Lease, LeaseName } from './lease.ts';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** The requests that leader election makes. Each should end when its signal aborts; if not, nobody waits for it. */
export interface LeaseClient {
  /** @returns undefined when there is no such lease */
  get(name: LeaseName, signal: AbortSignal): Promise<Lease | undefined>;
  /** @returns what the server stored. Rejects when the lease exists. */
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /**
   * Replaces the lease, if its `metadata.resourceVersion` is still the latest.
   *
   * @returns what the server stored. Rejects with HTTP status 409 (`status` of an ApiError, `code` of client-node's
   *   ApiException) when it was not the latest.
   */
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
}

/** Leases of an API server. Needs the verbs get, create and update on `leases` of `coordination.k8s.io`. */
export function leaseClient(api: Pick<ApiClient, 'get' | 'create' | 'update'>): LeaseClient {
  return {
    async get(name, signal) {
      try {
        return await api.get<Lease>(LEASES, name, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    create: (lease, signal) => api.create(LEASES, lease, { signal }),
    update: (lease, signal) => api.update(LEASES, lease, { signal }),
  };
}
