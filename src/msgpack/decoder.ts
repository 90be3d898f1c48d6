/** Makes objects of MessagePack bodies, on any thread. */
import { Unpackr } from 'msgpackr';
import { StructureReader } from './shared-structures.ts';

/** Structures before this one are named by one byte. */
const ONE_BYTE_STRUCTURES = 32;

/** A list of keys as msgpackr keeps it. */
interface KnownStructure extends Array<string> {
  /** Structures of bodies may be redefined while one is read; those that are shared come back afterwards. */
  isShared?: boolean;
  /** Upper bits of the number. */
  highByte?: number;
}

/** Of the bodies of one worker. */
export class MsgpackDecoder {
  readonly #reader: StructureReader;
  readonly #structures: KnownStructure[] & { sharedLength?: number } = [];
  readonly #unpackr: Unpackr;

  /** @param memory - the structures of the worker */
  constructor(memory: SharedArrayBuffer) {
    this.#reader = new StructureReader(memory);
    this.#unpackr = new Unpackr({ structures: this.#structures, mapsAsObjects: true });
  }

  /**
   * @param body - a copy: it must not change meanwhile
   * @throws when it is no body of that worker
   */
  decode(body: Buffer): object {
    if (this.#reader.hasMore) this.#learn();
    return this.#unpackr.unpack(body, { start: 1, end: body.length }) as object;
  }

  /** One by one, so that what was compiled for those that are known stays. */
  #learn(): void {
    const structures = this.#structures;
    let count = structures.sharedLength ?? 0;
    structures.length = count;
    while (this.#reader.hasMore) {
      const keys: KnownStructure = this.#reader.next();
      keys.isShared = true;
      if (count >= ONE_BYTE_STRUCTURES) keys.highByte = (count - ONE_BYTE_STRUCTURES) >> 5;
      structures[count++] = keys;
    }
    structures.sharedLength = count;
  }
}
