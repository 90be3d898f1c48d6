/** Follows a field path through the bytes of an object, of which nothing else is decoded. */
import { compileAccessor } from './accessor.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isKey,
  JsonBytesError,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './json-bytes.ts';
import type { PathStep } from './path-step.ts';
import { plainValues } from './plain-values.ts';
import { literalText } from './value-text.ts';

/** Called with the first byte of a value, and the byte behind it. */
type Visit = (from: number, end: number) => void;

type ByteStep =
  | { readonly key: string; readonly bytes: Buffer }
  | { readonly each: true }
  | { readonly at: number }
  | { readonly where: string; readonly bytes: Buffer; readonly is: string | number | boolean }
  | { readonly keys: true };

/** A field path that reads JSON as it lies in memory. A key that occurs twice counts with its last value. */
export class BytePath {
  /** False when the path can lead to several values: it has `[*]`, a filter or `keys(…)`. */
  readonly isSingle: boolean;
  /** What it was made of, for those who follow it through another form of an object. */
  readonly steps: readonly PathStep[];
  readonly #steps: readonly ByteStep[];
  #accessor: ((object: unknown) => string[]) | undefined;

  /** @param steps - from `parseFieldPath` */
  constructor(steps: readonly PathStep[]) {
    this.steps = steps;
    this.#steps = steps.map(toByteStep);
    this.isSingle = steps.every((step) => 'key' in step || 'at' in step);
  }

  /**
   * The JSON of each value that the path leads to, in the order of the object.
   *
   * @param bytes - UTF-8, an object from `from` to `end`
   * @throws JsonBytesError when the bytes are no JSON on the way
   */
  texts(bytes: Buffer, from: number, end: number): string[] {
    const texts: string[] = [];
    this.#walk(bytes, from, end, (begin, stop) => texts.push(bytes.toString('utf8', begin, stop)));
    return texts;
  }

  /**
   * The values as index functions have them, each once: the same that the scanner takes.
   *
   * @throws JsonBytesError as {@link texts}
   */
  indexValues(bytes: Buffer, from: number, end: number): string[] {
    const values = new Set<string>();
    this.#walk(bytes, from, end, (begin, stop) => {
      const value = indexValue(bytes, begin, stop);
      if (value !== undefined) values.add(value);
    });
    return [...values];
  }

  /** What {@link texts} gives, of an object that is decoded already. */
  valuesIn(object: unknown): unknown[] {
    return plainValues(this.steps, object);
  }

  /** What {@link indexValues} gives, of an object that is decoded already. */
  indexValuesIn(object: unknown): string[] {
    this.#accessor ??= compileAccessor(this.steps);
    return this.#accessor(object);
  }

  /**
   * The value of a path that begins with a filter, of one element of the array.
   *
   * @throws JsonBytesError as {@link texts}
   */
  elementValue(element: Buffer): string | undefined {
    const step = this.#steps[0]!;
    const end = element.length;
    if (!('where' in step) || !isWanted(step, 0, element, 0, end)) return undefined;
    let value: string | undefined;
    walk(this.#steps, 1, element, 0, end, (from, stop) => {
      value = indexValue(element, from, stop);
    });
    return value;
  }

  #walk(bytes: Buffer, from: number, end: number, visit: Visit): void {
    const start = skipSpace(bytes, from, end);
    if (start >= end) throw new JsonBytesError(start, 'an object');
    walk(this.#steps, 0, bytes, start, end, visit);
  }
}

/** Undefined for what has no value in an index: null, maps and arrays. */
function indexValue(bytes: Buffer, from: number, end: number): string | undefined {
  const first = bytes[from];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return undefined;
  const text = bytes.toString('utf8', from, end);
  return first === QUOTE ? (JSON.parse(text) as string) : literalText(text);
}

function toByteStep(step: PathStep): ByteStep {
  if ('key' in step) return { key: step.key, bytes: Buffer.from(step.key) };
  return 'where' in step ? { ...step, bytes: Buffer.from(step.where) } : step;
}

/** @param from - the first byte of a value, which ends at `end` or before */
function walk(
  steps: readonly ByteStep[],
  index: number,
  bytes: Buffer,
  from: number,
  end: number,
  visit: Visit,
): void {
  const step = steps[index];
  if (step === undefined) {
    visit(from, skipValue(bytes, from, end));
    return;
  }
  const first = bytes[from];
  if ('key' in step) {
    const value = first === OPEN_BRACE ? findMember(bytes, from, end, step.bytes, step.key) : -1;
    if (value !== -1) walk(steps, index + 1, bytes, value, end, visit);
  } else if ('keys' in step) {
    if (first === OPEN_BRACE) visitKeys(bytes, from, end, visit);
  } else if (first === OPEN_BRACKET) {
    let position = 0;
    visitElements(bytes, from, end, (begin, stop) => {
      if (isWanted(step, position++, bytes, begin, stop)) walk(steps, index + 1, bytes, begin, stop, visit);
    });
  }
}

function isWanted(
  step: Exclude<ByteStep, { key: string } | { keys: true }>,
  position: number,
  bytes: Buffer,
  from: number,
  end: number,
): boolean {
  if ('each' in step) return true;
  if ('at' in step) return step.at === position;
  if (bytes[from] !== OPEN_BRACE) return false;
  const value = findMember(bytes, from, end, step.bytes, step.where);
  if (value === -1 || bytes[value] === OPEN_BRACE || bytes[value] === OPEN_BRACKET) return false;
  return JSON.parse(bytes.toString('utf8', value, skipValue(bytes, value, end))) === step.is;
}

/** First byte of the last value of a key, or -1. The whole object is looked at: a later one would count. */
function findMember(bytes: Buffer, from: number, end: number, key: Buffer, text: string): number {
  let found = -1;
  let at = skipSpace(bytes, from + 1, end);
  if (bytes[at] === CLOSE_BRACE) return found;
  for (;;) {
    const keyEnd = passKey(bytes, at, end);
    const value = passColon(bytes, keyEnd, end);
    if (isKey(bytes, at, keyEnd, key, text)) found = value;
    at = skipSpace(bytes, skipValue(bytes, value, end), end);
    if (bytes[at] === CLOSE_BRACE) return found;
    at = passComma(bytes, at, end);
  }
}

function visitKeys(bytes: Buffer, from: number, end: number, visit: Visit): void {
  let at = skipSpace(bytes, from + 1, end);
  if (bytes[at] === CLOSE_BRACE) return;
  for (;;) {
    const keyEnd = passKey(bytes, at, end);
    visit(at, keyEnd);
    at = skipSpace(bytes, skipValue(bytes, passColon(bytes, keyEnd, end), end), end);
    if (bytes[at] === CLOSE_BRACE) return;
    at = passComma(bytes, at, end);
  }
}

function visitElements(bytes: Buffer, from: number, end: number, visit: Visit): void {
  let at = skipSpace(bytes, from + 1, end);
  if (bytes[at] === CLOSE_BRACKET) return;
  for (;;) {
    const stop = skipValue(bytes, at, end);
    visit(at, stop);
    at = skipSpace(bytes, stop, end);
    if (bytes[at] === CLOSE_BRACKET) return;
    at = passComma(bytes, at, end);
  }
}

function passKey(bytes: Buffer, at: number, end: number): number {
  if (at >= end || bytes[at] !== QUOTE) throw new JsonBytesError(at, 'a key');
  return skipString(bytes, at, end);
}

/** @returns the first byte of the value behind the colon */
function passColon(bytes: Buffer, keyEnd: number, end: number): number {
  const at = skipSpace(bytes, keyEnd, end);
  if (at >= end || bytes[at] !== COLON) throw new JsonBytesError(at, "':'");
  return skipSpace(bytes, at + 1, end);
}

/** @returns the first byte of the key or value behind the comma */
function passComma(bytes: Buffer, at: number, end: number): number {
  if (at >= end || bytes[at] !== COMMA) throw new JsonBytesError(at, "',' or a closing bracket");
  return skipSpace(bytes, at + 1, end);
}
