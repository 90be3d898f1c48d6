/**
 * What handlers saw. All contenders' handlers do the same work here, and what they add up is compared with
 * the server afterwards: a library that skips or repeats events does not get away with good figures.
 */
import type { V1Pod } from '@kubernetes/client-node';

export class Tally {
  adds = 0;
  updates = 0;
  deletes = 0;
  /** Over the adds: letters of keys, or containers of objects. */
  addSum = 0;
  /** Over the updates: resourceVersions of objects. 0 when only keys were read. */
  versionSum = 0;
  /** Updates of objects whose resourceVersion was not above that of the update before. */
  outOfOrder = 0;
  firstUpdateMs = 0;
  lastUpdateMs = 0;
  /** Letters of keys of updates: adds up to nothing known, but the keys had to be made. */
  updateKeyLetters = 0;

  readonly #pods: number;
  readonly #events: number;
  readonly #listed = Promise.withResolvers<void>();
  readonly #updated = Promise.withResolvers<void>();
  #lastVersion = 0;

  /**
   * @param pods - adds to expect
   * @param events - updates to expect
   */
  constructor(pods: number, events: number) {
    this.#pods = pods;
    this.#events = events;
  }

  /** Resolves with the last of the expected adds. */
  get listed(): Promise<void> {
    return this.#listed.promise;
  }

  /** Resolves with the last of the expected updates. */
  get updated(): Promise<void> {
    return this.#updated.promise;
  }

  addedKey(key: string): void {
    this.addSum += key.length;
    this.#countAdd();
  }

  updatedKey(key: string): void {
    this.updateKeyLetters += key.length;
    this.#countUpdate();
  }

  addedObject(pod: V1Pod): void {
    this.addSum += pod.spec?.containers.length ?? 0;
    this.#countAdd();
  }

  updatedObject(pod: V1Pod): void {
    const version = Number(pod.metadata?.resourceVersion);
    this.versionSum += version;
    if (version <= this.#lastVersion) this.outOfOrder++;
    this.#lastVersion = version;
    this.#countUpdate();
  }

  deleted(): void {
    this.deletes++;
  }

  #countAdd(): void {
    if (++this.adds === this.#pods) this.#listed.resolve();
  }

  #countUpdate(): void {
    this.updates++;
    if (this.updates === 1) this.firstUpdateMs = performance.now();
    if (this.updates !== this.#events) return;
    this.lastUpdateMs = performance.now();
    this.#updated.resolve();
  }
}
