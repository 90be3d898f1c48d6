/** Makes records of JSON bytes. Runs in the worker that frames them; see docs/records.md. */
import type { HashSeed } from '../layout/key-hash.ts';
import {
  RECORD_MAX_INPUT_BYTES,
  REFUSED_DEPTH,
  REFUSED_SIZE,
  REFUSED_SYNTAX,
  REFUSED_UTF8,
} from '../layout/record.ts';
import {
  RESULT_BYTE,
  RESULT_IS_FULL,
  RESULT_RECORD,
  RESULT_REFUSAL,
  RESULT_SEED,
} from '../layout/record-memory.ts';
import type { WasmModule } from '../scan/index.ts';
import { EpochWriter, type EpochWriterOptions } from './epoch-writer.ts';
import { buffersFor, INITIAL_INPUT_BYTES, pagesFor, type TranscoderBuffers } from './memory.ts';
import { newInstance, type TranscoderExports, transcoderModule } from './module.ts';

/**
 * Fewest records of an epoch: a full dictionary learns nothing more until so many are written. Bounds the epochs that
 * strange objects can open, each of up to 2 MiB, to 130 bytes for each record.
 */
const RECORDS_PER_EPOCH = 16_384;

export interface TranscoderOptions extends EpochWriterOptions {
  /** Secret of the hashes, so that nobody can choose strings that collide. */
  readonly seed: HashSeed;
  /** The compiled transcoder, when another thread has it already. Default: read from the package. */
  readonly module?: WasmModule;
  /** Fewest records before a full dictionary is followed by the next. @default 16384 */
  readonly recordsPerEpoch?: number;
}

/** What is known of the object whose JSON is made a record. */
export interface ObjectFacts {
  /** Any number that is the same for all versions of one object, such as the hash of its key. */
  readonly tag: number;
  /** False for objects with secrets: then nothing of their values is put into the dictionary. @default true */
  readonly internValues?: boolean;
}

/**
 * Why an object was not made a record. It is no JSON: `syntax`, `utf8`. Or it is, and not worth it: `depth` (more than
 * 100 levels), `size` (more than 4 MiB).
 */
export type RefusalReason = 'syntax' | 'utf8' | 'depth' | 'size';

const REASONS: Readonly<Record<number, RefusalReason>> = {
  [REFUSED_SYNTAX]: 'syntax',
  [REFUSED_UTF8]: 'utf8',
  [REFUSED_DEPTH]: 'depth',
  [REFUSED_SIZE]: 'size',
};

/** Counts since the transcoder was made. */
export interface TranscoderStats {
  records: number;
  inputBytes: number;
  recordBytes: number;
  readonly refused: Record<RefusalReason, number>;
}

export class Transcoder {
  readonly stats: TranscoderStats = {
    records: 0,
    inputBytes: 0,
    recordBytes: 0,
    refused: { syntax: 0, utf8: 0, depth: 0, size: 0 },
  };
  /** Why the last object was refused. */
  refusal: RefusalReason | undefined;
  /** The epochs of this worker's dictionary: `hold` and `release` tell which are in use. */
  readonly epochs: EpochWriter;

  readonly #wasm: TranscoderExports;
  readonly #recordsPerEpoch: number;
  #buffers: TranscoderBuffers;
  #bytes!: Buffer;
  #words!: Int32Array;
  #recordsInEpoch = 0;

  /** @throws TranscoderMissingError when no module is given and the package's file is not there */
  constructor(options: TranscoderOptions) {
    this.#wasm = newInstance(options.module ?? transcoderModule());
    this.#recordsPerEpoch = options.recordsPerEpoch ?? RECORDS_PER_EPOCH;
    this.#buffers = buffersFor(INITIAL_INPUT_BYTES);
    this.#view();
    this.#words[RESULT_BYTE / 4 + RESULT_SEED] = options.seed.lo;
    this.#words[RESULT_BYTE / 4 + RESULT_SEED + 1] = options.seed.hi;
    this.epochs = new EpochWriter(options);
    this.#openEpoch();
  }

  /** All of the WASM memory. Read it anew after each call of {@link reserve}: it is replaced when memory grows. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Size of the WASM memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#bytes.length;
  }

  /** Where the last record lies in {@link bytes}, until the next call. */
  get recordStart(): number {
    return this.#words[RESULT_BYTE / 4 + RESULT_RECORD]!;
  }

  /**
   * Makes room for JSON.
   *
   * @returns where to write it in {@link bytes}, or 0 when it is too long; then it is counted as refused
   */
  reserve(lengthBytes: number): number {
    if (lengthBytes > RECORD_MAX_INPUT_BYTES) {
      this.#refuse('size');
      return 0;
    }
    if (lengthBytes > this.#buffers.inputBytes) this.#grow(lengthBytes);
    return this.#buffers.input;
  }

  /**
   * Makes a record of the JSON that was written where {@link reserve} said. Its dictionary is published before this
   * returns.
   *
   * @returns the length of the record in bytes, or 0 when it is {@link refusal refused}: then store the JSON
   * @throws RangeError for more bytes than were reserved
   */
  encode(lengthBytes: number, facts: ObjectFacts): number {
    const { input, pool, scratch, structure, inputBytes } = this.#buffers;
    if (lengthBytes > inputBytes)
      throw new RangeError('encode() was called for more bytes than were reserved');
    if (this.#words[RESULT_BYTE / 4 + RESULT_IS_FULL] !== 0) this.#followFull();
    const learnsValues = facts.internValues === false ? 0 : 1;
    const length = this.#wasm.transcode(
      input,
      lengthBytes,
      pool,
      scratch,
      structure,
      facts.tag,
      learnsValues,
    );
    // What a refused object has taught is as good as anything else.
    this.epochs.publish(this.#words);
    if (length === 0) {
      this.#refuse(REASONS[this.#words[RESULT_BYTE / 4 + RESULT_REFUSAL]!]!);
      return 0;
    }
    this.refusal = undefined;
    this.#recordsInEpoch++;
    const { stats } = this;
    stats.records++;
    stats.inputBytes += lengthBytes;
    stats.recordBytes += length;
    return length;
  }

  /**
   * As {@link encode}, of JSON that lies elsewhere and has parts to leave out.
   *
   * @param cuts - first byte and the byte behind of each part, ascending, as the scanner gives them; what is left must
   * be JSON
   */
  encodeFrom(
    source: Buffer,
    begin: number,
    end: number,
    cuts: ArrayLike<number>,
    facts: ObjectFacts,
  ): number {
    let length = end - begin;
    for (let i = 0; i < cuts.length; i += 2) length -= cuts[i + 1]! - cuts[i]!;
    let to = this.reserve(length);
    if (to === 0) return 0;
    let from = begin;
    for (let i = 0; i < cuts.length; i += 2) {
      to += source.copy(this.#bytes, to, from, cuts[i]!);
      from = cuts[i + 1]!;
    }
    source.copy(this.#bytes, to, from, end);
    return this.encode(length, facts);
  }

  /** Copies the last record. */
  copyTo(target: Buffer, at: number, lengthBytes: number): void {
    const start = this.recordStart;
    this.#bytes.copy(target, at, start, start + lengthBytes);
  }

  #refuse(reason: RefusalReason): void {
    this.refusal = reason;
    this.stats.refused[reason]++;
  }

  #followFull(): void {
    if (this.#recordsInEpoch >= this.#recordsPerEpoch && this.epochs.canOpen) this.#openEpoch();
  }

  #openEpoch(): void {
    this.#recordsInEpoch = 0;
    this.#wasm.openEpoch(this.epochs.open());
    this.epochs.publish(this.#words);
  }

  /** Grows to twice what is needed, so that growing is rare. */
  #grow(lengthBytes: number): void {
    const buffers = buffersFor(Math.min(lengthBytes * 2, RECORD_MAX_INPUT_BYTES));
    const morePages = pagesFor(buffers) - this.#wasm.memory.buffer.byteLength / 65536;
    if (morePages > 0) this.#wasm.memory.grow(morePages);
    this.#buffers = buffers;
    this.#view();
  }

  #view(): void {
    this.#bytes = Buffer.from(this.#wasm.memory.buffer);
    this.#words = new Int32Array(this.#wasm.memory.buffer);
  }
}
