/**
 * What one reflector has put on the ring last: per object a hash of its key and a hash of uid and
 * resourceVersion. A relist compares with it, and sends a mark instead of a body for what did not change. It
 * is never compared with the store, which lags. Both hashes have 64 bits and a secret seed, so nobody can
 * choose names or versions that look alike.
 *
 * ```
 *  row   0        4        8            12           16      20
 *        ┌────────┬────────┬────────────┬────────────┬───────┐
 *        │ key lo │ key hi │ version lo │ version hi │ sweep │   sweep 0: the row is free
 *        └────────┴────────┴────────────┴────────────┴───────┘
 * ```
 *
 * The memory is this worker's own. Open addressing with linear probing; a row that is given up is filled by
 * shifting back the rows behind it.
 */

const ROW_WORDS = 5;
const KEY_LO = 0;
const KEY_HI = 1;
const VERSION_LO = 2;
const VERSION_HI = 3;
const SWEEP = 4;

const FIRST_ROWS = 256;

/** Share of rows in use at which the table doubles: 28 to 57 bytes per object, and probes are still short. */
const MAX_FILL = 0.7;

export class Ledger {
  #words = new Int32Array(FIRST_ROWS * ROW_WORDS);
  #mask = FIRST_ROWS - 1;
  #size = 0;
  /** Number of the Replace that runs or ran last; never 0. */
  #sweep = 1;

  /** Objects that are noted. */
  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  /** A Replace begins: what is not seen until its end is forgotten then. */
  beginSweep(): void {
    this.#sweep = (this.#sweep + 1) | 0 || 1;
  }

  /** A Replace ended. */
  endSweep(): void {
    const stale: number[] = [];
    for (let row = 0; row < this.#words.length; row += ROW_WORDS) {
      const sweep = this.#words[row + SWEEP]!;
      if (sweep !== 0 && sweep !== this.#sweep)
        stale.push(this.#words[row + KEY_LO]!, this.#words[row + KEY_HI]!);
    }
    for (let i = 0; i < stale.length; i += 2) this.delete(stale[i]!, stale[i + 1]!);
  }

  /** True when this version of the object was put last. Counts as seen by the running Replace. */
  isSame(keyLo: number, keyHi: number, versionLo: number, versionHi: number): boolean {
    const row = this.#find(keyLo, keyHi);
    const words = this.#words;
    if (words[row + SWEEP] === 0) return false;
    if (words[row + VERSION_LO] !== versionLo || words[row + VERSION_HI] !== versionHi) return false;
    words[row + SWEEP] = this.#sweep;
    return true;
  }

  /** Notes a version that was put on the ring. */
  set(keyLo: number, keyHi: number, versionLo: number, versionHi: number): void {
    let row = this.#find(keyLo, keyHi);
    if (this.#words[row + SWEEP] === 0) {
      if (this.#size + 1 > (this.#mask + 1) * MAX_FILL) {
        this.#grow();
        row = this.#find(keyLo, keyHi);
      }
      this.#size++;
    }
    const words = this.#words;
    words[row + KEY_LO] = keyLo;
    words[row + KEY_HI] = keyHi;
    words[row + VERSION_LO] = versionLo;
    words[row + VERSION_HI] = versionHi;
    words[row + SWEEP] = this.#sweep;
  }

  /** The object is gone, or what was put last is not its state: the next list sends it whole. */
  delete(keyLo: number, keyHi: number): void {
    let hole = this.#find(keyLo, keyHi);
    const words = this.#words;
    if (words[hole + SWEEP] === 0) return;
    this.#size--;
    for (let row = this.#next(hole); words[row + SWEEP] !== 0; row = this.#next(row)) {
      const wanted = this.#home(words[row + KEY_LO]!);
      // A row may move to the hole unless its own place lies behind the hole.
      const isBehindHole = hole <= row ? wanted > hole && wanted <= row : wanted > hole || wanted <= row;
      if (isBehindHole) continue;
      words.copyWithin(hole, row, row + ROW_WORDS);
      hole = row;
    }
    words[hole + SWEEP] = 0;
  }

  /** The row of a key, or the free row where it belongs. */
  #find(keyLo: number, keyHi: number): number {
    const words = this.#words;
    let row = this.#home(keyLo);
    while (words[row + SWEEP] !== 0 && (words[row + KEY_LO] !== keyLo || words[row + KEY_HI] !== keyHi)) {
      row = this.#next(row);
    }
    return row;
  }

  #home(keyLo: number): number {
    return (keyLo & this.#mask) * ROW_WORDS;
  }

  #next(row: number): number {
    const next = row + ROW_WORDS;
    return next === this.#words.length ? 0 : next;
  }

  #grow(): void {
    const old = this.#words;
    this.#mask = this.#mask * 2 + 1;
    this.#words = new Int32Array((this.#mask + 1) * ROW_WORDS);
    for (let row = 0; row < old.length; row += ROW_WORDS) {
      if (old[row + SWEEP] === 0) continue;
      this.#words.set(old.subarray(row, row + ROW_WORDS), this.#find(old[row + KEY_LO]!, old[row + KEY_HI]!));
    }
  }
}
