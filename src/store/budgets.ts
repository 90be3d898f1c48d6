/** What the users of an arena have of it: bytes by source, and limits that several sources share. */

/** A limit, and the bytes that its sources have together. */
export interface Budget {
  limitBytes: number;
  usedBytes: number;
}

interface Consumer {
  readonly source: number;
  readonly bytes: number;
}

export class Budgets {
  readonly #usedBySource = new Map<number, number>();
  readonly #bySource = new Map<number, Budget>();
  readonly #byGroup = new Map<number, Budget>();

  /**
   * Limits a source. Harmless when that was done already.
   *
   * @param group - the sources of one group share the sum of their limits
   */
  limit(source: number, group: number, limitBytes: number): void {
    if (this.#bySource.has(source)) return;
    const budget = this.#byGroup.get(group) ?? { limitBytes: 0, usedBytes: 0 };
    budget.limitBytes += limitBytes;
    this.#byGroup.set(group, budget);
    this.#bySource.set(source, budget);
  }

  /** The limit that has no room for so many bytes more of this source; undefined when there is none. */
  exceeded(source: number, bytes: number): Budget | undefined {
    if (this.#bySource.size === 0) return undefined;
    const budget = this.#bySource.get(source);
    return budget !== undefined && budget.usedBytes + bytes > budget.limitBytes ? budget : undefined;
  }

  add(source: number, bytes: number): void {
    this.#usedBySource.set(source, (this.#usedBySource.get(source) ?? 0) + bytes);
    if (this.#bySource.size === 0) return;
    const budget = this.#bySource.get(source);
    if (budget !== undefined) budget.usedBytes += bytes;
  }

  /**
   * Bytes in use by source, the largest first.
   *
   * @param budget - only of those that share this one
   */
  largest(budget?: Budget): Consumer[] {
    return [...this.#usedBySource]
      .filter(
        ([source, bytes]) => bytes > 0 && (budget === undefined || this.#bySource.get(source) === budget),
      )
      .map(([source, bytes]) => ({ source, bytes }))
      .sort((a, b) => b.bytes - a.bytes);
  }
}
