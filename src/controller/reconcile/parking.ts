/** Keys that wait until the cache has what their last reconcile wrote. They take no lane meanwhile. */
import type { Clock, WorkItem } from '../../workqueue/index.ts';
import type { KeyQueue } from './key-queue.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { OwnWrites } from './own-writes.ts';

/** A write is in the cache after some milliseconds, and looking costs a few lookups per key that waits. */
const LOOK_MS = 10;

export interface ParkingOptions {
  readonly queue: KeyQueue;
  readonly ownWrites: OwnWrites;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
}

export class Parking {
  readonly #options: ParkingOptions;
  /** To the queue they are being processed, so events that come meanwhile are merged. */
  readonly #parked = new Set<WorkItem<string>>();
  #cancelLook: (() => void) | undefined;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** @returns true when the key has to wait; it is queued again when that is over */
  holds(work: WorkItem<string>): boolean {
    const { ownWrites, metrics } = this.#options;
    const state = ownWrites.stateOf(work.item);
    if (state === 'given-up') metrics.count('cacheTimeouts');
    if (state !== 'behind') return false;
    metrics.count('cacheWaits');
    this.#parked.add(work);
    this.#lookLater();
    return true;
  }

  /** Lets go of all keys; nothing is queued. */
  clear(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    for (const work of this.#parked) work.done();
    this.#parked.clear();
  }

  #lookLater(): void {
    this.#cancelLook ??= this.#options.clock.setTimer(LOOK_MS, () => {
      this.#cancelLook = undefined;
      this.#look();
    });
  }

  #look(): void {
    const { queue, ownWrites, metrics } = this.#options;
    for (const work of this.#parked) {
      const state = ownWrites.stateOf(work.item);
      if (state === 'behind') continue;
      if (state === 'given-up') metrics.count('cacheTimeouts');
      this.#parked.delete(work);
      queue.add(work.item, work.priority);
      work.done();
    }
    if (this.#parked.size > 0) this.#lookLater();
  }
}
