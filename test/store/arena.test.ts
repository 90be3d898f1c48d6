import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LARGEST_CLASS_BYTES, PAGE_BYTES, SEGMENT_BYTES } from '../../src/layout/arena.ts';
import { BLOCK_STAMP_WORD } from '../../src/layout/block.ts';
import { Arena } from '../../src/store/arena.ts';
import type { Segment } from '../../src/store/segments.ts';

const SEED = 20261130;

describe('arena', () => {
  it('gives blocks that are aligned, stamped and do not overlap', () => {
    const { arena } = makeArena();
    const taken = new Map<string, [number, number][]>();
    const random = seeded(SEED);
    for (let i = 0; i < 3000; i++) {
      const bytes = 24 + Math.floor(random() * random() * 200_000);
      assert.equal(arena.allocate(bytes, 1), true);
      assert.equal(arena.offset % 8, 0);
      const words = arena.segment!.words;
      assert.equal(Atomics.load(words, arena.offset / 4 + BLOCK_STAMP_WORD), arena.stamp);
      const ranges = taken.get(String(arena.segment!.id)) ?? [];
      ranges.push([arena.offset, arena.offset + bytes]);
      taken.set(String(arena.segment!.id), ranges);
    }

    for (const ranges of taken.values()) {
      ranges.sort((a, b) => a[0] - b[0]);
      for (let i = 1; i < ranges.length; i++) assert.ok(ranges[i]![0] >= ranges[i - 1]![1], 'blocks overlap');
    }
  });

  it('stays flat when a fixed set of objects is updated with changing sizes for ever', () => {
    const { arena } = makeArena();
    const random = seeded(SEED);
    const size = () => 2000 + Math.floor(random() * 10_000);
    const live: Block[] = [];
    let liveBytes = 0;
    for (let i = 0; i < 5000; i++) live.push(take(arena, size()));
    for (const block of live) liveBytes += block.bytes;
    let peak = 0;

    for (let i = 0; i < 200_000; i++) {
      const at = Math.floor(random() * live.length);
      const next = take(arena, size());
      const old = live[at]!;
      arena.free(old.segment, old.offset);
      liveBytes += next.bytes - old.bytes;
      live[at] = next;
      peak = Math.max(peak, arena.stats.segmentBytes / liveBytes);
    }

    assert.ok(peak < 1.3, `segments were ${peak.toFixed(2)} times the live bytes`);
  });

  it('uses the pages of one size for another size once all blocks of a slab are free', () => {
    const { arena } = makeArena();
    const small = Array.from({ length: 4000 }, () => take(arena, 2000));
    const before = arena.stats.segmentBytes;
    for (const block of small) arena.free(block.segment, block.offset);
    for (let i = 0; i < 500; i++) take(arena, 12_000);

    assert.ok(arena.stats.segmentBytes <= before);
  });

  it('leaves a segment empty while others have room, so that compaction does not fill what it emptied', () => {
    const { arena } = makeArena();
    const blocks = Array.from({ length: 1500 }, () => take(arena, 2000));
    const first = blocks[0]!.segment;
    const last = blocks.at(-1)!.segment;
    assert.notEqual(first, last);
    for (const block of blocks) if (block.segment === first) arena.free(block.segment, block.offset);

    assert.equal(arena.segments.filter((segment) => segment?.usedBytes === 0).length, 1);
    assert.equal(take(arena, 500).segment, last);
  });

  it('refuses a block beyond the limit, names the largest consumers, and goes on after a free', () => {
    const { arena } = makeArena(SEGMENT_BYTES);
    const blocks: Block[] = [];
    while (arena.allocate(LARGEST_CLASS_BYTES, blocks.length % 3 === 0 ? 7 : 9)) {
      blocks.push({ segment: arena.segment!.id, offset: arena.offset, bytes: LARGEST_CLASS_BYTES });
    }

    assert.deepEqual(
      arena.largestConsumers().map(({ source }) => source),
      [9, 7],
    );
    arena.free(blocks[5]!.segment, blocks[5]!.offset);
    assert.equal(arena.allocate(LARGEST_CLASS_BYTES, 7), true);
    assert.equal(arena.allocate(LARGEST_CLASS_BYTES, 7), false);
  });

  it('gives an object larger than a segment a segment of its own, and drops it afterwards', () => {
    const { arena, gone } = makeArena();
    const block = take(arena, SEGMENT_BYTES + 3 * PAGE_BYTES);
    assert.equal(arena.stats.segmentBytes, SEGMENT_BYTES + 3 * PAGE_BYTES);

    arena.free(block.segment, block.offset);
    assert.deepEqual(gone, [block.segment]);
    assert.equal(arena.stats.segmentBytes, 0);
  });

  it('gives segments up that hold nothing, but one', () => {
    const { arena, gone } = makeArena();
    const blocks = Array.from({ length: 900 }, () => take(arena, 32 * 1024));
    for (const block of blocks) arena.free(block.segment, block.offset);

    assert.ok(gone.length >= 2);
    assert.ok(arena.stats.segmentBytes <= 2 * SEGMENT_BYTES);
    assert.equal(arena.stats.usedBytes, 0);
  });

  it('says so when a block is released twice', () => {
    const { arena } = makeArena();
    const block = take(arena, 100);
    take(arena, 100);
    arena.free(block.segment, block.offset);

    assert.throws(() => arena.free(block.segment, block.offset), /released twice/);
  });

  it('announces a segment before it hands out a block of it', () => {
    const { arena, announced } = makeArena();
    arena.allocate(100, 1);

    assert.deepEqual(announced, [arena.segment!.id]);
  });
});

interface Block {
  segment: number;
  offset: number;
  bytes: number;
}

function makeArena(limitBytes = 1024 * 1024 * 1024) {
  const announced: number[] = [];
  const gone: number[] = [];
  const onSegment = (segment: Segment) => announced.push(segment.id);
  const onSegmentGone = (id: number) => gone.push(id);
  return { arena: new Arena({ worker: 1, limitBytes, onSegment, onSegmentGone }), announced, gone };
}

function take(arena: Arena, bytes: number): Block {
  assert.equal(arena.allocate(bytes, 1), true);
  return { segment: arena.segment!.id, offset: arena.offset, bytes };
}

/** A small generator (mulberry32), so that a failure replays. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
