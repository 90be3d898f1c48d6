/**
 * Parses label selectors as the API server does, with its words for what is wrong.
 * Source: `Parser` in apimachinery's `pkg/labels/selector.go`.
 *
 * ```
 * selector    = [ requirement { "," requirement } ]
 * requirement = key | "!" key | key ("=" | "==" | "!=" | ">" | "<") [value] | key ("in" | "notin") "(" values ")"
 * values      = [value] { "," [value] }                       what is left out is the empty value
 * ```
 */
import { wrongKey, wrongValue } from './check-label.ts';
import { isInt64, LabelSelector, type Requirement } from './label-selector.ts';
import { LabelSelectorError } from './label-selector-error.ts';
import { type Token, tokenize } from './tokens.ts';

const OPERATORS = 'in, notin, =, ==, !=, gt, lt';

/**
 * Parses `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`, separated by commas.
 *
 * @throws LabelSelectorError when the text is no label selector; it says where and what is expected
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (typeof text !== 'string') {
    throw new LabelSelectorError(String(text), 0, `a label selector is a string, not ${typeof text}`);
  }
  return new LabelSelector(new Parser(text).parse());
}

/** Goes through one selector from left to right. */
class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#isEnd(this.#peek())) return requirements;
    const first = this.#peek();
    if (first.isSign && first.text !== '!') this.#fail(first, "expected: !, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.#requirement());
      const next = this.#take();
      if (this.#isEnd(next)) return requirements;
      if (next.text !== ',') this.#fail(next, "expected: ',' or 'end of string'");
      const after = this.#peek();
      if (after.isSign && after.text !== '!') this.#fail(after, "expected: identifier after ','");
    }
  }

  #requirement(): Requirement {
    const isAbsent = this.#peek().text === '!';
    if (isAbsent) this.#take();
    const token = this.#take();
    if (token.isSign) this.#failRequirement(token, 'expected: identifier');
    const key = token.text;
    const problem = wrongKey(key);
    if (problem !== undefined) this.#refuse(token, `key: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    if (isAbsent) return { key, operator: 'absent', values: [] };
    const next = this.#peek();
    if (this.#isEnd(next) || next.text === ',') return { key, operator: 'exists', values: [] };
    return this.#comparison(key, this.#take());
  }

  #comparison(key: string, operator: Token): Requirement {
    switch (operator.text) {
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#value(key)] };
      case '!=':
        return { key, operator: 'notin', values: [this.#value(key)] };
      case '>':
        return { key, operator: 'gt', values: [this.#bound()] };
      case '<':
        return { key, operator: 'lt', values: [this.#bound()] };
      case 'in':
      case 'notin':
        return { key, operator: operator.text, values: this.#values(key) };
      default:
        return this.#failRequirement(operator, `expected: ${OPERATORS}`);
    }
  }

  /** A value may be empty: `a=` selects objects whose label `a` is the empty text. */
  #value(key: string): string {
    const next = this.#peek();
    if (this.#isEnd(next) || next.text === ',') return '';
    if (next.isSign) this.#failRequirement(next, 'expected: identifier');
    return this.#checked(key, this.#take());
  }

  #bound(): string {
    const token = this.#peek();
    const bound = this.#isEnd(token) || token.text === ',' ? '' : this.#take().text;
    if (!isInt64(bound)) {
      this.#refuse(
        token,
        `values[0]: Invalid value: ${JSON.stringify(bound)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
    return bound;
  }

  #values(key: string): string[] {
    const opening = this.#take();
    // The server leaves out the comma here.
    if (opening.text !== '(') this.#refuse(opening, `found '${opening.text}' expected: '('`);
    const values = new Set<string>();
    for (;;) {
      const next = this.#peek();
      if (next.text === ',' || next.text === ')') values.add('');
      else if (next.isSign) this.#failRequirement(next, "expected: ',', ')' or identifier");
      else values.add(this.#checked(key, this.#take()));
      const after = this.#take();
      if (after.text === ')') return [...values];
      if (after.text !== ',') this.#failRequirement(after, "expected: ',' or ')'");
    }
  }

  #checked(key: string, token: Token): string {
    const problem = wrongValue(token.text);
    if (problem !== undefined) {
      this.#refuse(token, `values[0][${key}]: Invalid value: ${JSON.stringify(token.text)}: ${problem}`);
    }
    return token.text;
  }

  #isEnd(token: Token): boolean {
    return token.isSign && token.text === '';
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  /** The end can be taken again and again. */
  #take(): Token {
    const token = this.#tokens[this.#at]!;
    if (!this.#isEnd(token)) this.#at++;
    return token;
  }

  #fail(found: Token, expected: string): never {
    throw new LabelSelectorError(this.#text, found.position, `found '${found.text}', ${expected}`);
  }

  #failRequirement(found: Token, expected: string): never {
    this.#refuse(found, `found '${found.text}', ${expected}`);
  }

  #refuse({ position }: Token, reason: string): never {
    throw new LabelSelectorError(this.#text, position, `unable to parse requirement: ${reason}`);
  }
}
