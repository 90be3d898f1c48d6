/** What was asked of a DeltaFIFO can't happen any more, because it was closed. */
export class FIFOClosedError extends Error {
  override readonly name = 'FIFOClosedError';
  readonly code = 'KUBERING_FIFO_CLOSED';
}

/**
 * Thrown by the consumer of a DeltaFIFO to get the same delta again: it goes back to the front of the queue, so that
 * the order of its key stays. Whoever called `pop` gets this error, and decides when to pop again.
 * Source: `ErrRequeue` in client-go's `tools/cache/fifo.go`.
 */
export class RequeueError extends Error {
  override readonly name = 'RequeueError';
  readonly code = 'KUBERING_REQUEUE';

  /** @param cause - why it could not be done now */
  constructor(cause?: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    super(`the consumer of a DeltaFIFO asked for the same delta again${reason}`, { cause });
  }
}
