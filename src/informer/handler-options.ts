/** How a handler is registered, and the checks of that. */
import { type InformerError, UsageError } from './errors.ts';
import type { InformerEvent } from './event.ts';
import { type Delivery, deliverTo, type Handler } from './handlers.ts';
import type { ObjectRef } from './object-ref.ts';

/** All fields are optional. */
export interface HandlerOptions<T = object> {
  /** Names the handler in errors. @default none */
  readonly name?: string;
  /**
   * Period after which the handler gets each object again as an update without a change, in milliseconds; 0 never.
   * Rules as in client-go: less than a second counts as one; before the start a shorter period makes the informer
   * look more often, afterwards it is raised to how often the informer looks. `Registration.resyncMs` has the result.
   * @default that of the informer
   */
  readonly resyncMs?: number;
  /**
   * Which objects the handler sees: an update that brings an object in is an add to it, one that takes it out a delete
   * with the state before. Asked with each state, nothing decoded unless it looks: it has to give the same answer for
   * the same state.
   * Source: `FilteringResourceEventHandler` in client-go's `tools/cache/controller.go`.
   */
  readonly filter?: (ref: ObjectRef<T>) => boolean;
  /** Called with what the handler threw or rejected with, besides the informer's `error` event. */
  readonly onError?: (error: InformerError, event: InformerEvent<T>) => void;
  /**
   * Events that may wait one by one. Beyond that those of a key are merged: the last state wins, the state before is
   * what the handler saw last, and a delete of what it saw is never lost. See `Registration.backlog` and `laps`.
   * @default 1024
   */
  readonly backlogLimit?: number;
  /**
   * `serial` waits for the handler's promise before its next event. `per-key` goes on with events of other keys, and
   * waits before the next event of the same key. Not for handlers with `onBatch`.
   * @default 'serial'
   */
  readonly concurrency?: 'serial' | 'per-key';
  /** Most promises that are waited for at a time with `concurrency: 'per-key'`. @default 64 */
  readonly maxInFlight?: number;
  /** Most events of one call of `onBatch`. @default 256 */
  readonly maxBatch?: number;
}

/** A burst should pass unmerged, a lag should not grow. */
const DEFAULT_BACKLOG_LIMIT = 1024;
/** Requests that a handler makes are mostly waiting; more would only queue up at the API server. */
const DEFAULT_MAX_IN_FLIGHT = 64;
/** Enough to make a call per event cheap, few enough to fit a slice. */
const DEFAULT_MAX_BATCH = 256;

/** Timers of Node.js that are longer fire at once. */
const MAX_RESYNC_MS = 24 * 24 * 60 * 60 * 1000;

/** A handler with defaults, checked. */
export interface HandlerPlan<T> extends Delivery<T> {
  readonly name: string | undefined;
  readonly resyncMs: number | undefined;
  readonly filter: ((ref: ObjectRef<T>) => boolean) | undefined;
  readonly onError: ((error: InformerError, event: InformerEvent<T>) => void) | undefined;
  readonly backlogLimit: number;
  readonly isPerKey: boolean;
  readonly maxInFlight: number;
  readonly maxBatch: number;
}

/** @throws UsageError when the handler is none or an option is out of range */
export function planHandler<T>(handler: Handler<T>, options: HandlerOptions<T> = {}): HandlerPlan<T> {
  const delivery = deliverTo(handler);
  const { name, resyncMs, filter, onError, concurrency = 'serial' } = options;
  const { backlogLimit = DEFAULT_BACKLOG_LIMIT, maxBatch = DEFAULT_MAX_BATCH } = options;
  const { maxInFlight = DEFAULT_MAX_IN_FLIGHT } = options;
  checkResyncMs(resyncMs);
  checkFunction('filter', filter);
  checkFunction('onError', onError);
  checkCount('backlogLimit', backlogLimit);
  checkCount('maxBatch', maxBatch);
  checkCount('maxInFlight', maxInFlight);
  if (concurrency !== 'serial' && concurrency !== 'per-key') {
    throw new UsageError(`concurrency is 'serial' or 'per-key', not ${JSON.stringify(concurrency)}`);
  }
  const isPerKey = concurrency === 'per-key';
  if (isPerKey && delivery.batch !== undefined) {
    throw new UsageError("concurrency 'per-key' is for single events: give the handler onEvent, not onBatch");
  }
  return {
    ...delivery,
    name,
    resyncMs,
    filter,
    onError,
    backlogLimit,
    isPerKey,
    maxInFlight: isPerKey ? maxInFlight : 1,
    maxBatch,
  };
}

/** @throws UsageError when the period is none */
export function checkResyncMs(resyncMs: number | undefined): void {
  if (resyncMs === undefined || (resyncMs >= 0 && resyncMs <= MAX_RESYNC_MS)) return;
  throw new UsageError(
    `resyncMs is a period in milliseconds, or 0 for never, and no more than 24 days, not ${resyncMs}`,
  );
}

function checkFunction(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new UsageError(`${option} is a function, not ${JSON.stringify(value)}`);
}

function checkCount(option: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new UsageError(`${option} is a whole number from 1 on, not ${value}`);
}
