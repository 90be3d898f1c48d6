/** Work that is done only while leading. */
import { LeaderElector } from '../leader-election/index.ts';
import { DrainTimeoutError } from './errors.ts';
import type { ControllerElection } from './options.ts';

/** What is done while leading, in a form that tells the end of the waiting from the end of the work. */
export interface LeaderWork {
  /** Resolves when all has ended after the signal; rejects with a DrainTimeoutError when that takes too long. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when all has ended, however long that takes. */
  readonly ended: Promise<void>;
}

const NO_WORK: LeaderWork = { run: async () => {}, ended: Promise.resolve() };

export class Leadership {
  readonly elector: LeaderElector;
  #work: LeaderWork = NO_WORK;
  /** Of the latest term. */
  #leading: { readonly signal: AbortSignal; readonly working: Promise<void> } | undefined;
  #giveUp: (error: DrainTimeoutError) => void = () => {};

  /** @throws UsageError for durations that contradict each other, and for an empty identity or name */
  constructor({ client, ...options }: ControllerElection, onError: (error: unknown) => void) {
    this.elector = new LeaderElector(client, {
      onError,
      ...options,
      onStartedLeading: (signal) => this.#lead(signal),
    });
  }

  /**
   * Stands for election, and does the work once elected.
   *
   * @returns a promise that resolves when it was stopped and the work has ended
   * @throws LeadershipError when leadership was lost, after the work has ended or its time for that is up
   * @throws DrainTimeoutError when the work does not end after a stop: then the lease is kept, because it may go on
   */
  async run(work: LeaderWork, signal: AbortSignal): Promise<void> {
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    this.#giveUp = late.reject;
    this.#work = work;
    this.#leading = undefined;
    const elected = this.elector.run({ signal });
    elected.catch(() => {});
    await Promise.race([elected, late.promise]);
    if (!signal.aborted) await this.#lost(late.promise);
  }

  /** @throws why leadership was lost, if there was any */
  async #lost(late: Promise<never>): Promise<void> {
    if (this.#leading === undefined) return;
    const { working, signal } = this.#leading;
    await Promise.race([working, late]).catch(() => {});
    throw signal.reason;
  }

  #lead(signal: AbortSignal): Promise<void> {
    const working = this.#runWork(signal);
    working.catch(() => {});
    this.#leading = { signal, working };
    return working;
  }

  async #runWork(signal: AbortSignal): Promise<void> {
    try {
      await this.#work.run(signal);
    } catch (error) {
      if (!(error instanceof DrainTimeoutError)) throw error;
      this.#giveUp(error);
      await this.#work.ended;
    }
  }
}
