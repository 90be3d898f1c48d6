/**
 * Rows in the order in which they were last used: a doubly linked list in a typed array. Links between objects would
 * do the same, but each of their writes tells the garbage collector, and they lie all over the heap.
 */

/** Stands before the oldest row and behind the newest: no end is a special case. */
const ENDS = 0;

/** Words of a row: the row that was used after it, and the one before. In one array, so that they share a cache line. */
const LINKS = 2;

const INITIAL_ROWS = 64;

export class Recency {
  #links = new Int32Array(LINKS * INITIAL_ROWS);
  /** Rows from here on were never used. */
  #end = 1;
  /** Rows that were taken out are chained by their first link; 0 ends the chain. */
  #free = 0;

  /** The row that was not used for the longest time; 0 when there is none. */
  get oldest(): number {
    return this.#links[ENDS]!;
  }

  /** A new row, used now. Rows are small numbers from 1 on, and given again after `remove`. */
  add(): number {
    const row = this.#take();
    append(this.#links, row);
    return row;
  }

  /** The row is used now. */
  touch(row: number): void {
    const links = this.#links;
    if (links[ENDS + 1] === row) return;
    unlink(links, row);
    append(links, row);
  }

  remove(row: number): void {
    unlink(this.#links, row);
    this.#links[row * LINKS] = this.#free;
    this.#free = row;
  }

  #take(): number {
    const row = this.#free;
    if (row !== 0) {
      this.#free = this.#links[row * LINKS]!;
      return row;
    }
    if (this.#end * LINKS === this.#links.length) {
      const more = new Int32Array(2 * this.#links.length);
      more.set(this.#links);
      this.#links = more;
    }
    return this.#end++;
  }
}

function append(links: Int32Array, row: number): void {
  const newest = links[ENDS + 1]!;
  links[newest * LINKS] = row;
  links[row * LINKS] = ENDS;
  links[row * LINKS + 1] = newest;
  links[ENDS + 1] = row;
}

function unlink(links: Int32Array, row: number): void {
  const newer = links[row * LINKS]!;
  const older = links[row * LINKS + 1]!;
  links[older * LINKS] = newer;
  links[newer * LINKS + 1] = older;
}
