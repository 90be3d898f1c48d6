/**
 * The shared side of a dictionary, in the worker that writes it. Copies what the transcoder has learned to where all
 * threads read it, and knows which epochs still have records.
 */
import { RECORD_EPOCH_INDEX_BITS } from '../layout/record.ts';
import {
  DICTIONARY_BYTES,
  DICTIONARY_EPOCH_WORD,
  DICTIONARY_FORMAT,
  DICTIONARY_FORMAT_WORD,
  DICTIONARY_SHAPE_BYTES,
  DICTIONARY_SHAPE_COUNT_WORD,
  DICTIONARY_SHAPES_BYTE,
  DICTIONARY_STRING_BYTES,
  DICTIONARY_STRING_COUNT_WORD,
  DICTIONARY_STRINGS_BYTE,
  DICTIONARY_TEXT_BYTE,
  DICTIONARY_TEXT_BYTES_WORD,
} from '../layout/record-dictionary.ts';
import { OWN_DICTIONARY_BYTE } from '../layout/record-memory.ts';

/** Epochs that one worker can open: at 16,000 records for each, a thousand million records. */
const MAX_EPOCHS = 1 << RECORD_EPOCH_INDEX_BITS;

/**
 * Epochs that may be in memory whatever is held, and records that each further one has to be in use for. Records that
 * outlive all others of their epochs would else hold a dictionary each.
 */
const FREE_EPOCHS = 8;
const HELD_PER_EPOCH = 4096;

/**
 * Of an epoch of which no more records are left, these should be made anew: an eighth of those that it was opened for.
 * The current epoch and the one before are left alone, because records of them are still replaced by themselves.
 */
const SPARSE_RECORDS = 2048;
const YOUNG_EPOCHS = 2;

export interface EpochWriterOptions {
  /** Number of the worker, unique among all whose records one thread reads, from 0 to 65535. */
  readonly worker: number;
  /** A new epoch, which readers must have before the first record that names it. */
  readonly onEpoch: (epoch: number, memory: SharedArrayBuffer) => void;
  /** No record of a former epoch is held any more: readers can forget it. */
  readonly onEpochFree?: (epoch: number) => void;
}

export class EpochWriter {
  /** Number of the current epoch. */
  epoch = 0;
  readonly #options: EpochWriterOptions;
  #nextIndex = 0;
  #bytes!: Uint8Array;
  #words!: Int32Array;
  #strings = 0;
  #shapes = 0;
  #textBytes = 0;
  /** Records that are held, by epoch. */
  readonly #held = new Map<number, number>();
  #heldRecords = 0;

  constructor(options: EpochWriterOptions) {
    this.#options = options;
  }

  /** Epochs that are in memory. */
  get epochs(): number {
    return this.#held.size;
  }

  /** What the current epoch holds, for metrics. */
  get usage(): { readonly strings: number; readonly shapes: number; readonly textBytes: number } {
    return { strings: this.#strings, shapes: this.#shapes, textBytes: this.#textBytes };
  }

  /** Whether there may be one more epoch. While there are too many for what is held, none is opened. */
  get canOpen(): boolean {
    const most = FREE_EPOCHS + Math.floor(this.#heldRecords / HELD_PER_EPOCH);
    return this.#nextIndex < MAX_EPOCHS && this.#held.size < most;
  }

  /** Whether so few records of an old epoch are left that they should be made anew, for its memory to be freed. */
  isSparse(epoch: number): boolean {
    return this.epoch - epoch >= YOUNG_EPOCHS && this.#held.get(epoch)! <= SPARSE_RECORDS;
  }

  /** Whether there are such epochs. */
  get hasSparse(): boolean {
    for (const epoch of this.#held.keys()) if (this.isSparse(epoch)) return true;
    return false;
  }

  /** Begins the next epoch, and frees the former one when nothing of it is held. */
  open(): number {
    const former = this.epoch;
    const hasFormer = this.#nextIndex > 0;
    this.epoch = this.#options.worker * MAX_EPOCHS + this.#nextIndex++;
    const memory = new SharedArrayBuffer(DICTIONARY_BYTES);
    this.#bytes = new Uint8Array(memory);
    this.#words = new Int32Array(memory);
    this.#words[DICTIONARY_FORMAT_WORD] = DICTIONARY_FORMAT;
    this.#words[DICTIONARY_EPOCH_WORD] = this.epoch;
    this.#strings = 0;
    this.#shapes = 0;
    this.#textBytes = 0;
    this.#held.set(this.epoch, 0);
    this.#options.onEpoch(this.epoch, memory);
    if (hasFormer && this.#held.get(former) === 0) this.#free(former);
    return this.epoch;
  }

  /**
   * Copies what is new in the transcoder's dictionary. All records made until now can be read after this.
   *
   * @param words - all of the transcoder's memory
   */
  publish(words: Int32Array): void {
    const head = OWN_DICTIONARY_BYTE / 4;
    const strings = words[head + DICTIONARY_STRING_COUNT_WORD]!;
    const shapes = words[head + DICTIONARY_SHAPE_COUNT_WORD]!;
    if (strings === this.#strings && shapes === this.#shapes) return;
    const source = new Uint8Array(words.buffer, OWN_DICTIONARY_BYTE, DICTIONARY_BYTES);
    const textBytes = words[head + DICTIONARY_TEXT_BYTES_WORD]!;
    this.#copy(source, DICTIONARY_TEXT_BYTE + this.#textBytes, DICTIONARY_TEXT_BYTE + textBytes);
    this.#copyEntries(source, DICTIONARY_STRINGS_BYTE, DICTIONARY_STRING_BYTES, this.#strings, strings);
    this.#copyEntries(source, DICTIONARY_SHAPES_BYTE, DICTIONARY_SHAPE_BYTES, this.#shapes, shapes);
    this.#strings = strings;
    this.#shapes = shapes;
    this.#textBytes = textBytes;
    this.#words[DICTIONARY_TEXT_BYTES_WORD] = textBytes;
    Atomics.store(this.#words, DICTIONARY_STRING_COUNT_WORD, strings);
    Atomics.store(this.#words, DICTIONARY_SHAPE_COUNT_WORD, shapes);
  }

  /**
   * A record was copied to where it is kept. To be called before the next one is made, which may open an epoch.
   *
   * @param epoch - of a record that was held already, and has another place besides. @default that of the last record
   */
  hold(epoch: number = this.epoch): void {
    this.#held.set(epoch, this.#held.get(epoch)! + 1);
    this.#heldRecords++;
  }

  /** A record that was held is gone. Its epoch is in its head: see `epochOf`. */
  release(epoch: number): void {
    const held = this.#held.get(epoch);
    if (held === undefined || held === 0)
      throw new Error(`no record of epoch ${epoch} is held: released twice`);
    this.#held.set(epoch, held - 1);
    this.#heldRecords--;
    if (held === 1 && epoch !== this.epoch) this.#free(epoch);
  }

  #free(epoch: number): void {
    this.#held.delete(epoch);
    this.#options.onEpochFree?.(epoch);
  }

  #copyEntries(source: Uint8Array, table: number, entryBytes: number, from: number, to: number): void {
    this.#copy(source, table + from * entryBytes, table + to * entryBytes);
  }

  #copy(source: Uint8Array, from: number, to: number): void {
    this.#bytes.set(source.subarray(from, to), from);
  }
}
