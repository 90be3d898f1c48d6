/**
 * The dictionaries that a thread can read, by epoch number. A worker announces each epoch on its port before it
 * publishes a record that names it, as it does with segments.
 */
import { RECORD_EPOCH_INDEX_BITS } from '../layout/record.ts';
import { EpochReader } from './epoch-reader.ts';

export class DictionaryTable {
  readonly #epochs = new Map<number, EpochReader>();

  /**
   * @returns the number of the epoch
   * @throws RecordError when the memory is no dictionary of this version
   */
  add(memory: SharedArrayBuffer): number {
    const reader = new EpochReader(memory);
    this.#epochs.set(reader.epoch, reader);
    return reader.epoch;
  }

  /** Forgets an epoch of which no record is left. */
  delete(epoch: number): void {
    this.#epochs.delete(epoch);
  }

  /** Forgets all epochs of a worker. */
  deleteWorker(worker: number): void {
    for (const epoch of this.#epochs.keys()) {
      if (epoch >>> RECORD_EPOCH_INDEX_BITS === worker) this.#epochs.delete(epoch);
    }
  }

  /** @internal */
  find(epoch: number): EpochReader | undefined {
    return this.#epochs.get(epoch);
  }
}
