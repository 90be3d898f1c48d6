/**
 * Seeded randomness: the same seed gives the same objects, names, uids and churn on every machine.
 * The generator is sfc32 (C. Doty-Humphrey, "Small Fast Counting"), which passes PractRand.
 */

/** As `generateName` of a real API server: no vowels, so that no words come out. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** Rounds that the generator's authors ask for before the first use, so that similar seeds differ. */
const WARM_UP_ROUNDS = 15;

/** Four hex digits at a time: a 64-digit image digest then costs eight steps of the generator. */
const HEX4 = Array.from({ length: 1 << 16 }, (_, i) => i.toString(16).padStart(4, '0'));

/** A seeded source of random numbers. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed - any integer; its low 53 bits count */
  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0;
    this.#c = 0x9e3779b9 | 0;
    for (let i = 0; i < WARM_UP_ROUNDS; i++) this.uint32();
  }

  /** From 0 to 2^32 - 1. */
  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 to 1, without 1. */
  fraction(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Hex digits, a multiple of eight of them. */
  hex(digits: number): string {
    let text = '';
    for (let i = 0; i < digits; i += 8) {
      const bits = this.uint32();
      text += HEX4[bits >>> 16]! + HEX4[bits & 0xffff]!;
    }
    return text;
  }

  /** A version 4 UUID, as API servers give to objects. */
  uuid(): string {
    const [a, b, c, d] = [this.uint32(), this.uint32(), this.uint32(), this.uint32()];
    const version = HEX4[0x4000 | (b & 0xfff)]!;
    const variant = HEX4[0x8000 | (c & 0x3fff)]!;
    return `${HEX4[a >>> 16]}${HEX4[a & 0xffff]}-${HEX4[b >>> 16]}-${version}-${variant}-${HEX4[c >>> 16]}${HEX4[d >>> 16]}${HEX4[d & 0xffff]}`;
  }

  /** The five characters that `generateName` appends. */
  suffix(): string {
    let text = '';
    for (let i = 0; i < SUFFIX_LENGTH; i++) text += SUFFIX_LETTERS[this.below(SUFFIX_LETTERS.length)];
    return text;
  }
}
