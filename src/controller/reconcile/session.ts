/**
 * One run of a controller: sources put keys into the queue, lanes take them out and reconcile them.
 *
 * `running` → `stopping` → `ended`. While it stops, no key is taken any more, and reconciles that run are told to end;
 * what is queued is dropped, because the next run lists everything again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoppedError } from '../../informer/index.ts';
import { describeResource } from '../../reflector/index.ts';
import type { WorkItem } from '../../workqueue/index.ts';
import { type ControllerError, DrainTimeoutError } from './errors.ts';
import { type KeyQueue, makeKeyQueue } from './key-queue.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { ControllerPlan } from './options.ts';
import { OwnWrites } from './own-writes.ts';
import { Parking } from './parking.ts';
import type { Reconciler } from './reconciler.ts';
import { Sources } from './sources.ts';
import { TurnRunner } from './turn-runner.ts';

export interface SessionOptions {
  readonly plan: ControllerPlan;
  readonly reconciler: Reconciler;
  readonly metrics: ControllerMetrics;
  readonly onError: (error: ControllerError) => void;
}

export class Session {
  readonly queue: KeyQueue;
  readonly #plan: ControllerPlan;
  readonly #metrics: ControllerMetrics;
  readonly #sources: Sources;
  readonly #parking: Parking;
  readonly #turns: TurnRunner;
  /** Aborts when no key is to be taken any more. */
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<void>();

  constructor({ plan, reconciler, metrics, onError }: SessionOptions) {
    const { name, informers, clock } = plan;
    this.#plan = plan;
    this.#metrics = metrics;
    this.queue = makeKeyQueue({
      kind: plan.queue,
      name,
      rateLimiter: plan.rateLimiter,
      metrics: plan.metrics,
      clock: plan.queueClock,
    });
    const ownWrites = new OwnWrites({ informers, limitMs: plan.cacheWaitMs, clock });
    this.#parking = new Parking({ queue: this.queue, ownWrites, metrics, clock });
    this.#turns = new TurnRunner({ plan, queue: this.queue, reconciler, ownWrites, metrics, onError });
    this.#sources = new Sources({
      sources: plan.sources,
      controller: name,
      add: (key, priority) => this.queue.add(key, priority),
      onError,
    });
  }

  /** Keys that wait for the cache. */
  get parked(): number {
    return this.#parking.size;
  }

  /** Resolves when no reconcile runs any more, also after `run` has given up on them. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Works until the signal aborts.
   *
   * @throws StoppedError when an informer was stopped before
   * @throws DrainTimeoutError when reconciles did not end in time after the stop
   */
  async run(signal: AbortSignal): Promise<void> {
    const { concurrency, clock, drainTimeoutMs } = this.#plan;
    const over = Promise.withResolvers<StoppedError | undefined>();
    const onAbort = () => over.resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.#watchInformers((error) => over.resolve(error));
    const lanes = Array.from({ length: concurrency }, (_, lane) => this.#work(lane));
    void Promise.all(lanes).then(() => this.#ended.resolve());
    try {
      this.#sources.start();
    } catch (cause) {
      over.resolve(cause as StoppedError);
    }

    const error = await over.promise;
    signal.removeEventListener('abort', onAbort);
    this.#end(error ?? signal.reason);
    const late = Promise.withResolvers<'late'>();
    const cancel = clock.setTimer(drainTimeoutMs, () => late.resolve('late'));
    const outcome = await Promise.race([this.ended, late.promise]);
    cancel();
    if (outcome === 'late') throw this.#tooLate();
    if (error !== undefined && !signal.aborted) throw error;
  }

  #watchInformers(onStopped: (error: StoppedError) => void): void {
    for (const { closed, resource } of this.#plan.informers) {
      void closed.then(() => {
        const what = `the informer of ${describeResource(resource)} was stopped`;
        onStopped(new StoppedError(`${what} while the controller ${this.#plan.name} runs: stop that first`));
      });
    }
  }

  /** Takes keys, one at a time. Never rejects. */
  async #work(lane: number): Promise<void> {
    for (;;) {
      const work = await this.#take();
      if (work === undefined) return;
      if (this.#parking.holds(work)) continue;
      await this.#turns.run(lane, work);
      // A reconcile that waits for nothing must not hold up the event loop until the queue is empty.
      await nextTurn();
    }
  }

  async #take(): Promise<WorkItem<string> | undefined> {
    try {
      return await this.queue.take(this.#stop.signal);
    } catch {
      // The signal has aborted: nothing else makes it reject.
      return undefined;
    }
  }

  #end(reason: unknown): void {
    this.#stop.abort(reason);
    this.#sources.stop();
    this.#turns.abort(reason);
    this.#parking.clear();
    this.queue.shutDown();
  }

  #tooLate(): DrainTimeoutError {
    const { name, drainTimeoutMs } = this.#plan;
    return new DrainTimeoutError(
      `${name}: reconciles that still run ${drainTimeoutMs / 1000} s after the stop: ${this.#metrics.active}; ` +
        'make them end when their signal aborts, or end the process',
    );
  }
}
