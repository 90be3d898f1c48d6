/**
 * To be thrown by reconcile when no other try can help, for example because a spec is wrong: the key is not tried again
 * before something happens to it.
 */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
  readonly code = 'KUBERING_TERMINAL';
}

/** A reconcile took longer than `reconcileTimeoutMs`. The reason of its signal, and the cause of what is reported. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
  readonly code = 'KUBERING_RECONCILE_TIMEOUT';
}

/** Reconciles did not end within `drainTimeoutMs` after the stop. They may still be at it. */
export class DrainTimeoutError extends Error {
  override readonly name = 'DrainTimeoutError';
  readonly code = 'KUBERING_DRAIN_TIMEOUT';
}

/** The module that is to reconcile in worker threads can't be used. */
export class ReconcileModuleError extends Error {
  override readonly name = 'ReconcileModuleError';
  /**
   * - `not-loaded`: it does not exist, or fails while it is loaded; the error of that is the cause.
   * - `no-export`: it exports no function as `reconcile` or as its default.
   * - `not-attached`: the thread can't read the caches; the error of that is the cause.
   */
  readonly code: 'not-loaded' | 'no-export' | 'not-attached';

  /** @internal */
  constructor(message: string, details: { code: ReconcileModuleError['code']; cause?: unknown }) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
  }
}

/** Something went wrong with a key. For information: the controller goes on by itself. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError';
  /**
   * - `reconcile-failed`: the key is tried again, after a delay that grows.
   * - `terminal`: a TerminalError; the key is not tried again before something happens to it.
   * - `gave-up`: it failed `maxRetries` times more; likewise.
   * - `timed-out`: it takes too long and was told to end; once it does, the key is tried again.
   * - `rate-limiter-failed`: nobody knows how long the key has to wait; it is tried again after 10 s.
   * - `mapping-failed`: nobody knows which keys an event is about; none was queued.
   * - `predicate-failed`: nobody knows whether an event matters; its keys were queued.
   * - `election-failed`: a request of the leader election; it is tried again.
   */
  readonly code:
    | 'reconcile-failed'
    | 'terminal'
    | 'gave-up'
    | 'timed-out'
    | 'rate-limiter-failed'
    | 'mapping-failed'
    | 'predicate-failed'
    | 'election-failed';
  /** Name of the controller. */
  readonly controller: string;
  /** Of the object that was reconciled, or that an event told of; undefined for an election. */
  readonly key: string | undefined;

  /** @internal */
  constructor(
    message: string,
    details: { code: ControllerError['code']; controller: string; key?: string | undefined; cause: unknown },
  ) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.controller = details.controller;
    this.key = details.key;
  }
}

/** By its code: errors from another thread or another copy of this library are of another class. */
export function isTerminal(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'KUBERING_TERMINAL';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
