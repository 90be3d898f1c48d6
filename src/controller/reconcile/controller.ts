import { EventEmitter } from 'node:events';
import { UsageError } from '../../informer/index.ts';
import type { LeaderElector } from '../leader-election/index.ts';
import { requireStarted, syncCaches } from './cache-sync.ts';
import type { NamedInformers } from './context.ts';
import { ControllerError, reasonOf } from './errors.ts';
import { Leadership } from './leadership.ts';
import { ControllerMetrics } from './metrics.ts';
import { type ControllerOptions, type ControllerPlan, planController } from './options.ts';
import { LocalReconciler, type Reconciler } from './reconciler.ts';
import { Session } from './session.ts';
import { checkKey } from './sources.ts';
import { ThreadReconciler } from './thread-reconciler.ts';

/** What a controller emits. All of it is for information. */
export interface ControllerEvents {
  /**
   * Something went wrong with a key, see {@link ControllerError}; the controller goes on. Without a listener the first
   * one is a warning of the process, so that a controller that fails is not silent.
   */
  error: [ControllerError];
}

/** Figures of a controller: those of reconciles since it was made, the others of now. */
export interface ControllerStats {
  /** Reconciles that have ended, by how. */
  readonly succeeded: number;
  /** Those that asked to be called again are counted here only. */
  readonly requeued: number;
  readonly failed: number;
  /** Of those that failed: with a TerminalError, and because they took too long. */
  readonly terminal: number;
  readonly timedOut: number;
  /** Keys that were given up after `maxRetries`. */
  readonly gaveUp: number;
  /** Keys that waited for the cache to have their own writes, and those for which it had not in time. */
  readonly cacheWaits: number;
  readonly cacheTimeouts: number;
  /** Reconciles that run, keys that could, and keys that wait for the cache. */
  readonly active: number;
  readonly queued: number;
  readonly waitingForCache: number;
}

/** How a key is queued by hand. All fields are optional. */
export interface EnqueueOptions {
  /** Milliseconds to wait before. @default 0 */
  readonly afterMs?: number;
  /** Whole; more is earlier. Without effect in a `fifo` queue. @default 0 */
  readonly priority?: number;
}

/**
 * Keeps the world as objects say it should be: events queue keys, and reconcile is called with each key until it
 * succeeds. What is known of controller-runtime's controllers holds here: a key is never reconciled twice at a time,
 * events of a key that waits are merged, failed keys are tried again after delays that grow, and reconcile has to look
 * at the state of things and not at what has happened.
 *
 * ```ts
 * const controller = new Controller({
 *   for: widgets,
 *   owns: [deployments],
 *   predicates: [generationChanged],
 *   reconcile: async ({ key }, { lister, requeueAfter }) => { … },
 * });
 * await factory.start();
 * await controller.run({ signal });
 * ```
 */
export class Controller<
  T = object,
  const I extends NamedInformers = NamedInformers,
> extends EventEmitter<ControllerEvents> {
  readonly #plan: ControllerPlan;
  readonly #metrics: ControllerMetrics;
  readonly #leadership: Leadership | undefined;
  #session: Session | undefined;
  #isRunning = false;
  #hasWarned = false;

  /** @throws UsageError when an option is missing, out of range, or contradicts another one */
  constructor(options: ControllerOptions<T, I>) {
    super({ captureRejections: true });
    if (typeof options !== 'object' || options === null) {
      throw new UsageError('a controller needs options: { for: informer, reconcile }');
    }
    this.#plan = planController(options);
    const { name, metrics, concurrency } = this.#plan;
    this.#metrics = new ControllerMetrics(metrics, name, concurrency);
    const { leaderElection } = options;
    if (leaderElection !== undefined) {
      this.#leadership = new Leadership(leaderElection, (error) => this.#electionFailed(error));
    }
  }

  get name(): string {
    return this.#plan.name;
  }

  /** It runs, or stands for election. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** For health checks and to see who leads; undefined without `leaderElection`. */
  get elector(): LeaderElector | undefined {
    return this.#leadership?.elector;
  }

  get stats(): ControllerStats {
    const { counts, active } = this.#metrics;
    return {
      succeeded: counts.success,
      requeued: counts.requeue + counts.requeue_after,
      failed: counts.error,
      terminal: counts.terminalErrors,
      timedOut: counts.timeouts,
      gaveUp: counts.gaveUp,
      cacheWaits: counts.cacheWaits,
      cacheTimeouts: counts.cacheTimeouts,
      active,
      queued: this.#session?.queue.len ?? 0,
      waitingForCache: this.#session?.parked ?? 0,
    };
  }

  /**
   * Waits for the caches, for leadership if that is asked for, and then reconciles until the signal aborts. Then no key
   * is taken any more, and reconciles that run are told to end by their signal and waited for. Afterwards it can be
   * called again.
   *
   * @returns a promise that resolves when all of that has ended
   * @throws UsageError when it runs already, or an informer was not started
   * @throws CacheSyncError when a cache has not synced in `syncTimeoutMs`
   * @throws ReconcileModuleError when the module of `reconcile` can't be used
   * @throws LeadershipError when leadership was lost: reconciles were told to end, and `drainTimeoutMs` were waited for
   *   them. Ending the process is the safest answer, because what does not listen to its signal goes on.
   * @throws DrainTimeoutError when reconciles go on after a stop. The lease is not released then.
   * @throws StoppedError when an informer is stopped before the controller is
   */
  async run({ signal = NEVER }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#isRunning)
      throw new UsageError(`the controller ${this.name} runs: wait for its end, or make another one`);
    const { informers, syncTimeoutMs, clock } = this.#plan;
    requireStarted(informers);
    this.#isRunning = true;
    const reconciler = this.#makeReconciler();
    try {
      await syncCaches(informers, syncTimeoutMs, clock, signal);
      if (signal.aborted) return;
      await reconciler.prepare();
      await this.#work(reconciler, signal);
    } finally {
      await reconciler.close();
      this.#session = undefined;
      this.#isRunning = false;
    }
  }

  /**
   * Queues a key by hand, for what no informer tells of: a webhook, a timer, another system.
   *
   * @returns false when it was not queued, because the controller does not work now; it will get all objects when it
   *   does
   * @throws UsageError when no object can have this key
   * @throws QueueArgumentError when an option is out of range
   */
  enqueue(key: string, { afterMs = 0, priority = 0 }: EnqueueOptions = {}): boolean {
    checkKey(key);
    if (this.#session === undefined) return false;
    this.#session.queue.addAfter(key, afterMs, priority);
    return true;
  }

  /** An async listener rejected. Called by the emitter. @internal */
  [Symbol.for('nodejs.rejection')](error: unknown): void {
    this.#warnOnce(error);
  }

  async #work(reconciler: Reconciler, signal: AbortSignal): Promise<void> {
    const onError = (error: ControllerError) => this.#report(error);
    const session = new Session({ plan: this.#plan, reconciler, metrics: this.#metrics, onError });
    const run = (working: AbortSignal) => {
      this.#session = session;
      return session.run(working);
    };
    if (this.#leadership === undefined) await run(signal);
    else await this.#leadership.run({ run, ended: session.ended }, signal);
  }

  #makeReconciler(): Reconciler {
    const { reconcile, primary, listers } = this.#plan;
    if (reconcile instanceof URL) return new ThreadReconciler(reconcile, this.#plan);
    const others = Object.entries(listers).map(([name, { lister }]) => [name, lister] as const);
    return new LocalReconciler(reconcile, primary.lister, Object.fromEntries(others));
  }

  #electionFailed(cause: unknown): void {
    const message = `${this.name}: a request of the leader election failed: ${reasonOf(cause)}`;
    this.#report(new ControllerError(message, { code: 'election-failed', controller: this.name, cause }));
  }

  /** Whoever is told of an error can't stop the controller by making another one. */
  #report(error: ControllerError): void {
    if (this.listenerCount('error') === 0) {
      this.#warnOnce(error);
      return;
    }
    try {
      this.emit('error', error);
    } catch (cause) {
      this.#warnOnce(cause);
    }
  }

  #warnOnce(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const hint = "listen to the controller's 'error' to be told of all of them";
    process.emitWarning(`${reasonOf(error)} (${hint})`, {
      type: 'ControllerWarning',
      code: 'KUBERING_CONTROLLER',
    });
  }
}

const NEVER = new AbortController().signal;
