/** Leader election on Leases: of many candidates one leads. */

export { LeadershipError } from './errors.ts';
export { LeaderElector } from './leader-elector.ts';
export type { Lease, LeaseName, LeaseSpec } from './lease.ts';
export { type LeaseClient, leaseClient } from './lease-client.ts';
export type { LeaderElectorOptions } from './options.ts';
