/** Why somebody does not lead, or no longer. The reason of an elector's signal when it aborts. */
export class LeadershipError extends Error {
  override readonly name = 'LeadershipError';
  /**
   * - `not-leading`: it has not led yet.
   * - `overdue`: the lease could not be renewed in time.
   * - `taken`: the lease names somebody else.
   * - `work-failed`: what was done while leading threw or rejected; its error is the cause.
   */
  readonly code: 'not-leading' | 'overdue' | 'taken' | 'work-failed';

  /** @internal */
  constructor(message: string, details: { code: LeadershipError['code']; cause?: unknown }) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
  }
}
