import {
  LeaderElector,
  type LeaderElectorOptions,
  type Lease,
  type LeaseSpec,
} from '../../src/controller/index.ts';
import { FakeLeases } from './fake-leases.ts';
import { ManualClock, settle } from './manual-clock.ts';

export const LEASE = { namespace: 'shop', name: 'operator' };

/** A candidate on a lease of its own, at the beginning of time. */
export function setUp(options: Partial<LeaderElectorOptions> = {}) {
  const clock = new ManualClock();
  const leases = new FakeLeases();
  const log: string[] = [];
  const errors: unknown[] = [];
  const controller = new AbortController();
  const elector = new LeaderElector(leases, {
    lease: LEASE,
    identity: 'me',
    clock,
    random: () => 0.5,
    onStartedLeading: () => void log.push('started'),
    onStoppedLeading: () => void log.push('stopped'),
    onNewLeader: (identity) => log.push(`leader ${identity}`),
    onError: (error) => errors.push(error),
    ...options,
  });
  let running: Promise<void> | undefined;
  return {
    clock,
    leases,
    log,
    errors,
    elector,
    async start() {
      running = elector.run({ signal: controller.signal });
      running.catch(() => {});
      await settle();
    },
    stop: () => controller.abort(new Error('told to stop')),
    run: () => running!,
  };
}

export function lease(spec: LeaseSpec | undefined): Lease {
  return { metadata: { ...LEASE }, ...(spec !== undefined && { spec }) };
}

export function specOf({ lease }: FakeLeases): LeaseSpec {
  return lease?.spec ?? {};
}
