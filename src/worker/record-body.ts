/** Makes the bodies of one reflector records. The transcoder is shared by all reflectors of its worker. */
import type { Transcoder } from '../records/index.ts';

export interface RecordBodyOptions {
  readonly transcoder: Transcoder;
  /** False for objects with secrets: nothing of their values goes to the dictionary. */
  readonly internValues: boolean;
  /** A body was put that could not be made a record, and stayed JSON. */
  readonly onFallback: () => void;
}

/**
 * The record of the object that is about to be put. Between {@link make} and {@link write} nobody else may use the
 * transcoder.
 */
export class RecordBody {
  /** Whether there is one; else the body is JSON. */
  isMade = false;
  lengthBytes = 0;

  readonly #transcoder: Transcoder;
  readonly #onFallback: () => void;
  readonly #facts: { tag: number; readonly internValues: boolean };

  constructor({ transcoder, internValues, onFallback }: RecordBodyOptions) {
    this.#transcoder = transcoder;
    this.#onFallback = onFallback;
    this.#facts = { tag: 0, internValues };
  }

  /** Another object comes. */
  clear(): void {
    this.isMade = false;
  }

  /** Where to write the object's JSON in {@link bytes}, or 0 when it is too long for a record. */
  reserve(jsonBytes: number): number {
    return this.#transcoder.reserve(jsonBytes);
  }

  get bytes(): Buffer {
    return this.#transcoder.bytes;
  }

  /**
   * Makes the record of the JSON that was written.
   *
   * @param tag - of the object, the same for all its versions
   * @returns false when it can't be one
   */
  make(jsonBytes: number, tag: number): boolean {
    this.#facts.tag = tag;
    this.lengthBytes = this.#transcoder.encode(jsonBytes, this.#facts);
    this.isMade = this.lengthBytes > 0;
    return this.isMade;
  }

  /** Copies the record to its block, where it keeps its epoch of the dictionary alive. */
  write(target: Buffer, at: number): void {
    this.#transcoder.copyTo(target, at, this.lengthBytes);
    this.#transcoder.epochs.hold();
  }

  /** The body was put as JSON. */
  fellBack(): void {
    this.#onFallback();
  }
}
