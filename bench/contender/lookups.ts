/** Looks objects up by node at a rate, in small batches, while events come. */

export interface Lookups {
  /** All nodes that an object is on. */
  readonly nodes: () => readonly string[];
  /** Keys of the objects on a node. */
  readonly onNode: (node: string) => Iterable<string>;
}

const PERIOD_MS = 5;
/** After a stall the rest waits for the next turn: a burst would be a stall of its own. */
const MOST_AT_ONCE = 50;

export class LookupLoop {
  done = 0;
  /** Keys that were found, and their lengths, so that they have to be made. */
  found = 0;
  letters = 0;
  readonly #lookups: Lookups;
  readonly #perMs: number;
  readonly #nodes: readonly string[];
  readonly #startMs = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(lookups: Lookups, perSecond: number) {
    this.#lookups = lookups;
    this.#perMs = perSecond / 1000;
    this.#nodes = lookups.nodes();
    this.#timer = setInterval(() => this.#batch(), PERIOD_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #batch(): void {
    if (this.#nodes.length === 0) return;
    const due = Math.floor((performance.now() - this.#startMs) * this.#perMs) - this.done;
    for (let left = Math.min(due, MOST_AT_ONCE); left > 0; left--) {
      const node = this.#nodes[this.done++ % this.#nodes.length]!;
      for (const key of this.#lookups.onNode(node)) {
        this.found++;
        this.letters += key.length;
      }
    }
  }
}
