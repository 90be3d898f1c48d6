/** Makes MessagePack bodies of JSON, in a worker. */
import { Packr, RESERVE_START_SPACE } from 'msgpackr';
import { MSGPACK_BODY_BYTE, STRUCTURES_MAX } from '../layout/structures.ts';
import { type Structure, StructureWriter, structureBytes } from './shared-structures.ts';

/**
 * What would not come back as it is from MessagePack, so that its object stays JSON: numbers that a double may not hold
 * (16 digits or more, a large exponent, a negative zero), and escapes of surrogates, which may be alone. The text of a
 * string may look like it; that costs bytes only.
 */
const ONLY_IN_JSON = new RegExp(
  [
    String.raw`[:[,]\s*-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE][+-]?\d{3,}|(?<=-)[0.]+(?:[eE][+-]?\d+)?)\s*[,}\]]`,
    String.raw`\\u[dD][89a-fA-F]`,
    String.raw`"(?:_|\\u005[fF])(?:_|\\u005[fF])`,
  ].join('|'),
);

export class MsgpackEncoder {
  readonly #writer: StructureWriter;
  readonly #structures: Structure[] = [];
  readonly #packr: Packr;
  /** Bytes of structures that were allowed, and are not published yet. */
  #promisedBytes = 0;

  /** @param memory - from `createStructures`; nobody else may write to it */
  constructor(memory: SharedArrayBuffer) {
    this.#writer = new StructureWriter(memory);
    this.#packr = new Packr({
      structures: this.#structures as string[][],
      maxSharedStructures: STRUCTURES_MAX,
      shouldShareStructure: (keys) => this.#mayShare(keys),
    });
  }

  /**
   * The body of an object. Its structures are published when this returns.
   *
   * @param json - the JSON of the object, for what only JSON can hold
   * @returns undefined when the object has to stay JSON: it holds such numbers or strings, keys that begin with two
   * underscores (`__proto__` is one), or is nested too deep
   */
  encode(object: object, json: string): Buffer | undefined {
    if (ONLY_IN_JSON.test(json)) return undefined;
    try {
      const body = this.#packr.pack(object, RESERVE_START_SPACE | 1);
      body[0] = MSGPACK_BODY_BYTE;
      return body;
    } catch {
      return undefined;
    } finally {
      this.#publish();
    }
  }

  #mayShare(keys: Structure): boolean {
    const bytes = structureBytes(keys);
    if (this.#promisedBytes + bytes > this.#writer.freeBytes) return false;
    this.#promisedBytes += bytes;
    return true;
  }

  #publish(): void {
    const { sharedLength = 0 } = this.#structures as Structure[] & { sharedLength?: number };
    for (let i = this.#writer.count; i < sharedLength; i++) this.#writer.append(this.#structures[i]!);
    this.#promisedBytes = 0;
  }
}
