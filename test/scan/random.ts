/** Random numbers from a seed (mulberry32), so that a failure can be run again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

const DEFAULT_SEED = 20261130;

/** The seed of this run, which is printed: the same each time, or SCAN_SEED. */
export function runSeed(what: string): number {
  const seed = Number(process.env.SCAN_SEED ?? DEFAULT_SEED);
  console.log(`${what}: SCAN_SEED=${seed}`);
  return seed;
}
