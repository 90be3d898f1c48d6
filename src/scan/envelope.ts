/** The members of a list's root object that are not its items, each parsed when it has come. */
export class Envelope {
  // A Map keeps the place of a key's first occurrence and the value of its last, as JSON.parse does.
  readonly #members = new Map<string, unknown>();
  #bytes = 0;

  /** How many bytes were added, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws SyntaxError when the value is not JSON */
  add(key: string, valueText: string, valueBytes: number): void {
    this.#members.set(key, JSON.parse(valueText));
    this.#bytes += key.length + valueBytes;
  }

  toObject(): Record<string, unknown> {
    return Object.fromEntries(this.#members);
  }

  /** The member, when it is a string. */
  text(key: string): string | undefined {
    const value = this.#members.get(key);
    return typeof value === 'string' ? value : undefined;
  }
}
