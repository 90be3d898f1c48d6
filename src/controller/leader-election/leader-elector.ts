import { UsageError } from '../../informer/index.ts';
import { sleep, withLimit } from '../timing.ts';
import { LeadershipError } from './errors.ts';
import type { LeaseClient } from './lease-client.ts';
import { LeaseLock, type RequestRunner } from './lease-lock.ts';
import { type ElectionPlan, JITTER_FACTOR, type LeaderElectorOptions, planElection } from './options.ts';
import { Term } from './term.ts';

/**
 * Sees to it that of many candidates one leads, by the rules of client-go's `tools/leaderelection`: the holder of a
 * lease renews it, and who sees it unchanged for its duration takes over.
 *
 * What a lease can and can't do: a leader stops `renewDeadlineMs` after its last renewal was begun, others start
 * `leaseDurationMs` after they saw it, so no two lead at once as long as nobody's clock runs faster than another's by
 * that ratio, and work ends when its signal says so. A process that was paused learns too late; `isLeader()` answers by
 * the clock even then. Writes that must never come from two leaders need resourceVersions besides.
 *
 * ```ts
 * const elector = new LeaderElector(leaseClient(new ApiClient(kubeConfig)), {
 *   lease: { namespace: 'shop', name: 'web-operator' },
 *   releaseOnCancel: true,
 *   onStartedLeading: (signal) => controller.run({ signal }),
 * });
 * await elector.run({ signal });
 * ```
 */
export class LeaderElector {
  readonly #plan: ElectionPlan;
  readonly #lock: LeaseLock;
  #term: Term | undefined;
  #reportedLeader = '';
  #isRunning = false;

  /** @throws UsageError for durations that contradict each other, and for an empty identity or name */
  constructor(client: LeaseClient, options: LeaderElectorOptions) {
    this.#plan = planElection(options);
    const { lease, identity, leaseDurationMs, clock } = this.#plan;
    this.#lock = new LeaseLock({ client, name: lease, identity, leaseDurationMs, clock });
  }

  /** The name of this candidate. */
  get identity(): string {
    return this.#plan.identity;
  }

  /** Whom the lease named when it was last seen; '' for nobody. For information. */
  get leader(): string {
    return this.#lock.holder;
  }

  /**
   * The signal of the latest term: aborted unless this candidate leads. Each term has a new one, so ask for it each
   * time.
   */
  get signal(): AbortSignal {
    return this.#term?.signal ?? NOT_LEADING;
  }

  /** How often a renewal had to read the lease first, as client-go's `leader_election_slowpath_total`. */
  get slowPaths(): number {
    return this.#lock.slowPaths;
  }

  /**
   * True while the lease protects what this candidate does: from its start until `renewDeadlineMs` after the last
   * renewal, also while work ends after a stop. Right even when timers are late.
   */
  isLeader(): boolean {
    return this.#term?.isProtected ?? false;
  }

  /**
   * For a health check that has the process restarted: a leader that could not renew its lease should have stopped.
   *
   * @param toleranceMs - how long after the end of the lease that is still well
   * @returns what is wrong; undefined for who leads, stands by, or was stopped
   */
  check(toleranceMs = 0): LeadershipError | undefined {
    const term = this.#term;
    const isAccountable = term !== undefined && (!term.over.aborted || term.isWorking || term.isLost);
    if (!isAccountable) return undefined;
    const { clock, leaseDurationMs, lease } = this.#plan;
    const lateMs = clock.now() - this.#lock.heldFromMs - leaseDurationMs - toleranceMs;
    if (lateMs <= 0) return undefined;
    const message = `the lease ${lease.namespace}/${lease.name} was not renewed in time, and its leader has not stopped`;
    return new LeadershipError(message, { code: 'overdue' });
  }

  /**
   * Stands for election, and leads once elected. Ends when it is stopped or leadership is lost; then it can be called
   * again. Whoever lost leadership had better end the process: work that does not listen to its signal may go on.
   *
   * @param options.signal - ends it: no more tries; a leader's work is told to end, then the lease is released if
   *   `releaseOnCancel` says so. It waits for a promise of `onStartedLeading` after a stop, but not after a loss.
   * @throws UsageError while it runs; what `onStartedLeading` or `onStoppedLeading` throws
   */
  async run({ signal = NEVER }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#isRunning) throw new UsageError('this elector runs: wait for its end, or make another one');
    this.#isRunning = true;
    try {
      const term = await this.#acquire(signal);
      if (term !== undefined) await this.#lead(term);
      const mayRelease = term === undefined || !term.isLost;
      if (this.#plan.releaseOnCancel && mayRelease && this.#lock.mayBeOurs) await this.#release();
      if (term?.failure !== undefined) throw term.failure.error;
    } finally {
      await this.#stopped();
    }
  }

  async #stopped(): Promise<void> {
    try {
      await this.#plan.onStoppedLeading?.();
    } finally {
      this.#isRunning = false;
    }
  }

  /** @returns undefined when it was stopped before it was elected */
  async #acquire(stop: AbortSignal): Promise<Term | undefined> {
    const { clock, random, retryPeriodMs, renewDeadlineMs, onStartedLeading: work } = this.#plan;
    this.#term = undefined;
    while (!stop.aborted) {
      const isOurs = await this.#try(false, stop);
      if (stop.aborted) break;
      // Whoever was paused meanwhile has a lease that is as good as over.
      if (isOurs && clock.now() < this.#lock.heldFromMs + renewDeadlineMs) {
        const onLateFailure = (error: unknown) => this.#report(error);
        this.#term = new Term({ clock, renewDeadlineMs, stop, work, onLateFailure }, this.#lock.heldFromMs);
        return this.#term;
      }
      await sleep(clock, retryPeriodMs * (1 + random() * JITTER_FACTOR), stop);
    }
    return undefined;
  }

  async #lead(term: Term): Promise<void> {
    const { clock, retryPeriodMs } = this.#plan;
    for (;;) {
      await sleep(clock, retryPeriodMs, term.over);
      term.checkDeadline();
      if (term.over.aborted) return;
      const isOurs = await this.#try(true, term.over);
      if (isOurs === true) term.renewed(this.#lock.heldFromMs);
      else if (isOurs === false) term.lose(takenBy(this.#lock.holder));
    }
  }

  /** @returns undefined when nobody knows */
  async #try(isLeading: boolean, signal: AbortSignal): Promise<boolean | undefined> {
    try {
      return await this.#lock.tryAcquireOrRenew(isLeading, this.#runner(signal));
    } catch (error) {
      if (!signal.aborted) this.#report(error);
      return undefined;
    } finally {
      this.#reportLeader();
    }
  }

  async #release(): Promise<void> {
    const { clock, renewDeadlineMs } = this.#plan;
    const run = this.#runner(NEVER);
    try {
      await withLimit(clock, renewDeadlineMs, NEVER, (limit) =>
        this.#lock.release((request) => (limit.aborted ? Promise.reject(limit.reason) : run(request))),
      );
    } catch (error) {
      // It expires by itself.
      this.#report(error);
    }
  }

  /** Half of the deadline each, as client-go's callers set it: one request that hangs must not be the only try. */
  #runner(signal: AbortSignal): RequestRunner {
    const { clock, renewDeadlineMs } = this.#plan;
    return (request) => withLimit(clock, renewDeadlineMs / 2, signal, request);
  }

  #reportLeader(): void {
    const { holder } = this.#lock;
    if (holder === this.#reportedLeader) return;
    this.#reportedLeader = holder;
    try {
      this.#plan.onNewLeader?.(holder);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    try {
      this.#plan.onError(error);
    } catch {
      // Whoever is told of errors can't stop an election by making another one.
    }
  }
}

const NEVER = new AbortController().signal;

const NOT_LEADING = AbortSignal.abort(
  new LeadershipError('this candidate has not led yet', { code: 'not-leading' }),
);

function takenBy(holder: string): LeadershipError {
  const message =
    holder === '' ? 'somebody gave the lease up in our name' : `the lease is held by ${holder} now`;
  return new LeadershipError(message, { code: 'taken' });
}
