/** What a reconcile says about its key's next turn. */
import { UsageError } from '../../informer/index.ts';

/** What reconcile may return; nothing means that all is done. controller-runtime's `reconcile.Result`. */
export interface ReconcileResult {
  /** Again, after a delay that grows each time, as after a failure. */
  readonly requeue?: boolean;
  /** Again, after so many milliseconds; what failed before is forgotten. 0 is as soon as `requeue` would. */
  readonly requeueAfter?: number;
}

/** How a turn went; its names are the metric's values. */
export type Verdict =
  | { readonly result: 'success' }
  | { readonly result: 'requeue' }
  | { readonly result: 'requeue_after'; readonly delayMs: number };

const SUCCESS: Verdict = { result: 'success' };
const REQUEUE: Verdict = { result: 'requeue' };

/**
 * @param value - what reconcile returned
 * @param askedMs - what it gave to `requeueAfter` of its context
 * @throws UsageError when the value is no result: whoever returned it expects something that would not happen
 */
export function verdictOf(value: unknown, askedMs: number | undefined): Verdict {
  if (value === undefined || value === null) return afterMs(askedMs);
  if (typeof value !== 'object') {
    throw new UsageError(`reconcile returns nothing or { requeue, requeueAfter }, not a ${typeof value}`);
  }
  const { requeue, requeueAfter } = value as Partial<Record<keyof ReconcileResult, unknown>>;
  if (requeueAfter !== undefined) return afterMs(checkDelayMs(requeueAfter));
  if (requeue === undefined || typeof requeue === 'boolean')
    return requeue === true ? REQUEUE : afterMs(askedMs);
  throw new UsageError(`requeue is true or false, not ${String(requeue)}`);
}

/** @throws UsageError when it is no time to wait */
export function checkDelayMs(delayMs: unknown): number {
  if (typeof delayMs === 'number' && delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY) return delayMs;
  throw new UsageError(`requeueAfter is a number of milliseconds from 0 on, not ${String(delayMs)}`);
}

/** Without the limit, a reconcile that computes a date that has passed would run in a loop. */
function afterMs(delayMs: number | undefined): Verdict {
  if (delayMs === undefined) return SUCCESS;
  return delayMs === 0 ? REQUEUE : { result: 'requeue_after', delayMs };
}
