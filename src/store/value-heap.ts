/** Copies of index values in growable shared memory: pieces by size, with a free list for each size. */
import { VALUE_EXACT_UNITS, VALUE_UNIT_BYTES } from '../layout/posting.ts';
import { MAX_SHARD_VALUE_BYTES } from '../layout/shard.ts';
import { GrowableWords } from './growable-words.ts';

const UNIT_WORDS = VALUE_UNIT_BYTES / 4;
const INITIAL_UNITS = 64;

/** Exact sizes, then one size for each power of two up to the limit of the memory. */
const SIZES = VALUE_EXACT_UNITS + 32;

/** Only the home thread may call its methods. Values of length 0 take no memory; their address is 0. */
export class ValueHeap {
  readonly #memory = new GrowableWords(
    INITIAL_UNITS * UNIT_WORDS,
    MAX_SHARD_VALUE_BYTES / 4,
    'copies of index values',
  );
  #bytes = Buffer.from(this.#memory.memory, 0, INITIAL_UNITS * VALUE_UNIT_BYTES);
  /** By size: first free piece + 1. The first word of a free piece names the next one + 1. */
  readonly #freePlus1 = new Int32Array(SIZES);
  #endUnit = 0;

  get memory(): SharedArrayBuffer {
    return this.#memory.memory;
  }

  /**
   * Makes sure that values that take `units` together find place.
   *
   * @throws IndexerFullError when that is over the limit
   */
  reserve(units: number): void {
    const words = (this.#endUnit + units) * UNIT_WORDS;
    if (words <= this.#memory.words.length) return;
    this.#memory.ensure(words);
    this.#bytes = Buffer.from(this.#memory.memory, 0, this.#memory.memory.byteLength);
  }

  /** Copies bytes to a piece that was reserved. Returns its address in units. */
  add(bytes: Buffer, begin: number, length: number): number {
    if (length === 0) return 0;
    const size = sizeOf(length);
    let unit = this.#freePlus1[size]! - 1;
    if (unit >= 0) {
      this.#freePlus1[size] = this.#memory.words[unit * UNIT_WORDS]!;
    } else {
      unit = this.#endUnit;
      this.#endUnit += unitsOf(length);
    }
    const at = unit * VALUE_UNIT_BYTES;
    for (let i = 0; i < length; i++) this.#bytes[at + i] = bytes[begin + i]!;
    return unit;
  }

  delete(unit: number, length: number): void {
    if (length === 0) return;
    const size = sizeOf(length);
    this.#memory.words[unit * UNIT_WORDS] = this.#freePlus1[size]!;
    this.#freePlus1[size] = unit + 1;
  }

  equals(unit: number, length: number, bytes: Uint8Array, begin: number): boolean {
    const at = unit * VALUE_UNIT_BYTES;
    for (let i = 0; i < length; i++) if (this.#bytes[at + i] !== bytes[begin + i]) return false;
    return true;
  }

  text(unit: number, length: number): string {
    const at = unit * VALUE_UNIT_BYTES;
    return this.#bytes.toString('utf8', at, at + length);
  }
}

/** What a value of this length takes. */
export function unitsOf(length: number): number {
  const units = Math.ceil(length / VALUE_UNIT_BYTES);
  return units <= VALUE_EXACT_UNITS ? units : 1 << (32 - Math.clz32(units - 1));
}

function sizeOf(length: number): number {
  const units = unitsOf(length);
  return units <= VALUE_EXACT_UNITS ? units : VALUE_EXACT_UNITS + (31 - Math.clz32(units));
}
