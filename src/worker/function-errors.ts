/** Counts and tells what functions of users do wrong in a worker. */
import type { ReflectorNotice } from '../reflector/index.ts';
import type { StatusWriter } from './status-writer.ts';

/** Tells the first failure of each function; further ones are only counted. */
export class FunctionErrors {
  readonly #what: string;
  readonly #status: StatusWriter;
  readonly #tell: (notice: ReflectorNotice) => void;
  readonly #told = new Set<string>();

  /** @param what - names the resource, for example `pods.v1` */
  constructor(what: string, status: StatusWriter, tell: (notice: ReflectorNotice) => void) {
    this.#what = what;
    this.#status = status;
    this.#tell = tell;
  }

  readonly transformFailed = (key: string, error: unknown): void => {
    this.#status.transformFailed();
    const message =
      `the transform function of ${this.#what} failed on ${key}, which is kept as it was: ${placeOf(error)}. ` +
      'Further failures are only counted (stats.transformErrors)';
    this.#tellOnce('', { type: 'error', code: 'transform-failed', message });
  };

  readonly indexFailed = (index: string, key: string, error: unknown): void => {
    this.#status.indexFailed();
    const message =
      `the index '${index}' of ${this.#what} failed on ${key}, which is kept without a value in it: ${placeOf(error)}. ` +
      'Further failures of this index are only counted (stats.indexErrors)';
    this.#tellOnce(index, { type: 'error', code: 'index-failed', message });
  };

  #tellOnce(name: string, notice: ReflectorNotice): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#tell(notice);
  }
}

/** What an error is and where it was thrown. Not what it says: that may be the content of a Secret. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw a ${typeof error}`;
  const frame = /\n\s+(at .+)/.exec(error.stack ?? '')?.[1];
  return frame === undefined ? error.constructor.name : `${error.constructor.name} ${frame}`;
}
