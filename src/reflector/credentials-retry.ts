import type { Failure } from './failure.ts';

/** Asks for new credentials after a 401, once until the server says something else. */
export class CredentialsRetry {
  #wantsNew = false;

  /** The next request is to come with new credentials. */
  get wantsNew(): boolean {
    return this.#wantsNew;
  }

  /** True when the request that failed is to be made again at once, with new credentials. */
  claim(failure: Failure): boolean {
    if (failure.kind !== 'unauthorized' || this.#wantsNew) return false;
    this.#wantsNew = true;
    return true;
  }

  /** New credentials have done their work when the server answers something else than that they are wrong. */
  note(failure: Failure | undefined, hasReader: boolean): void {
    const saysNothing = failure?.kind === 'unauthorized' || failure?.kind === 'unavailable';
    if (hasReader || !saysNothing) this.#wantsNew = false;
  }
}
