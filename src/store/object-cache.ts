/**
 * Decoded objects within a budget of bytes and entries: what was not looked at for the longest time goes first. An object
 * is found by its block, and by its key once somebody asked for that: then neither the key's bytes nor the tables of the
 * store are looked at.
 */
import { SHARD_CONTROL_BYTES, SHARD_VERSION_WORD } from '../layout/shard.ts';
import type { BlockName, BlockRef } from './block-ref.ts';
import { Recency } from './recency.ts';
import { SEGMENT_INDEX_BITS } from './segments.ts';

/** A decoded object, and the block it was decoded from. */
export interface CachedObject extends BlockName {
  readonly object: object;
  /** Control area of the shard that it is in (see layout/shard.ts). */
  control: Int32Array;
  /** Version of the shard at which the block was seen to be the object's current one. */
  version: number;
  /** Its place in the order of use. */
  readonly row: number;
  /** Slot address that the object had when it was asked for by key; -1 before. */
  slot: number;
  /** What it was asked for by; undefined as long as nobody did. */
  key: string | undefined;
  /** Its part of the limit. */
  readonly weightBytes: number;
}

/** Stands for the control area of a shard that nobody has looked at yet, with a version that it never has. */
const NO_CONTROL = new Int32Array(SHARD_CONTROL_BYTES / 4);
const NO_VERSION = -1;

/**
 * Whether the shard has not changed since what a key found was seen to be current: then it still is. The version wraps; an
 * answer is wrong when exactly 2^32 steps of it lie between two looks at one object.
 */
export function isUntouched(cached: CachedObject): boolean {
  return Atomics.load(cached.control, SHARD_VERSION_WORD) === cached.version;
}

/** Spreads the numbers of workers: stamps of each start with small numbers. */
const WORKER_MIX = 0x9e3779b1;

export class ObjectCache {
  /** How often an object that was looked for was here. */
  hits = 0;

  readonly #limitBytes: number;
  readonly #limitEntries: number;
  readonly #byBlock = new Map<number, CachedObject>();
  readonly #byKey = new Map<string, CachedObject>();
  /** By row. */
  readonly #objects: (CachedObject | undefined)[] = [];
  readonly #recency = new Recency();
  #bytes = 0;

  constructor(limitBytes: number, limitEntries: number) {
    this.#limitBytes = limitBytes;
    this.#limitEntries = limitEntries;
  }

  /** Weights of the objects that are here. */
  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#byBlock.size;
  }

  /** The object of a block. Counts as a use. */
  get(ref: BlockRef): object | undefined {
    const cached = this.#find(ref);
    if (cached === undefined) return undefined;
    this.hits++;
    this.#recency.touch(cached.row);
    return cached.object;
  }

  /** What was found under this key when it was last asked for. It may have been replaced; no use is counted. */
  atKey(key: string): CachedObject | undefined {
    return this.#byKey.get(key);
  }

  /** The object of what a key found. Counts as a use. */
  use(cached: CachedObject): object {
    this.hits++;
    this.#recency.touch(cached.row);
    return cached.object;
  }

  /** From now on the object of the block, when it is here, is what the key finds. */
  name(ref: BlockRef, key: string, slot: number): void {
    const cached = this.#find(ref);
    if (cached === undefined) return;
    const before = this.#byKey.get(key);
    if (before !== undefined) before.key = undefined;
    cached.key = key;
    cached.slot = slot;
    cached.version = NO_VERSION;
    this.#byKey.set(key, cached);
  }

  /**
   * Keeps an object, if it fits the budget at all.
   *
   * @param weightBytes - its part of the budget
   */
  set(ref: BlockRef, object: object, weightBytes: number = ref.lengthBytes): void {
    const { segment, offset8, lengthBytes, stamp } = ref;
    if (weightBytes > this.#limitBytes || this.#limitEntries < 1) return;
    const number = numberOf(ref);
    const before = this.#byBlock.get(number);
    if (before !== undefined) this.#drop(before);
    const row = this.#recency.add();
    // What a hot look-up reads comes first: it shares a cache line then.
    const cached: CachedObject = {
      object,
      control: NO_CONTROL,
      version: NO_VERSION,
      row,
      slot: -1,
      key: undefined,
      segment,
      offset8,
      lengthBytes,
      stamp,
      weightBytes,
    };
    this.#objects[row] = cached;
    this.#byBlock.set(number, cached);
    this.#bytes += weightBytes;
    while (this.#isOver) this.#drop(this.#objects[this.#recency.oldest]!);
  }

  /** A copy takes the place of a block: the object of the one is that of the other. */
  move(from: BlockRef, to: BlockRef): void {
    const cached = this.#find(from);
    if (cached === undefined) return;
    const { object, weightBytes, key, slot } = cached;
    this.#drop(cached);
    this.set(to, object, weightBytes);
    if (key !== undefined) this.name(to, key, slot);
  }

  delete(ref: BlockRef): void {
    const cached = this.#find(ref);
    if (cached !== undefined) this.#drop(cached);
  }

  /** Forgets everything. */
  clear(): void {
    for (const cached of this.#byBlock.values()) this.#drop(cached);
  }

  #find(ref: BlockRef): CachedObject | undefined {
    const cached = this.#byBlock.get(numberOf(ref));
    if (cached === undefined || cached.stamp !== ref.stamp) return undefined;
    return cached.offset8 === ref.offset8 && cached.segment === ref.segment ? cached : undefined;
  }

  get #isOver(): boolean {
    return this.#bytes > this.#limitBytes || this.#byBlock.size > this.#limitEntries;
  }

  #drop(cached: CachedObject): void {
    this.#byBlock.delete(numberOf(cached));
    if (cached.key !== undefined) this.#byKey.delete(cached.key);
    this.#objects[cached.row] = undefined;
    this.#recency.remove(cached.row);
    this.#bytes -= cached.weightBytes;
  }
}

/**
 * A small integer that no other block of the same worker has, because of its stamp. Blocks of two workers may share one:
 * then the later one takes the place of the other. A place in memory, which is no small integer, takes a Map thrice as long.
 */
function numberOf({ segment, stamp }: { readonly segment: number; readonly stamp: number }): number {
  return (stamp + Math.imul(segment >>> SEGMENT_INDEX_BITS, WORKER_MIX)) | 0;
}
