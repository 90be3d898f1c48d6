/** An argument or option of a queue or rate limiter that it can't work with. */
export class QueueArgumentError extends Error {
  override readonly name = 'QueueArgumentError';
  readonly code = 'KUBERING_QUEUE_ARGUMENT';
  /** Which one, for example `delayMs`. */
  readonly argument: string;

  /** @internal */
  constructor(argument: string, message: string) {
    super(message);
    this.argument = argument;
  }
}

/** `done` was called for an item that no consumer has: it was never handed out, or its `done` was called before. */
export class NotProcessingError extends Error {
  override readonly name = 'NotProcessingError';
  readonly code = 'KUBERING_NOT_PROCESSING';

  /** @internal */
  constructor(key: unknown) {
    super(
      `${describeKey(key)} is not being processed: call done once for each item that the queue handed out`,
    );
  }
}

/** Keys may be whole objects, whose contents are nobody's business. */
function describeKey(key: unknown): string {
  return typeof key === 'string' || typeof key === 'number' ? JSON.stringify(key) : 'the item';
}
