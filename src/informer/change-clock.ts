/** Numbers the changes of an informer's store, so that a handler that joins knows which ones it has seen already. */
import type { ChangeQueue } from './change-queue.ts';

export class ChangeClock {
  /** Number of the last change that was stored. */
  last = 0;
  readonly #queues: ChangeQueue[] = [];

  /** A queue whose changes carry numbers of this clock. */
  add(queue: ChangeQueue): void {
    this.#queues.push(queue);
  }

  /** Some changes are in the store and about to be told. */
  get isTelling(): boolean {
    for (const queue of this.#queues) if (queue.tellable > 0) return true;
    return false;
  }

  /** Every change with a smaller number was told. */
  get oldestUntold(): number {
    let oldest = this.last + 1;
    for (const queue of this.#queues) if (queue.size > 0) oldest = Math.min(oldest, queue.firstNumber);
    return oldest;
  }
}
