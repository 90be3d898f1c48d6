/** Makes objects of records. A thread has one. */
import { literalText, type PathStep } from '../index/index.ts';
import type { DictionaryTable } from './dictionary-table.ts';
import { RecordError } from './errors.ts';
import { LoadedRecord } from './loaded-record.ts';
import { canCompile } from './makers.ts';
import { followPath } from './path.ts';
import { createValueReader, type ValueReader } from './value-reader.ts';
import { RecordWalker } from './walker.ts';

export interface RecordDecoderOptions {
  /**
   * Whether code is made for frequent shapes, which is about twice as fast.
   *
   * @default true, unless Node.js runs with `--disallow-code-generation-from-strings`
   */
  readonly compile?: boolean;
}

/**
 * Decodes one record at a time: first {@link load}, then any of the others, as often as wanted.
 *
 * Objects are plain, as JSON.parse makes them: keys in their order, the last one of two equal keys, `__proto__` an
 * ordinary key. Short strings and those of metadata are by themselves; a longer string elsewhere keeps the others of
 * its object, a few hundred bytes, as long as it lives.
 */
export class RecordDecoder {
  /** Whether code is made for frequent shapes. */
  readonly isCompiling: boolean;
  readonly #record: LoadedRecord;
  readonly #reader: ValueReader;
  readonly #walker: RecordWalker;
  #isOpen = false;

  constructor(dictionaries: DictionaryTable, options: RecordDecoderOptions = {}) {
    this.isCompiling = options.compile ?? canCompile();
    this.#record = new LoadedRecord(dictionaries);
    this.#reader = createValueReader(this.#record, { compiles: this.isCompiling });
    this.#walker = new RecordWalker(this.#record, this.#reader);
  }

  /**
   * Copies a record, so that nothing that happens to its place matters to what follows. Whoever reads shared memory
   * checks between this and the next call that the place was not given to another object.
   *
   * @throws RecordError when it can't be a record, by its length
   */
  load(bytes: Buffer, begin: number, end: number): void {
    this.#isOpen = false;
    this.#record.copy(bytes, begin, end);
  }

  /**
   * The object of the loaded record, which is the caller's alone.
   *
   * @throws RecordError when the record is broken; UnknownEpochError when its dictionary is not known
   */
  decode(): object {
    try {
      this.#open();
      return this.#reader.readAll() as object;
    } catch (error) {
      throw toRecordError(error);
    }
  }

  /**
   * The loaded record as JSON: with the numbers as the server sent them, but not the same bytes as it sent.
   *
   * @throws RecordError as {@link decode}
   */
  text(): string {
    try {
      this.#open();
      this.#walker.rewind();
      return this.#walker.json();
    } catch (error) {
      throw toRecordError(error);
    }
  }

  /** The values that a path leads to. Nothing else is decoded. @throws RecordError as {@link decode} */
  valuesAt(steps: readonly PathStep[]): unknown[] {
    const values: unknown[] = [];
    this.#follow(
      steps,
      (walker) => values.push(walker.value()),
      (key) => values.push(key),
    );
    return values;
  }

  /** The JSON of each value that a path leads to, as {@link text} prints it. @throws RecordError as {@link decode} */
  textsAt(steps: readonly PathStep[]): string[] {
    const texts: string[] = [];
    this.#follow(
      steps,
      (walker) => texts.push(walker.json()),
      (key) => texts.push(JSON.stringify(key)),
    );
    return texts;
  }

  /** The values that a path gives to an index, each once. @throws RecordError as {@link decode} */
  indexValuesAt(steps: readonly PathStep[]): string[] {
    const values = new Set<string>();
    this.#follow(
      steps,
      (walker) => {
        const value = indexValue(walker);
        if (value !== undefined) values.add(value);
      },
      (key) => values.add(key),
    );
    return [...values];
  }

  #follow(
    steps: readonly PathStep[],
    visit: (walker: RecordWalker) => void,
    visitKey: (key: string) => void,
  ): void {
    const walker = this.#walker;
    try {
      this.#open();
      followPath(walker, steps, () => visit(walker), visitKey);
    } catch (error) {
      throw toRecordError(error);
    }
  }

  #open(): void {
    if (!this.#isOpen) this.#record.open();
    this.#isOpen = true;
  }
}

/** Broken bytes can look like anything, such as a string of JSON that is none, or a thousand arrays in each other. */
function toRecordError(error: unknown): RecordError {
  return error instanceof RecordError ? error : new RecordError('a record is broken', { cause: error });
}

/** Undefined for what has no value in an index: null, maps and arrays. */
function indexValue(walker: RecordWalker): string | undefined {
  const { kind } = walker;
  if (kind === 'object' || kind === 'array') return undefined;
  return kind === 'string' ? (walker.value() as string) : literalText(walker.json());
}
