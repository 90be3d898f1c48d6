/** Those who wait until a cache has come to a resourceVersion, for example to read what they wrote. */
import { compareResourceVersions } from '../reflector/index.ts';

interface Waiter {
  readonly resourceVersion: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class VersionWaiters {
  readonly #current: () => string;
  readonly #waiters = new Set<Waiter>();

  /** @param current - the version up to which the cache has everything, '' before the first list */
  constructor(current: () => string) {
    this.#current = current;
  }

  /** @param resourceVersion - a decimal number */
  async wait(resourceVersion: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (compareResourceVersions(this.#current() || '0', resourceVersion) >= 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { resourceVersion, resolve, reject };
    const onAbort = () => reject(signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiters.add(waiter);
    try {
      await promise;
    } finally {
      this.#waiters.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** The version has moved. */
  check(): void {
    if (this.#waiters.size === 0) return;
    const current = this.#current() || '0';
    for (const { resourceVersion, resolve } of this.#waiters) {
      if (compareResourceVersions(current, resourceVersion) >= 0) resolve();
    }
  }

  /** Nothing will come any more. */
  end(error: Error): void {
    for (const { reject } of this.#waiters) reject(error);
  }
}
