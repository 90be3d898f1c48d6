/** Who reconciles: a function on this thread, or a module in others. */
import type { Lister } from '../../informer/index.ts';
import { type ReconcileFunction, type RecordedWrite, Turn } from './context.ts';
import type { ReconcileRequest } from './request.ts';
import { type Verdict, verdictOf } from './result.ts';

/** One try to reconcile a key. */
export interface Attempt {
  readonly request: ReconcileRequest;
  /** 1 for the first one. */
  readonly attempt: number;
  /** Aborts when it should end. */
  readonly signal: AbortSignal;
  readonly record: (write: RecordedWrite) => void;
}

export interface Reconciler {
  /**
   * Rejects with a ReconcileModuleError when nothing can be reconciled, and a StoppedError when it was closed.
   */
  prepare(): Promise<void>;
  /**
   * @param lane - which of the concurrent ones this is, from 0; each has one attempt at a time
   * @returns what is to be done next; rejects with what reconcile failed with
   */
  reconcile(lane: number, attempt: Attempt): Promise<Verdict>;
  /** Ends all threads, whatever they do. */
  close(): Promise<void>;
}

/** Calls a function on this thread. */
export class LocalReconciler implements Reconciler {
  readonly #reconcile: ReconcileFunction;
  readonly #lister: Lister<object>;
  readonly #listers: Readonly<Record<string, Lister<object>>>;

  constructor(
    reconcile: ReconcileFunction,
    lister: Lister<object>,
    listers: Readonly<Record<string, Lister<object>>>,
  ) {
    this.#reconcile = reconcile;
    this.#lister = lister;
    this.#listers = listers;
  }

  async prepare(): Promise<void> {}

  async reconcile(_lane: number, { request, attempt, signal, record }: Attempt): Promise<Verdict> {
    const turn = new Turn({ lister: this.#lister, listers: this.#listers, signal, attempt, record });
    const value = await this.#reconcile(request, turn.context);
    return verdictOf(value, turn.askedMs);
  }

  async close(): Promise<void> {}
}
