/** The structures of one worker in shared memory: written by it, read by every thread. Layout: `src/layout/structures.ts`. */
import {
  STRUCTURES_BYTES,
  STRUCTURES_COUNT_WORD,
  STRUCTURES_END_WORD,
  STRUCTURES_FIRST_BYTE,
} from '../layout/structures.ts';

const LINE_END = 0x0a;

/** The keys of an object, in their order. */
export type Structure = readonly string[];

export function createStructures(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(STRUCTURES_BYTES);
  new Int32Array(memory)[STRUCTURES_END_WORD] = STRUCTURES_FIRST_BYTE;
  return memory;
}

/** Bytes that structures have been written to, and those in front of them. */
export function usedStructureBytes(memory: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(memory), STRUCTURES_END_WORD);
}

/** Appends structures. There is one writer for each memory. */
export class StructureWriter {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  #end: number;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#bytes = Buffer.from(memory);
    this.#end = this.#words[STRUCTURES_END_WORD]!;
  }

  /** How many are published. */
  get count(): number {
    return this.#words[STRUCTURES_COUNT_WORD]!;
  }

  get freeBytes(): number {
    return this.#bytes.length - this.#end;
  }

  /** Publishes one more. There has to be room of {@link structureBytes}. */
  append(keys: Structure): void {
    this.#end += this.#bytes.write(JSON.stringify(keys), this.#end);
    this.#bytes[this.#end++] = LINE_END;
    Atomics.store(this.#words, STRUCTURES_END_WORD, this.#end);
    Atomics.add(this.#words, STRUCTURES_COUNT_WORD, 1);
  }
}

/** Room that a structure takes. */
export function structureBytes(keys: Structure): number {
  return Buffer.byteLength(JSON.stringify(keys)) + 1;
}

/** Gives each structure once, in their order. */
export class StructureReader {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  #count = 0;
  #next = STRUCTURES_FIRST_BYTE;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Whether there are some that were not given yet. */
  get hasMore(): boolean {
    return Atomics.load(this.#words, STRUCTURES_COUNT_WORD) !== this.#count;
  }

  next(): string[] {
    const end = this.#bytes.indexOf(LINE_END, this.#next);
    const keys = JSON.parse(this.#bytes.toString('utf8', this.#next, end)) as string[];
    this.#next = end + 1;
    this.#count++;
    return keys;
  }
}
