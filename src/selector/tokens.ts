/** What the text of a label selector is made of: names and values, and the signs between them. */

export interface Token {
  /** '' at the end of the text. */
  readonly text: string;
  /** Character of the selector where it starts. */
  readonly position: number;
  readonly isSign: boolean;
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|=|!|<|>|\(|\)|,)|([^ \t\r\n=!<>(),]+))/y;

/** All tokens of a selector; the last one is the end. */
export function tokenize(selector: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(selector); match !== null; match = TOKEN.exec(selector)) {
    const text = match[1] ?? match[2]!;
    tokens.push({ text, position: TOKEN.lastIndex - text.length, isSign: match[1] !== undefined });
  }
  tokens.push({ text: '', position: selector.length, isSign: true });
  return tokens;
}
