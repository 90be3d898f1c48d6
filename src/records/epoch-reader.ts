import {
  DICTIONARY_BYTES,
  DICTIONARY_EPOCH_WORD,
  DICTIONARY_FORMAT,
  DICTIONARY_FORMAT_WORD,
  DICTIONARY_HEAD_BYTES,
  DICTIONARY_LENGTH_MASK,
  DICTIONARY_NON_ASCII,
  DICTIONARY_SHAPE_BYTES,
  DICTIONARY_SHAPE_COUNT_WORD,
  DICTIONARY_SHAPES_BYTE,
  DICTIONARY_STRING_BYTES,
  DICTIONARY_STRING_COUNT_WORD,
  DICTIONARY_STRINGS_BYTE,
  DICTIONARY_TEXT_BYTE,
  DICTIONARY_TEXT_BYTES_WORD,
} from '../layout/record-dictionary.ts';
import { RecordError } from './errors.ts';

/** One epoch of a dictionary as one thread reads it. Each string is made once, when it is first needed. */
export class EpochReader {
  readonly epoch: number;
  readonly memory: SharedArrayBuffer;
  /** By id; undefined until {@link string} was asked for it. */
  readonly strings: (string | undefined)[] = [];
  readonly #keys: (readonly string[] | undefined)[] = [];
  readonly #bytes: Buffer;
  readonly #words: Int32Array;
  /** Counts when last looked at: they only grow. */
  #stringCount = 0;
  #shapeCount = 0;

  /** @throws RecordError when the memory is no dictionary of this version */
  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#bytes = Buffer.from(memory);
    this.#words = new Int32Array(memory);
    if (memory.byteLength !== DICTIONARY_BYTES || this.#words[DICTIONARY_FORMAT_WORD] !== DICTIONARY_FORMAT) {
      throw new RecordError('the memory that was given as a dictionary is none, or one of another version');
    }
    this.epoch = this.#words[DICTIONARY_EPOCH_WORD]! >>> 0;
  }

  /** Bytes that hold something. */
  get usedBytes(): number {
    const strings = Atomics.load(this.#words, DICTIONARY_STRING_COUNT_WORD);
    const shapes = Atomics.load(this.#words, DICTIONARY_SHAPE_COUNT_WORD);
    const tableBytes = strings * DICTIONARY_STRING_BYTES + shapes * DICTIONARY_SHAPE_BYTES;
    return DICTIONARY_HEAD_BYTES + tableBytes + this.#words[DICTIONARY_TEXT_BYTES_WORD]!;
  }

  /** @throws RecordError when there is no such string */
  string(id: number): string {
    if (id >= this.#stringCount) {
      this.#stringCount = Atomics.load(this.#words, DICTIONARY_STRING_COUNT_WORD);
      if (id >= this.#stringCount) throw this.#missing('string', id);
    }
    const text = this.#text((DICTIONARY_STRINGS_BYTE + id * DICTIONARY_STRING_BYTES) >>> 2);
    while (this.strings.length <= id) this.strings.push(undefined);
    this.strings[id] = text;
    return text;
  }

  /**
   * Keys of a shape, in their order. A key can occur twice, as in JSON.
   *
   * @throws RecordError when there is no such shape
   */
  keys(shape: number): readonly string[] {
    return this.#keys[shape] ?? this.#readKeys(shape);
  }

  #readKeys(shape: number): readonly string[] {
    if (shape >= this.#shapeCount) {
      this.#shapeCount = Atomics.load(this.#words, DICTIONARY_SHAPE_COUNT_WORD);
      if (shape >= this.#shapeCount) throw this.#missing('shape', shape);
    }
    const keys: string[] = [];
    for (let at = shape; at !== 0; ) {
      const word = (DICTIONARY_SHAPES_BYTE + at * DICTIONARY_SHAPE_BYTES) >>> 2;
      keys.push(this.#text(word + 1));
      at = this.#words[word]!;
    }
    keys.reverse();
    while (this.#keys.length <= shape) this.#keys.push(undefined);
    this.#keys[shape] = keys;
    return keys;
  }

  /** The text that the two words from `word` on describe. */
  #text(word: number): string {
    const begin = DICTIONARY_TEXT_BYTE + this.#words[word]!;
    const info = this.#words[word + 1]!;
    const end = begin + (info & DICTIONARY_LENGTH_MASK);
    return this.#bytes.toString((info & DICTIONARY_NON_ASCII) !== 0 ? 'utf8' : 'latin1', begin, end);
  }

  #missing(what: string, id: number): RecordError {
    return new RecordError(
      `epoch ${this.epoch} has no ${what} ${id}: the record is broken, or of another dictionary`,
    );
  }
}
