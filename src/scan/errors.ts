import { webAssembly } from './webassembly.ts';

/** A scan spec that can't be compiled: a path that makes no sense, or a limit that it exceeds. */
export class ScanSpecError extends Error {
  readonly code = 'ERR_SCAN_SPEC';

  constructor(message: string) {
    super(message);
    this.name = 'ScanSpecError';
  }
}

/** The scanner's memory has no room: for one more program, or for bytes that are pushed and not consumed. */
export class ScanMemoryError extends Error {
  readonly code = 'ERR_SCAN_MEMORY';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScanMemoryError';
  }
}

/**
 * Whether an error is a trap of the WASM module, which no input may cause: what the module has in memory can't be
 * trusted after one.
 */
export function isTrap(error: unknown): error is Error {
  return error instanceof webAssembly.RuntimeError;
}

/** The scanner's WASM file is not there, or not the one that belongs to this version. */
export class ScannerMissingError extends Error {
  readonly code = 'ERR_SCANNER_MISSING';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScannerMissingError';
  }
}
