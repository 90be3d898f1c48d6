/** Bytes that are no record, or a record whose dictionary this thread does not have. */
export class RecordError extends Error {
  readonly code = 'ERR_RECORD';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RecordError';
  }
}

/** A record whose dictionary is not known here: it came after it was looked for, or all records of it are gone. */
export class UnknownEpochError extends RecordError {
  readonly epoch: number;

  constructor(epoch: number) {
    super(`epoch ${epoch} is not known to this thread`);
    this.epoch = epoch;
  }
}

/** The transcoder's WASM file is not there, or not the one that belongs to this version. */
export class TranscoderMissingError extends Error {
  readonly code = 'ERR_TRANSCODER_MISSING';

  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    this.name = 'TranscoderMissingError';
  }
}
