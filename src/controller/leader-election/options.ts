import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { UsageError } from '../../informer/index.ts';
import { type DatedClock, systemClock } from '../timing.ts';
import type { LeaseName } from './lease.ts';

/** client-go's `JitterFactor`: a candidate waits from one to 2.2 retry periods between its tries. */
export const JITTER_FACTOR = 1.2;

/** How somebody stands for election. Durations are in milliseconds; their defaults are those of Kubernetes itself. */
export interface LeaderElectorOptions {
  /** The lease that all candidates stand for. It is made when it does not exist. */
  readonly lease: LeaseName;
  /**
   * Who this candidate is. No two candidates may have the same, not even one after another: whoever finds its own
   * name in a lease takes it to be its own. @default the host's name and a random UUID
   */
  readonly identity?: string;
  /**
   * How long others wait after the last renewal that they saw before they take over. Written to the lease in whole
   * seconds, rounded up. @default 15 s
   */
  readonly leaseDurationMs?: number;
  /**
   * How long after its last successful renewal a leader goes on. The rest of the lease's duration is what its work
   * has to end in. @default 10 s
   */
  readonly renewDeadlineMs?: number;
  /** Time between tries to get or to renew the lease. @default 2 s */
  readonly retryPeriodMs?: number;
  /**
   * Give the lease up when `run` is stopped, so that somebody else leads at once. That happens when the promise of
   * `onStartedLeading` has settled: it must not do so before all work has ended. @default false
   */
  readonly releaseOnCancel?: boolean;
  /**
   * Called when this candidate begins to lead. Do the leader's work here.
   *
   * @param signal - aborts when `run` is stopped or leadership is lost: then end all work at once
   * @returns nothing, or a promise that settles when all work has ended. While a stopped elector waits for it, it goes
   *   on renewing the lease. When it rejects, or the function throws, leading ends and `run` rejects with the error.
   */
  readonly onStartedLeading: (signal: AbortSignal) => void | Promise<void>;
  /** Called at the end of each `run`, also when it never led. `run` waits for a promise that it returns. */
  readonly onStoppedLeading?: () => void | Promise<void>;
  /** Called when another leader is seen than before, oneself included; '' when the last one gave the lease up. */
  readonly onNewLeader?: (identity: string) => void;
  /** Called with what went wrong. For information: it is tried again. */
  readonly onError?: (error: unknown) => void;
  /** @internal For tests. */
  readonly clock?: DatedClock;
  /** @internal Uniform in [0, 1), as Math.random. For tests. */
  readonly random?: () => number;
}

const DEFAULT_LEASE_DURATION_MS = 15_000;
const DEFAULT_RENEW_DEADLINE_MS = 10_000;
const DEFAULT_RETRY_PERIOD_MS = 2_000;

/** Options with their defaults. */
export type ElectionPlan = Required<Omit<LeaderElectorOptions, 'onNewLeader' | 'onStoppedLeading'>> &
  Pick<LeaderElectorOptions, 'onNewLeader' | 'onStoppedLeading'>;

/** @throws UsageError for durations that contradict each other, and for an empty identity or name */
export function planElection(options: LeaderElectorOptions): ElectionPlan {
  const {
    lease,
    onStartedLeading,
    identity = `${hostname()}_${randomUUID()}`,
    leaseDurationMs = DEFAULT_LEASE_DURATION_MS,
    renewDeadlineMs = DEFAULT_RENEW_DEADLINE_MS,
    retryPeriodMs = DEFAULT_RETRY_PERIOD_MS,
    releaseOnCancel = false,
    onError = () => {},
    clock = systemClock(true),
    random = Math.random,
  } = options;
  checkDurations({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
  if (identity === '') throw new UsageError('identity is empty: give each candidate a name of its own');
  if (!lease?.namespace || !lease.name) {
    throw new UsageError('lease needs a namespace and a name: all candidates of one election have the same');
  }
  if (typeof onStartedLeading !== 'function') {
    throw new UsageError('onStartedLeading is the function that does what only the leader may do');
  }
  return {
    ...options,
    identity,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    releaseOnCancel,
    onError,
    clock,
    random,
  };
}

type Durations = Pick<ElectionPlan, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;

function checkDurations(durations: Durations): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = durations;
  for (const [name, value] of Object.entries(durations)) {
    if (!Number.isFinite(value) || value <= 0) {
      throw new UsageError(`${name} is a number of milliseconds above 0, not ${value}`);
    }
  }
  if (leaseDurationMs <= renewDeadlineMs) {
    const message = `leaseDurationMs (${leaseDurationMs}) must be above renewDeadlineMs (${renewDeadlineMs}), so that a leader has stopped before another begins`;
    throw new UsageError(message);
  }
  if (renewDeadlineMs <= retryPeriodMs * JITTER_FACTOR) {
    const message = `renewDeadlineMs (${renewDeadlineMs}) must be above ${JITTER_FACTOR} times retryPeriodMs (${retryPeriodMs}), so that a renewal can be tried again`;
    throw new UsageError(message);
  }
}
