/**
 * `informer.on('add' | 'update' | 'delete' | 'change')`: one handler that emits, which is there as long as somebody
 * listens. Nothing is decoded for an event without a listener.
 */
import type { EventEmitter } from 'node:events';
import type { InformerEvent } from './event.ts';
import type { EventHandler } from './handlers.ts';
import type { Registration } from './registration.ts';

const NAMES: ReadonlySet<unknown> = new Set(['add', 'update', 'delete', 'change']);

/** Watches who listens on an emitter, and adds and removes a handler accordingly. */
export class ObjectEmitter<T> {
  readonly #emitter: EventEmitter;
  readonly #register: (handler: EventHandler<T>) => Registration;
  #registration: Registration | undefined;

  constructor(emitter: EventEmitter, register: (handler: EventHandler<T>) => Registration) {
    this.#emitter = emitter;
    this.#register = register;
  }

  /** To be called again when all listeners were removed, these among them. */
  listen(): void {
    this.#emitter.on('newListener', (name) => {
      if (!NAMES.has(name)) return;
      this.#registration ??= this.#register({ onEvent: (event) => this.#emit(event) });
    });
    this.#emitter.on('removeListener', () => this.#removeIfUnused());
  }

  #emit(event: InformerEvent<T>): void {
    const { type } = event;
    if (this.#emitter.listenerCount(type) > 0) this.#emitter.emit(type, event.object, event);
    if (this.#emitter.listenerCount('change') > 0) this.#emitter.emit('change', event.object, event);
  }

  #removeIfUnused(): void {
    for (const name of NAMES) if (this.#emitter.listenerCount(name as string) > 0) return;
    void this.#registration?.remove();
    this.#registration = undefined;
  }
}
