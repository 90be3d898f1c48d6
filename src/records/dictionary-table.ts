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

  /** Forgets all epochs. */
  clear(): void {
    this.#epochs.clear();
  }

  has(epoch: number): boolean {
    return this.#epochs.has(epoch);
  }

  /** Numbers of the epochs of a worker. */
  ofWorker(worker: number): number[] {
    return [...this.#epochs.keys()].filter((epoch) => epoch >>> RECORD_EPOCH_INDEX_BITS === worker);
  }

  /** The memory of all epochs, in the order in which they were added. */
  get memories(): SharedArrayBuffer[] {
    return [...this.#epochs.values()].map(({ memory }) => memory);
  }

  /** How many epochs there are. */
  get size(): number {
    return this.#epochs.size;
  }

  /** Bytes of strings and shapes of all epochs. Memory beyond them was never touched. */
  get usedBytes(): number {
    let sum = 0;
    for (const reader of this.#epochs.values()) sum += reader.usedBytes;
    return sum;
  }

  /** @internal */
  find(epoch: number): EpochReader | undefined {
    return this.#epochs.get(epoch);
  }
}
