/** Reconciles one key and says what becomes of it. The rules are those of controller-runtime's `reconcileHandler`. */
import type { WorkItem } from '../../workqueue/index.ts';
import { ControllerError, isTerminal, ReconcileTimeoutError, reasonOf } from './errors.ts';
import type { KeyQueue } from './key-queue.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { ControllerPlan } from './options.ts';
import type { OwnWrites } from './own-writes.ts';
import type { Reconciler } from './reconciler.ts';
import { requestOf } from './request.ts';
import type { Verdict } from './result.ts';

/** Seldom enough to be no storm. */
const LIMITER_FAILED_MS = 10_000;

export interface TurnRunnerOptions {
  readonly plan: ControllerPlan;
  readonly queue: KeyQueue;
  readonly reconciler: Reconciler;
  readonly ownWrites: OwnWrites;
  readonly metrics: ControllerMetrics;
  readonly onError: (error: ControllerError) => void;
}

export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #running = new Set<AbortController>();
  #isStopping = false;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
  }

  /** Tells all reconciles that run to end. */
  abort(reason: unknown): void {
    this.#isStopping = true;
    for (const controller of this.#running) controller.abort(reason);
  }

  /** Never rejects. Afterwards the queue has the key again, if it is to be tried again. */
  async run(lane: number, work: WorkItem<string>): Promise<void> {
    const { clock } = this.#options.plan;
    const { metrics } = this.#options;
    const controller = new AbortController();
    this.#running.add(controller);
    metrics.begin();
    const startMs = clock.now();
    try {
      const verdict = await this.#reconcile(lane, work.item, controller);
      this.#succeeded(work, verdict);
    } catch (error) {
      // What a reconcile that was told to end fails with is no failure of it.
      if (!this.#isStopping || isTimeout(controller)) this.#failed(work, error, isTimeout(controller));
    } finally {
      metrics.end(clock.now() - startMs);
      this.#running.delete(controller);
      work.done();
    }
  }

  async #reconcile(lane: number, key: string, controller: AbortController): Promise<Verdict> {
    const { queue, reconciler, ownWrites } = this.#options;
    const cancelTimeout = this.#limit(key, controller);
    try {
      const verdict = await reconciler.reconcile(lane, {
        request: requestOf(key),
        attempt: queue.numRequeues(key) + 1,
        signal: controller.signal,
        record: (write) => ownWrites.record(key, write),
      });
      if (isTimeout(controller)) throw controller.signal.reason;
      return verdict;
    } finally {
      cancelTimeout?.();
    }
  }

  /** A reconcile that never ends would be seen by nobody, so it is reported before. */
  #limit(key: string, controller: AbortController): (() => void) | undefined {
    const { plan, metrics } = this.#options;
    const { reconcileTimeoutMs: limitMs, clock } = plan;
    if (limitMs === undefined) return undefined;
    return clock.setTimer(limitMs, () => {
      const message = `took longer than ${limitMs / 1000} s and was told to end`;
      const error = new ReconcileTimeoutError(`the reconcile of ${key} ${message}`);
      metrics.count('timeouts');
      controller.abort(error);
      this.#report('timed-out', key, message, error);
    });
  }

  #succeeded({ item: key, priority }: WorkItem<string>, verdict: Verdict): void {
    const { queue, metrics } = this.#options;
    metrics.count(verdict.result);
    if (verdict.result === 'requeue') {
      this.#retry(key, priority);
      return;
    }
    queue.forget(key);
    if (verdict.result === 'requeue_after') queue.addAfter(key, verdict.delayMs, priority);
  }

  #failed({ item: key, priority }: WorkItem<string>, error: unknown, isReported: boolean): void {
    const { plan, queue, metrics } = this.#options;
    metrics.count('error');
    if (isTerminal(error)) {
      metrics.count('terminalErrors');
      queue.forget(key);
      this.#report('terminal', key, `failed for good: ${reasonOf(error)}`, error);
      return;
    }
    const retries = queue.numRequeues(key);
    if (retries >= plan.maxRetries) {
      metrics.count('gaveUp');
      queue.forget(key);
      this.#report('gave-up', key, `failed ${retries + 1} times and is given up: ${reasonOf(error)}`, error);
      return;
    }
    this.#retry(key, priority);
    if (!isReported) this.#report('reconcile-failed', key, `failed: ${reasonOf(error)}`, error);
  }

  /** A limiter of the user's that fails must end neither this lane nor the tries. */
  #retry(key: string, priority: number): void {
    const { queue } = this.#options;
    try {
      queue.addRateLimited(key, priority);
    } catch (cause) {
      queue.addAfter(key, LIMITER_FAILED_MS, priority);
      const message = `is tried again in ${LIMITER_FAILED_MS / 1000} s, because the rate limiter failed: ${reasonOf(cause)}`;
      this.#report('rate-limiter-failed', key, message, cause);
    }
  }

  #report(code: ControllerError['code'], key: string, message: string, cause: unknown): void {
    const { plan, onError } = this.#options;
    onError(
      new ControllerError(`${plan.name}: the reconcile of ${key} ${message}`, {
        code,
        controller: plan.name,
        key,
        cause,
      }),
    );
  }
}

function isTimeout({ signal }: AbortController): boolean {
  return signal.aborted && signal.reason instanceof ReconcileTimeoutError;
}
