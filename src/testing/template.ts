/** Text with named holes, cut once, so that filling it is one concatenation. */
export class Template<Hole extends string> {
  /** Text and holes in turn, text first and last. */
  readonly #pieces: readonly string[];

  /** @param text - with holes like `@NAME@` */
  constructor(text: string) {
    this.#pieces = text.split(HOLE);
  }

  /** The text with all holes filled. */
  fill(values: Readonly<Record<Hole, string>>): string {
    const pieces = this.#pieces;
    let text = pieces[0]!;
    for (let i = 1; i < pieces.length; i += 2) text += values[pieces[i] as Hole] + pieces[i + 1]!;
    return text;
  }
}

const HOLE = /@([A-Z0-9]+)@/;
