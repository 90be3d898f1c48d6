/**
 * The segments of all arenas that a thread can see, by number. A worker makes segments, and announces each
 * on its port before it publishes a record that names it.
 */

import { usedStructureBytes } from '../msgpack/index.ts';
import { DictionaryTable, RecordDecoder } from '../records/index.ts';

/** Bits of a segment number that count the segments of one worker; the rest is the worker's number. */
export const SEGMENT_INDEX_BITS = 16;
export const SEGMENT_INDEX_MASK = (1 << SEGMENT_INDEX_BITS) - 1;

/** One buffer of an arena, with the views that readers need. */
export interface Segment {
  /** worker number << SEGMENT_INDEX_BITS | index */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly bytes: Buffer;
  readonly words: Int32Array;
  readonly halves: Uint16Array;
}

export function segmentId(worker: number, index: number): number {
  return (worker << SEGMENT_INDEX_BITS) | index;
}

export function openSegment(id: number, memory: SharedArrayBuffer): Segment {
  return {
    id,
    memory,
    bytes: Buffer.from(memory),
    words: new Int32Array(memory),
    halves: new Uint16Array(memory),
  };
}

/** Told of segments and dictionaries that come and go, and of the structures of workers. */
export interface SegmentListener {
  added(segment: Segment): void;
  deleted(id: number): void;
  structuresAdded(worker: number, memory: SharedArrayBuffer): void;
  dictionaryAdded(memory: SharedArrayBuffer): void;
  dictionaryDeleted(epoch: number): void;
}

export class SegmentTable {
  /** Of the workers' records. */
  readonly dictionaries = new DictionaryTable();
  /**
   * Looks for a dictionary that a record names and that is not here. False when there is none any more: then nothing has
   * a record of it.
   */
  fetchDictionary: (epoch: number) => boolean = () => false;

  #recordDecoder: RecordDecoder | undefined;
  readonly #byWorker: (Segment | undefined)[][] = [];
  readonly #structures = new Map<number, SharedArrayBuffer>();
  readonly #listeners = new Set<SegmentListener>();

  /** @returns ends it */
  listen(listener: SegmentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(segment: Segment): void {
    const worker = segment.id >>> SEGMENT_INDEX_BITS;
    while (this.#byWorker.length <= worker) this.#byWorker.push([]);
    this.#byWorker[worker]![segment.id & SEGMENT_INDEX_MASK] = segment;
    for (const listener of this.#listeners) listener.added(segment);
  }

  /** The structures of a worker's MessagePack bodies. To be added before any segment of that worker. */
  addStructures(worker: number, memory: SharedArrayBuffer): void {
    this.#structures.set(worker, memory);
    for (const listener of this.#listeners) listener.structuresAdded(worker, memory);
  }

  structuresOf(worker: number): SharedArrayBuffer | undefined {
    return this.#structures.get(worker);
  }

  /** Memory of all structures, as far as it is used. */
  get structureBytes(): number {
    let sum = 0;
    for (const memory of this.#structures.values()) sum += usedStructureBytes(memory);
    return sum;
  }

  /** By worker. */
  allStructures(): [worker: number, memory: SharedArrayBuffer][] {
    return [...this.#structures];
  }

  /** One epoch of a worker's dictionary. To be added before the store has a record of it. */
  addDictionary(memory: SharedArrayBuffer): void {
    this.dictionaries.add(memory);
    for (const listener of this.#listeners) listener.dictionaryAdded(memory);
  }

  /** Forgets an epoch; no record of it is left. */
  deleteDictionary(epoch: number): void {
    this.dictionaries.delete(epoch);
    for (const listener of this.#listeners) listener.dictionaryDeleted(epoch);
  }

  /** Decodes records of all workers. One for all informers, so that the code it makes for shapes is made once. */
  get recordDecoder(): RecordDecoder {
    this.#recordDecoder ??= new RecordDecoder(this.dictionaries);
    return this.#recordDecoder;
  }

  /** Forgets a segment that its worker gave up; no record or slot names it any more. */
  delete(id: number): void {
    const segments = this.#byWorker[id >>> SEGMENT_INDEX_BITS];
    if (segments !== undefined) segments[id & SEGMENT_INDEX_MASK] = undefined;
    for (const listener of this.#listeners) listener.deleted(id);
  }

  /** The segment, or undefined when it was not announced yet or was given up. */
  find(id: number): Segment | undefined {
    return this.#byWorker[id >>> SEGMENT_INDEX_BITS]?.[id & SEGMENT_INDEX_MASK];
  }

  /** @throws Error when no such segment was announced: the ring and the port disagree */
  get(id: number): Segment {
    const segment = this.find(id);
    if (segment === undefined) throw new Error(`segment ${id} was never announced to this thread`);
    return segment;
  }

  /** Forgets all memory of a worker. */
  deleteWorker(worker: number): void {
    for (const segment of this.#byWorker[worker] ?? []) if (segment !== undefined) this.delete(segment.id);
    this.#structures.delete(worker);
    for (const epoch of this.dictionaries.ofWorker(worker)) this.deleteDictionary(epoch);
  }

  /** Forgets all memory, and tells nobody. */
  clear(): void {
    this.#byWorker.length = 0;
    this.#structures.clear();
    this.dictionaries.clear();
  }

  /** All segments. */
  all(): Segment[] {
    return this.#byWorker.flat().filter((segment) => segment !== undefined);
  }

  get bytes(): number {
    let sum = 0;
    for (const segments of this.#byWorker)
      for (const segment of segments) sum += segment?.memory.byteLength ?? 0;
    return sum;
  }
}
