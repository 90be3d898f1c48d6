/** A `coordination.k8s.io/v1` Lease as it travels. Unknown fields are kept as they are. */
export interface Lease {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: LeaseSpec;
  readonly [field: string]: unknown;
}

/** The spec of a Lease. Times are text and stay it: nobody's microseconds are lost. */
export interface LeaseSpec {
  /** Who leads; absent or '' when nobody does. */
  readonly holderIdentity?: string | null;
  /** How long others wait after they saw the lease change. */
  readonly leaseDurationSeconds?: number | null;
  /** `metav1.MicroTime`. */
  readonly acquireTime?: string | null;
  /** `metav1.MicroTime`. */
  readonly renewTime?: string | null;
  /** How often the lease went to somebody else. */
  readonly leaseTransitions?: number | null;
  readonly [field: string]: unknown;
}

/** Names a lease. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** What everybody looks at to see who leads, and whether something has changed. */
export interface LeaseRecord {
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

/** The record of a lease that nobody has ever held. */
export const NO_RECORD: LeaseRecord = {
  holder: '',
  durationMs: 0,
  acquireTime: '',
  renewTime: '',
  transitions: 0,
};

export function recordOf({ spec }: Lease): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? '',
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    transitions: spec?.leaseTransitions ?? 0,
  };
}

export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.durationMs === b.durationMs &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime &&
    a.transitions === b.transitions
  );
}

/** A lease that does not exist yet. */
export function newLease({ namespace, name }: LeaseName, spec: LeaseSpec): Lease {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
}

/** The lease with a changed spec; whatever else it holds stays. */
export function withSpec(lease: Lease, spec: LeaseSpec): Lease {
  return { ...lease, spec: { ...lease.spec, ...spec } };
}
