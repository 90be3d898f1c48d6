/** Reconciles in worker threads, on the caches of the home thread. */
import { THREAD_ENTRY_URL } from '../thread-entry-url.ts';
import type { ControllerPlan } from './options.ts';
import type { Attempt, Reconciler } from './reconciler.ts';
import type { Verdict } from './result.ts';
import { ReconcileThread } from './thread.ts';
import type { LoadTask } from './thread-messages.ts';

export class ThreadReconciler implements Reconciler {
  readonly #threads: readonly ReconcileThread[];

  constructor(module: URL, { primary, listers, concurrency, threadEntry, clock }: ControllerPlan) {
    const handles = (): Pick<LoadTask, 'handle' | 'handles'> => ({
      handle: primary.handle(),
      handles: Object.fromEntries(Object.entries(listers).map(([name, one]) => [name, one.handle()])),
    });
    const entry = threadEntry ?? THREAD_ENTRY_URL;
    const make = () => new ReconcileThread({ module, entry, handles, clock });
    this.#threads = Array.from({ length: concurrency }, make);
  }

  async prepare(): Promise<void> {
    const started = await Promise.allSettled(this.#threads.map((thread) => thread.start()));
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  reconcile(lane: number, attempt: Attempt): Promise<Verdict> {
    return this.#threads[lane]!.reconcile(attempt);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
