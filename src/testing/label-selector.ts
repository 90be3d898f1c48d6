import type { Filter } from './selectors.ts';
import { badRequest } from './status.ts';
import type { StoredObject } from './stored-object.ts';

/** What the text of a label selector is made of: names and values, and the signs between them. */
const TOKEN = /\s*(?:(==|!=|=|!|<|>|\(|\)|,)|([^\s=!<>(),]+))/y;

const END = '';

/** No label has this value: spaces are not allowed in them. */
const ABSENT = ' ';

const OPERATORS = 'in, notin, =, ==, !=, gt, lt';
const SIGNS = new Set(['==', '!=', '=', '!', '<', '>', '(', ')', ',', END]);

/**
 * Compiles a label selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`,
 * separated by commas.
 *
 * @throws ApiStatusError (400), with the message that the real server would give
 */
export function compileLabelSelector(text: string): Filter[] {
  return new Parser(tokenize(text)).parse();
}

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    tokens.push(match[1] ?? match[2]!);
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parse(): Filter[] {
    const filters: Filter[] = [];
    if (this.#peek() === END) return filters;
    if (this.#peek() !== '!' && SIGNS.has(this.#peek())) {
      throw badRequest(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
    }
    for (;;) {
      filters.push(this.#requirement());
      const next = this.#take();
      if (next === END) return filters;
      if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after !== '!' && SIGNS.has(after)) {
        throw badRequest(`found '${after}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Filter {
    if (this.#peek() === '!') {
      this.#take();
      const key = this.#identifier();
      return (object) => labelOf(object, key) === undefined;
    }
    const key = this.#identifier();
    if (this.#peek() === ',' || this.#peek() === END) return (object) => labelOf(object, key) !== undefined;
    return this.#comparison(key, this.#take());
  }

  #comparison(key: string, operator: string): Filter {
    switch (operator) {
      case '=':
      case '==': {
        const value = this.#value();
        return (object) => labelOf(object, key) === value;
      }
      case '!=': {
        const value = this.#value();
        return (object) => labelOf(object, key) !== value;
      }
      case 'in': {
        const values = this.#values();
        return (object) => values.has(labelOf(object, key) ?? ABSENT);
      }
      case 'notin': {
        const values = this.#values();
        return (object) => !values.has(labelOf(object, key) ?? ABSENT);
      }
      case '<':
      case '>': {
        const bound = Number(this.#value());
        const sign = operator === '<' ? -1 : 1;
        return (object) => (Number(labelOf(object, key) ?? NaN) - bound) * sign > 0;
      }
      default:
        throw badRequest(`unable to parse requirement: found '${operator}', expected: ${OPERATORS}`);
    }
  }

  /** A value may be empty: `a=` selects objects whose label `a` is the empty text. */
  #value(): string {
    const next = this.#peek();
    if (next === END || next === ',') return '';
    if (SIGNS.has(next))
      throw badRequest(`unable to parse requirement: found '${next}', expected: identifier`);
    return this.#take();
  }

  #values(): Set<string> {
    const opening = this.#take();
    if (opening !== '(') throw badRequest(`unable to parse requirement: found '${opening}' expected: '('`);
    const values = new Set<string>();
    for (;;) {
      values.add(this.#peek() === ')' ? '' : this.#value());
      const next = this.#take();
      if (next === ')') return values;
      if (next !== ',') {
        throw badRequest(`unable to parse requirement: found '${next}', expected: ',' or ')'`);
      }
    }
  }

  #identifier(): string {
    const next = this.#take();
    if (SIGNS.has(next))
      throw badRequest(`unable to parse requirement: found '${next}', expected: identifier`);
    return next;
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? END;
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? END;
  }
}

/** A label may be called `constructor`: only own keys count. */
function labelOf(object: StoredObject, key: string): string | undefined {
  return Object.hasOwn(object.labels, key) ? object.labels[key] : undefined;
}
