/** The registrations of an informer: those that are there, and those that it knows though they were removed. */
import type { ListenerFigures } from './listener.ts';
import { Registration } from './registration.ts';

export class Registrations {
  readonly #current = new Set<Registration>();
  readonly #known = new WeakSet<Registration>();

  /**
   * @param informerSynced - resolves when the first list is in the store
   * @param remove - takes the listener away
   */
  add(listener: ListenerFigures, informerSynced: Promise<void>, remove: () => Promise<void>): Registration {
    const registration: Registration = new Registration(listener, informerSynced, () => {
      this.#current.delete(registration);
      return remove();
    });
    this.#current.add(registration);
    this.#known.add(registration);
    return registration;
  }

  /** Whether it was ever made here. */
  has(registration: unknown): boolean {
    return registration instanceof Registration && this.#known.has(registration);
  }

  removeAll(): void {
    for (const registration of [...this.#current]) void registration.remove();
  }
}
