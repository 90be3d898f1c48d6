/**
 * Something went wrong between an informer and its API server, or with an object. For information: the
 * informer goes on by itself.
 */
export class InformerError extends Error {
  override readonly name = 'InformerError';
  /** Stable, for example 'forbidden', 'truncated-list' or 'bad-object'. */
  readonly code: string;
  /** Names the resource, for example `pods.v1`. */
  readonly resource: string;
  /** HTTP status or the code of a Status, when the server sent one. */
  readonly status: number | undefined;
  /** When the next try is made, in milliseconds; undefined when nothing is pending. */
  readonly retryInMs: number | undefined;

  /** @internal */
  constructor(
    message: string,
    details: { code: string; resource: string; status?: number; retryInMs?: number; cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.resource = details.resource;
    this.status = details.status;
    this.retryInMs = details.retryInMs;
  }
}

/** The factory or informer was stopped, so what was asked of it will not happen. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly code = 'KUBERING_STOPPED';
}

/** A call that the informer's or factory's state does not allow, or options that contradict others. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'KUBERING_USAGE';
}

/** The cache has no object with this key. Of `getOrThrow`: `get` gives undefined instead. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly code = 'KUBERING_NOT_FOUND';
  readonly key: string;

  constructor(key: string) {
    super(
      `there is no object '${key}' in the cache: it may not exist, or not be selected, or not be there yet`,
    );
    this.key = key;
  }
}
