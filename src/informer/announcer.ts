/** Emits what an informer has to tell, so that no listener can break what tells it. */
import type { EventEmitter } from 'node:events';
import type { InformerError } from './errors.ts';
import type { InformerHealth } from './health.ts';
import type { InformerEvents } from './informer-types.ts';

export class Announcer<T> {
  readonly #emitter: EventEmitter;
  readonly #health: () => InformerHealth;
  #toldHealth: string | undefined;

  constructor(emitter: EventEmitter, health: () => InformerHealth) {
    this.#emitter = emitter;
    this.#health = health;
  }

  /** What a listener throws goes where errors go that nobody catches, and not into the middle of what tells it. */
  tell<K extends keyof InformerEvents<T>>(name: K, ...args: InformerEvents<T>[K]): void {
    try {
      this.#emitter.emit(name, ...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  error(error: InformerError): void {
    // An `error` that nobody listens to would be thrown by the emitter: it is information, never fatal.
    if (this.#emitter.listenerCount('error') > 0) this.tell('error', error);
    this.health();
  }

  /** Tells `health` when it is not what it was. */
  health(): void {
    if (this.#emitter.listenerCount('health') === 0) return;
    const health = this.#health();
    const now = `${health.connected} ${health.synced} ${health.degraded}`;
    if (now === this.#toldHealth) return;
    this.#toldHealth = now;
    this.tell('health', health);
  }
}
