import type { ExecCredential } from './exec-credential.ts';

/** Clocks differ, and a request takes time: credentials are renewed so long before they end. */
const EXPIRY_LEEWAY_MS = 30_000;

/** A plugin whose credentials end sooner than the leeway is not run for each of many reflectors that start at once. */
const LEAST_USE_MS = 5_000;

/** What is known of one plugin, and who waits for it. */
export interface ExecPluginOptions {
  /** Runs it, for so many milliseconds at most. */
  readonly run: (limitMs: number) => Promise<ExecCredential>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A credentials plugin of one user entry. Runs once for all who ask at the same time; what it said holds until shortly
 * before it expires, or until it is refused.
 */
export class ExecPlugin {
  readonly #options: ExecPluginOptions;
  #credential: ExecCredential | undefined;
  #obtainedMs = Number.NEGATIVE_INFINITY;
  #running: Promise<ExecCredential> | undefined;

  constructor(options: ExecPluginOptions) {
    this.#options = options;
  }

  /**
   * @param refresh - the last credentials were refused
   * @param limitMs - longest time that it may run
   */
  credential(refresh: boolean, limitMs: number): Promise<ExecCredential> {
    if (this.#running !== undefined) return this.#running;
    if (this.#credential !== undefined && !refresh && this.#isGood(this.#credential)) {
      return Promise.resolve(this.#credential);
    }
    this.#running = this.#run(limitMs).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #isGood({ expiresMs = Number.POSITIVE_INFINITY }: ExecCredential): boolean {
    const nowMs = this.#options.now();
    return nowMs < expiresMs - EXPIRY_LEEWAY_MS || nowMs - this.#obtainedMs < LEAST_USE_MS;
  }

  async #run(limitMs: number): Promise<ExecCredential> {
    const credential = await this.#options.run(limitMs);
    this.#credential = credential;
    this.#obtainedMs = this.#options.now();
    return credential;
  }
}
