/** Wakes whoever waits for something to come into a queue. */
export class PushSignal {
  #waiters = new Set<() => void>();

  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /** Wakes all who wait. */
  tell(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const wake of waiters) wake();
  }

  /** Resolves with the next `tell`, or when the signal is aborted. */
  wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        this.#waiters.delete(wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
