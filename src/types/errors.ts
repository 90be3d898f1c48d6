/** No resource was found for a kind. The message names the kind and says what to do. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
  readonly code = 'KUBERING_UNKNOWN_KIND';
}

/** The API server could not be asked which resources it has. Trying again later may help. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  readonly code = 'KUBERING_DISCOVERY';
  /** HTTP status, when the server answered. */
  readonly status: number | undefined;

  /** @internal */
  constructor(message: string, details: { status?: number; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
  }
}
