/** The time between `start()` and `stop()` of one drop-in informer. */
import type { KubernetesObject } from '@kubernetes/client-node';
import type { InformerEvent, Registration, SharedInformer } from '../informer/index.ts';
import { type Lease, lease, type Source } from './engines.ts';
import { ErrorGate } from './error-gate.ts';
import type { CompatError } from './errors.ts';

/** Nothing of it is called after `stop`. */
export interface SessionHandlers<T> {
  onEvent(event: InformerEvent<T>): void;
  /** All objects that exist were told. */
  onSynced(): void;
  onError(error: CompatError): void;
  /** The server is heard again after an error. */
  onRecovered(): void;
}

export class Session<T extends KubernetesObject> {
  readonly #lease: Lease;
  readonly #registration: Registration;
  readonly #gate: ErrorGate;
  #hasSynced = false;
  #isStopped = false;
  /** Somebody waits for the first list, or for the first failure. */
  #attempt: PromiseWithResolvers<void> | undefined;

  constructor(source: Source, handlers: SessionHandlers<T>) {
    this.#lease = lease(source);
    const { informer } = this;
    this.#gate = new ErrorGate({
      informer: informer as unknown as SharedInformer,
      isLatest: () => this.#lease.isLatest,
      tell: (error) => {
        handlers.onError(error);
        this.#settleAttempt();
      },
      onRecovered: () => handlers.onRecovered(),
    });
    this.#registration = informer.addEventHandler({ onEvent: (event) => handlers.onEvent(event) });
    this.#registration.synced.then(
      () => {
        if (this.#isStopped) return;
        this.#hasSynced = true;
        handlers.onSynced();
        this.#settleAttempt();
      },
      () => {},
    );
  }

  get informer(): SharedInformer<T> {
    return this.#lease.informer as unknown as SharedInformer<T>;
  }

  /** See {@link Lease.isLastOfEngine}. */
  get isLastOfEngine(): boolean {
    return this.#lease.isLastOfEngine;
  }

  /** Resolves as client-node's `start` does: when all objects were told, or when a try failed. */
  async start(): Promise<void> {
    this.#gate.open();
    if (this.#hasSynced || this.#isStopped) return;
    this.#attempt ??= Promise.withResolvers();
    await this.#attempt.promise;
  }

  /** Nothing is called afterwards. Resolves when what nobody else uses has stopped. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#registration.remove();
    this.#gate.close();
    this.#settleAttempt();
    await this.#lease.release();
  }

  #settleAttempt(): void {
    this.#attempt?.resolve();
    this.#attempt = undefined;
  }
}
