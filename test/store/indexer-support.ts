/** Blocks and random choices for the tests of the Indexer. */
import { BLOCK_ALIGN_BYTES } from '../../src/layout/block.ts';
import { hashKey, type KeyHash } from '../../src/layout/key-hash.ts';
import { type BlockContent, encodeBlock, writeBlock } from '../../src/store/block-encode.ts';
import type { Indexer } from '../../src/store/indexer.ts';
import { openSegment, type Segment, SegmentTable } from '../../src/store/segments.ts';

export const SEED = { lo: 0x0badcafe, hi: 0xfeedf00d };

/** Where a block was written. */
export interface Placed {
  readonly segment: number;
  readonly offset8: number;
  readonly lengthBytes: number;
  readonly stamp: number;
  readonly hashLo: number;
  readonly hashHi: number;
}

/** An arena that only ever appends. */
export class TestArena {
  readonly segments = new SegmentTable();
  readonly #segment: Segment;
  #end = 0;
  #stamp = 0;

  constructor(bytes = 1 << 20) {
    this.#segment = openSegment(3, new SharedArrayBuffer(bytes));
    this.segments.add(this.#segment);
  }

  get segment(): Segment {
    return this.#segment;
  }

  /** Writes a block; its hash is that of its key unless another one is forced. */
  put(content: BlockContent, forced?: KeyHash): Placed {
    const block = encodeBlock(content);
    const at = this.#end;
    const stamp = ++this.#stamp;
    writeBlock(this.#segment, at, block, stamp);
    this.#end = Math.ceil((at + block.length) / BLOCK_ALIGN_BYTES) * BLOCK_ALIGN_BYTES;
    const hash = { lo: 0, hi: 0 };
    hashKey(keyOf(content), SEED, hash);
    const { lo, hi } = forced ?? hash;
    const offset8 = at / BLOCK_ALIGN_BYTES;
    return { segment: this.#segment.id, offset8, lengthBytes: block.length, stamp, hashLo: lo, hashHi: hi };
  }
}

export function keyOf({ namespace = '', name }: BlockContent): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function upsert(indexer: Indexer, placed: Placed, sweep = 0): number {
  const { hashLo, hashHi, segment, offset8, lengthBytes, stamp } = placed;
  return indexer.upsert(hashLo, hashHi, segment, offset8, lengthBytes, stamp, sweep);
}

export function remove(indexer: Indexer, { hashLo, hashHi, segment, offset8 }: Placed): boolean {
  return indexer.remove(hashLo, hashHi, segment, offset8);
}

export function touch(indexer: Indexer, placed: Placed, sweep: number): boolean {
  return indexer.touch(placed.hashLo, placed.hashHi, placed.segment, placed.offset8, sweep);
}

export function allKeys(indexer: Indexer): string[] {
  const keys: string[] = [];
  indexer.forEach((slot) => {
    keys.push(indexer.keyOf(slot));
  });
  return keys.sort();
}

/** Numbers from 0 to below `limit` that depend on the seed only (a linear congruential generator). */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
