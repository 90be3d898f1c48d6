/**
 * A strict JSON parser, as the oracle where JSON.parse can't be one: V8 mixes up escaped keys
 * (nodejs/node#63785).
 */
export function parseJson(text: string): unknown {
  const parser = { text, at: 0 };
  const value = parseValue(parser);
  skipSpace(parser);
  if (parser.at !== text.length) throw new SyntaxError(`more text at ${parser.at}`);
  return value;
}

/**
 * Parses values that follow each other with white space between them, as in a watch stream.
 *
 * @returns the values up to the first thing that is none, and whether there is such a thing
 */
export function parseJsonSequence(text: string): { values: unknown[]; isBroken: boolean } {
  const parser = { text, at: 0 };
  const values: unknown[] = [];
  try {
    for (skipSpace(parser); parser.at < text.length; skipSpace(parser)) values.push(parseValue(parser));
    return { values, isBroken: false };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { values, isBroken: true };
  }
}

interface Parser {
  readonly text: string;
  at: number;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORDS = { true: true, false: false, null: null };

function match(parser: Parser, pattern: RegExp): string | undefined {
  pattern.lastIndex = parser.at;
  const found = pattern.exec(parser.text)?.[0];
  if (found !== undefined) parser.at += found.length;
  return found;
}

function skipSpace(parser: Parser): void {
  match(parser, SPACE);
}

function take(parser: Parser, token: string): boolean {
  skipSpace(parser);
  if (!parser.text.startsWith(token, parser.at)) return false;
  parser.at += token.length;
  return true;
}

function expect(parser: Parser, token: string): void {
  if (!take(parser, token)) throw new SyntaxError(`no ${token} at ${parser.at}`);
}

function parseString(parser: Parser): string {
  skipSpace(parser);
  const found = match(parser, STRING);
  if (found === undefined) throw new SyntaxError(`no string at ${parser.at}`);
  return JSON.parse(found) as string;
}

function parseValue(parser: Parser): unknown {
  if (take(parser, '{')) return parseObject(parser);
  if (take(parser, '[')) return parseArray(parser);
  for (const [word, value] of Object.entries(WORDS)) if (take(parser, word)) return value;
  if (parser.text[parser.at] === '"') return parseString(parser);
  const found = match(parser, NUMBER);
  if (found === undefined) throw new SyntaxError(`no value at ${parser.at}`);
  return Number(found);
}

function parseObject(parser: Parser): unknown {
  const members = new Map<string, unknown>();
  if (take(parser, '}')) return {};
  do {
    const key = parseString(parser);
    expect(parser, ':');
    members.set(key, parseValue(parser));
  } while (take(parser, ','));
  expect(parser, '}');
  return Object.fromEntries(members);
}

function parseArray(parser: Parser): unknown {
  const elements: unknown[] = [];
  if (take(parser, ']')) return elements;
  do elements.push(parseValue(parser));
  while (take(parser, ','));
  expect(parser, ']');
  return elements;
}
