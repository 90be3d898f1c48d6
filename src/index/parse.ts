/**
 * Parses field paths, a subset of JSONPath:
 *
 * ```
 * path   = ["$"] steps | "keys(" ["$"] steps ")"
 * steps  = first-step { "." name | "[" element "]" }      the dot before the first name may be left out
 * name   = a letter or "_", then letters, digits, "_", "-"
 * element = "*" | number | 'key' | "key" | "?(@" key "==" literal ")"
 * key    = "." name | "['key']"                           quoted keys may have the escapes of JSON, and \'
 * literal = true | false | number | 'text' | "text"
 * ```
 *
 * Behind a filter, `[?(…)]`, come names and numbers only: an element gives at most one value.
 */
import { SCAN_MAX_KEY_BYTES } from '../layout/scan.ts';
import { FieldPathError, type FieldPathErrorCode } from './field-path-error.ts';
import { kindOf } from './kind-of.ts';
import { MAX_PATH_LENGTH, MAX_PATH_STEPS, type PathStep } from './path-step.ts';

/** Array indexes have at most this many digits: more elements than that don't fit an object. */
const MAX_INDEX_DIGITS = 6;

const KEYS_CALL = 'keys(';

const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const NUMBER = /0|[1-9][0-9]*/y;
const SPACE = / */y;
const LITERAL = /true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const HEX = /[0-9A-Fa-f]{4}/y;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/**
 * Parses a field path such as `spec.nodeName`, `metadata.ownerReferences[*].uid`,
 * `metadata.labels['app.kubernetes.io/name']`, `status.podIPs[0].ip`, `keys(metadata.labels)` or
 * `status.conditions[?(@.type=='Ready')].status`.
 *
 * @throws FieldPathError when it is not a field path; it says where and what is allowed
 */
export function parseFieldPath(text: string): readonly PathStep[] {
  if (typeof text !== 'string') {
    throw new FieldPathError(
      'FIELD_PATH_TYPE',
      `a field path is a string, not ${kindOf(text)}`,
      String(text),
    );
  }
  if (text.length > MAX_PATH_LENGTH) {
    const message = `a field path has at most ${MAX_PATH_LENGTH} characters, not ${text.length}`;
    throw new FieldPathError('FIELD_PATH_LIMIT', message, text);
  }
  return new PathParser(text).parse();
}

/** Goes through one path from left to right. */
class PathParser {
  readonly #text: string;
  readonly #steps: PathStep[] = [];
  #at = 0;
  #hasFilter = false;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): readonly PathStep[] {
    const isKeys = this.#skip(KEYS_CALL);
    this.#parseSteps();
    if (isKeys) {
      if (this.#hasFilter) this.#fail('no keys(…) of a path with a filter', 'FIELD_PATH_SYNTAX');
      if (!this.#skip(')')) this.#fail("'.', '[' or the ')' of keys(…)");
      this.#add({ keys: true });
    }
    if (this.#at < this.#text.length) {
      this.#fail(
        isKeys
          ? 'nothing behind keys(…)'
          : "'.' or '[' (other characters of a key go in brackets and quotes)",
      );
    }
    return this.#steps;
  }

  #parseSteps(): void {
    const isRooted = this.#skip('$');
    if (!isRooted && this.#text[this.#at] !== '.' && this.#text[this.#at] !== '[') this.#parseName();
    for (;;) {
      if (this.#skip('.')) this.#parseName();
      else if (this.#skip('[')) this.#parseElement();
      else break;
    }
    if (this.#steps.length === 0) this.#fail("'.' or '[' and a name: a path has at least one step");
  }

  #parseName(): void {
    const name = this.#match(NAME);
    if (name === undefined)
      this.#fail('a name of letters, digits, "_" and "-" (others go in brackets and quotes)');
    this.#addKey(name);
  }

  #parseElement(): void {
    const first = this.#text[this.#at];
    if (first === "'" || first === '"') this.#addKey(this.#parseQuoted());
    else if (this.#hasFilter) this.#add({ at: this.#parseIndex() });
    else if (this.#skip('*')) this.#add({ each: true });
    else if (this.#skip('?(@')) this.#parseFilter();
    else this.#add({ at: this.#parseIndex() });
    if (!this.#skip(']')) this.#fail("']'");
  }

  /** Behind `[?(@`. */
  #parseFilter(): void {
    const where = this.#parseFilterKey();
    this.#match(SPACE);
    if (!this.#skip('==')) this.#fail("'==' and a value");
    this.#match(SPACE);
    this.#add({ where, is: this.#parseLiteral() });
    this.#hasFilter = true;
    this.#match(SPACE);
    if (!this.#skip(')')) this.#fail("')'");
  }

  #parseFilterKey(): string {
    if (this.#skip('.')) {
      const name = this.#match(NAME);
      return name ?? this.#fail('a name of letters, digits, "_" and "-"');
    }
    const start = this.#text[this.#at + 1];
    if (this.#text[this.#at] !== '[' || (start !== "'" && start !== '"')) this.#fail("'.' or '[' and a key");
    this.#at++;
    const key = this.#parseQuoted();
    if (!this.#skip(']')) this.#fail("']'");
    return key;
  }

  #parseLiteral(): string | number | boolean {
    const first = this.#text[this.#at];
    if (first === "'" || first === '"') return this.#parseQuoted();
    const literal = this.#match(LITERAL);
    if (literal === undefined) this.#fail('true, false, a number or a text in quotes');
    return JSON.parse(literal) as number | boolean;
  }

  #parseIndex(): number {
    const start = this.#at;
    const digits = this.#match(NUMBER);
    if (digits === undefined) {
      this.#fail(
        this.#hasFilter
          ? 'an array index or a key in quotes (behind a filter)'
          : "'*', an array index, a key in quotes or a filter ?(@.key==value)",
      );
    }
    if (digits.length > MAX_INDEX_DIGITS) {
      this.#at = start;
      this.#fail(`an array index of at most ${MAX_INDEX_DIGITS} digits`, 'FIELD_PATH_LIMIT');
    }
    return Number(digits);
  }

  #parseQuoted(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++]!;
    let key = '';
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) this.#fail(`the ${quote} that ends the key from position ${start} on`);
      this.#at++;
      if (char === quote) break;
      key += char === '\\' ? this.#parseEscape() : char;
    }
    if (!key.isWellFormed()) {
      this.#at = start;
      this.#fail('a key without half a surrogate pair: no key of JSON in UTF-8 has one');
    }
    return key;
  }

  /** Behind a backslash. */
  #parseEscape(): string {
    if (this.#skip('u')) {
      const digits = this.#match(HEX);
      if (digits === undefined) this.#fail('four hexadecimal digits');
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const escaped = ESCAPES.get(this.#text[this.#at] ?? '');
    if (escaped === undefined) this.#fail('one of \\\' \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u');
    this.#at++;
    return escaped;
  }

  #addKey(key: string): void {
    if (Buffer.byteLength(key) > SCAN_MAX_KEY_BYTES) {
      this.#fail(`a key of at most ${SCAN_MAX_KEY_BYTES} bytes`, 'FIELD_PATH_LIMIT');
    }
    this.#add({ key });
  }

  #add(step: PathStep): void {
    if (this.#steps.length === MAX_PATH_STEPS) {
      this.#fail(`the end: a path has at most ${MAX_PATH_STEPS} steps`, 'FIELD_PATH_LIMIT');
    }
    this.#steps.push(step);
  }

  #skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(allowed: string, code: FieldPathErrorCode = 'FIELD_PATH_SYNTAX'): never {
    const found = this.#at < this.#text.length ? JSON.stringify(this.#text[this.#at]) : 'the end';
    const message = `field path ${JSON.stringify(this.#text)} is wrong at position ${this.#at}: found ${found}, allowed is ${allowed}`;
    throw new FieldPathError(code, message, this.#text, this.#at);
  }
}
