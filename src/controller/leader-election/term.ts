import type { DatedClock } from '../timing.ts';
import { LeadershipError } from './errors.ts';

/** What a term needs. */
export interface TermOptions {
  readonly clock: DatedClock;
  readonly renewDeadlineMs: number;
  /** Aborts when `run` is to end. */
  readonly stop: AbortSignal;
  readonly work: (signal: AbortSignal) => void | Promise<void>;
  /** Told of a failure of the work that came after the term, when `run` could not wait for it. */
  readonly onLateFailure: (error: unknown) => void;
}

/**
 * One term of a leader. `leading` → `over`, for one of three reasons:
 *
 * - it was stopped, and its work has ended: the lease can be released;
 * - its work has failed: the same;
 * - it lost the lease, or time ran out: its work has been told to end, and may still be at it.
 */
export class Term {
  readonly #clock: DatedClock;
  readonly #renewDeadlineMs: number;
  readonly #stop: AbortSignal;
  readonly #onLateFailure: (error: unknown) => void;
  readonly #controller = new AbortController();
  readonly #over = new AbortController();
  #deadlineMs: number;
  #cancelDeadline: () => void;
  #isWorking = true;
  #isLost = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param heldFromMs - when the write was begun that got the lease */
  constructor({ clock, renewDeadlineMs, stop, work, onLateFailure }: TermOptions, heldFromMs: number) {
    this.#clock = clock;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#stop = stop;
    this.#onLateFailure = onLateFailure;
    this.#deadlineMs = heldFromMs + renewDeadlineMs;
    this.#cancelDeadline = this.#setDeadline();
    stop.addEventListener('abort', this.#onStop);
    void this.#work(work);
  }

  /** What the work gets. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts when there is nothing left to renew the lease for. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** True while the lease protects the work, also that which ends after a stop. Goes by the clock, not by timers. */
  get isProtected(): boolean {
    return !this.over.aborted && this.#clock.now() < this.#deadlineMs;
  }

  /** True until the work has ended, also after the term. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** What the work failed with. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** @param heldFromMs - when the write was begun that renewed the lease */
  renewed(heldFromMs: number): void {
    if (this.over.aborted) return;
    this.#deadlineMs = heldFromMs + this.#renewDeadlineMs;
    this.#cancelDeadline();
    this.#cancelDeadline = this.#setDeadline();
  }

  /** Ends the term: the lease does not protect the work any more. */
  lose(why: LeadershipError): void {
    if (this.over.aborted) return;
    this.#isLost = true;
    this.#end(why);
  }

  /** Ends the term when its time is up. Timers may be late, when the process was paused. */
  checkDeadline(): void {
    if (this.#clock.now() < this.#deadlineMs) return;
    const message = `the lease could not be renewed for ${this.#renewDeadlineMs / 1000} s; somebody else may lead soon`;
    this.lose(new LeadershipError(message, { code: 'overdue' }));
  }

  #setDeadline(): () => void {
    return this.#clock.setTimer(Math.max(0, this.#deadlineMs - this.#clock.now()), () =>
      this.checkDeadline(),
    );
  }

  /** Renewals go on until the work has ended, so that nobody else begins before. */
  readonly #onStop = () => {
    this.#controller.abort(this.#stop.reason);
    if (!this.#isWorking) this.#end(this.#stop.reason);
  };

  async #work(work: (signal: AbortSignal) => void | Promise<void>): Promise<void> {
    try {
      const working = work(this.signal);
      // Without a promise nobody knows when the work ends: it is for the user to have it ended by then.
      if (working !== undefined) await working;
      this.#isWorking = false;
    } catch (error) {
      this.#isWorking = false;
      this.#onFailure(error);
    }
    if (this.#stop.aborted) this.#end(this.#stop.reason);
  }

  #onFailure(error: unknown): void {
    if (this.signal.aborted && isAbort(error, this.signal)) return;
    if (this.#isLost) {
      this.#onLateFailure(error);
      return;
    }
    this.#failure = { error };
    this.#end(
      new LeadershipError('the work of the leader has failed', { code: 'work-failed', cause: error }),
    );
  }

  #end(reason: unknown): void {
    if (this.over.aborted) return;
    this.#cancelDeadline();
    this.#stop.removeEventListener('abort', this.#onStop);
    this.#controller.abort(reason);
    this.#over.abort(reason);
  }
}

/** Work that is told to end commonly rejects with the reason, or with an AbortError of whatever it waited for. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
