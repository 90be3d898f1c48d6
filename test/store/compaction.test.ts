import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE_BYTES } from '../../src/layout/arena.ts';
import { Arena } from '../../src/store/arena.ts';
import { Compaction } from '../../src/store/compaction.ts';
import { Room } from '../../src/store/room.ts';
import type { Segment } from '../../src/store/segments.ts';
import { slabsOf } from '../../src/store/slab.ts';
import { randomOf } from './indexer-support.ts';

const SEED = Number(process.env.ARENA_SEED ?? 20261202);

type Random = (limit: number) => number;

interface Drift {
  readonly objects: number;
  /**
   * Bytes of the next state of an object.
   *
   * @param round - how often each object was updated so far, on average
   */
  readonly next: (random: Random, round: number) => number;
}

const isEven = (round: number) => Math.floor(round / 2) % 2 === 0;

/** How the sizes of all objects may change together. */
const DRIFTS: Readonly<Record<string, Drift>> = {
  'they double': { objects: 6000, next: (random, round) => (2000 + random(2000)) * between(round, 1, 2) },
  'they halve': { objects: 6000, next: (random, round) => (2000 + random(2000)) * between(round, 2, 1) },
  'they grow by four': {
    objects: 5000,
    next: (random, round) => (round < 1 ? 1 : 4) * (2000 + random(1000)),
  },
  'they shrink by four': {
    objects: 5000,
    next: (random, round) => (round < 1 ? 4 : 1) * (2000 + random(1000)),
  },
  'they grow and shrink by four again and again': {
    objects: 4000,
    next: (random, round) => (isEven(round) ? 4 : 1) * (2000 + random(1000)),
  },
  'they grow and shrink by four, and are all of nearly one size': {
    objects: 4000,
    next: (random, round) => (isEven(round) ? 4 : 1) * 2060 + random(60),
  },
  'small ones grow and shrink by two': {
    objects: 20_000,
    next: (random, round) => (isEven(round) ? 2 : 1) * (150 + random(200)),
  },
  'they have no sizes in common, and large ones are among them': {
    objects: 3000,
    next: (random) => 500 + Math.floor((random(1000) / 1000) ** 4 * 60_000),
  },
};

/** Segments over live bytes, beyond what an arena of any size may have besides. */
const MOST = 1.3;
const FLOOR_BYTES = 2 * 1024 * 1024;

describe('an arena in which all objects change their sizes together', () => {
  for (const [name, { objects, next }] of Object.entries(DRIFTS)) {
    it(`stays below ${MOST} times the live bytes: ${name} (seed ${SEED})`, () => {
      const random = randomOf(SEED);
      const store = new Store();
      for (let i = 0; i < objects; i++) store.put(i, next(random, 0));
      let most = 0;
      for (let i = 0; i < 6 * objects; i++) {
        store.put(random(objects), next(random, i / objects));
        if (i % 32 === 0) store.compact();
        most = Math.max(most, (store.arena.segmentBytes - FLOOR_BYTES) / store.liveBytes);
      }

      store.check();
      assert.ok(most < MOST, `segments were ${most.toFixed(3)} times the live bytes`);
    });
  }

  it('is given back but for a few segments when most objects are gone', () => {
    const random = randomOf(SEED);
    const store = new Store();
    for (let i = 0; i < 6000; i++) store.put(i, 2000 + random(8000));
    for (let i = 0; i < 6000; i++) if (i % 20 !== 0) store.delete(i);
    store.compact();

    store.check();
    assert.ok(store.arena.segmentBytes < MOST * store.liveBytes + FLOOR_BYTES);
  });

  it('is left as it is when sizes are spread and steady: nothing would be won', () => {
    const random = randomOf(SEED);
    const store = new Store();
    for (let i = 0; i < 5000; i++) store.put(i, 2000 + random(10_000));
    for (let i = 0; i < 20_000; i++) {
      store.put(random(5000), 2000 + random(10_000));
      if (i % 32 === 0) store.compact();
    }

    assert.equal(store.compaction.movedBytes, 0);
  });

  it('is not copied for ever when blocks do not pack better', () => {
    const random = randomOf(SEED);
    const store = new Store();
    const next = () => 500 + Math.floor((random(1000) / 1000) ** 4 * 150_000);
    let allocated = 0;
    for (let i = 0; i < 12_000; i++) {
      const bytes = next();
      allocated += bytes;
      store.put(random(1500), bytes);
      store.compact();
    }

    store.check();
    const copies = store.compaction.movedBytes / allocated;
    assert.ok(copies < 4, `${copies.toFixed(2)} bytes were copied for each one that came`);
  });
});

describe('compaction while others use the arena', () => {
  for (let i = 0; i < 3; i++) {
    const seed = SEED + i;
    it(`loses no block and frees none twice while updates, deletes and readers come between (seed ${seed})`, () => {
      const random = randomOf(seed);
      const store = new Store();
      const scale = (round: number) => (isEven(round / 3) ? 1 : 5);
      for (let step = 0; step < 40_000; step++) {
        const which = random(1500);
        const choice = random(20);
        if (choice === 0) store.delete(which);
        else if (choice === 1) store.hold(which);
        else if (choice === 2) store.unholdSome(random(4));
        else if (choice < 8) store.moveSome(random(40));
        else if (choice < 11) store.answerSome(random(60));
        else store.put(which, scale(step / 4000) * (100 + random(3000)));
      }
      store.check();
      store.unholdSome(Number.POSITIVE_INFINITY);
      store.answerSome(Number.POSITIVE_INFINITY);
      store.compact();

      store.check();
      assert.ok(store.compaction.emptied > 0, 'nothing was moved');
      assert.equal(store.arena.stats.blocks, store.size, 'each block is that of an object');
      for (let which = 0; which < 1500; which++) store.delete(which);
      assert.equal(store.arena.stats.usedBytes, 0);
    });
  }

  it('leaves a slab whose blocks are held as it is, and hands its free blocks out again', () => {
    const store = new Store();
    for (let i = 0; i < 4000; i++) store.put(i, 2000);
    for (let i = 0; i < 4000; i++) {
      if (i % 10 === 0) store.hold(i);
      else store.delete(i);
    }
    store.compact();
    assert.equal(store.compaction.emptied, 0);
    const before = store.arena.segmentBytes;
    for (let i = 4000; i < 6000; i++) store.put(i, 2000);

    assert.ok(store.arena.segmentBytes <= before);
    store.check();
  });

  it('needs no memory of its own in an arena that is full', () => {
    const store = new Store(16 * 1024 * 1024);
    let count = 0;
    while (store.put(count, 3000)) count++;
    assert.ok(count > 5000);
    for (let i = 0; i < count; i++) if (i % 3 !== 0) store.delete(i);
    store.compact();

    store.check();
    assert.ok(store.arena.segmentBytes < MOST * store.liveBytes + FLOOR_BYTES);
    assert.ok(store.arena.allocate(4_000_000, 9), 'what became free serves a block that found no room');
  });
});

interface Block {
  segment: number;
  offset: number;
  bytes: number;
  holds: number;
}

/** What home thread and worker do, in one: a model of which block is whose. */
class Store {
  readonly arena: Arena;
  readonly compaction: Compaction;
  liveBytes = 0;

  readonly #segments = new Map<number, Segment>();
  readonly #objects = new Map<number, Block>();
  readonly #owners = new Map<string, number>();
  /** Replaced, but held. */
  readonly #retired: Block[] = [];
  readonly #held: Block[] = [];
  /** Copies that were not answered: the block, and where its object lay then. */
  readonly #copies: { owner: number; from: Block; copy: Block }[] = [];

  constructor(limitBytes = 2 ** 31) {
    this.arena = new Arena({
      worker: 1,
      limitBytes,
      onSegment: (segment) => this.#segments.set(segment.id, segment),
      onSegmentGone: (id) => this.#segments.delete(id),
    });
    this.compaction = new Compaction(this.arena);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** False when there is no room. */
  put(which: number, bytes: number): boolean {
    const block = this.#allocate(which, Math.floor(bytes), Room.normal);
    if (block === undefined) return false;
    this.delete(which);
    this.#objects.set(which, block);
    this.liveBytes += block.bytes;
    return true;
  }

  delete(which: number): void {
    const old = this.#objects.get(which);
    if (old === undefined) return;
    this.#objects.delete(which);
    this.liveBytes -= old.bytes;
    if (old.holds > 0) this.#retired.push(old);
    else this.#free(old);
  }

  hold(which: number): void {
    const block = this.#objects.get(which);
    if (block === undefined) return;
    block.holds++;
    this.#held.push(block);
  }

  unholdSome(count: number): void {
    for (let i = 0; i < count && this.#held.length > 0; i++) {
      const block = this.#held.shift()!;
      block.holds--;
      const at = this.#retired.indexOf(block);
      if (block.holds > 0 || at === -1) continue;
      this.#retired.splice(at, 1);
      this.#free(block);
    }
  }

  /** All that can be moved. */
  compact(): void {
    while (this.compaction.begin()) this.moveSome(Number.POSITIVE_INFINITY);
  }

  /** As the worker does; what it copied is answered before a round ends. */
  moveSome(count: number): void {
    if (!this.compaction.begin()) return;
    const walk = this.compaction.walk!;
    for (let i = 0; i < count; i++) {
      if (!walk.next()) {
        this.answerSome(Number.POSITIVE_INFINITY);
        this.compaction.endRound();
        return;
      }
      const owner = this.#owners.get(nameOf(walk.segment.id, walk.offset))!;
      const bytes = this.#segments.get(walk.segment.id)!.words[walk.offset / 4 + 1]!;
      const copy = this.#allocate(owner, bytes, Room.move);
      if (copy === undefined) {
        this.compaction.giveUp();
        return;
      }
      this.compaction.moved(walk.blockBytes);
      const from = { segment: walk.segment.id, offset: walk.offset, bytes, holds: 0 };
      this.#copies.push({ owner, from, copy });
    }
  }

  /** As the home thread does. */
  answerSome(count: number): void {
    for (let i = 0; i < count && this.#copies.length > 0; i++) {
      const { owner, from, copy } = this.#copies.shift()!;
      const current = this.#objects.get(owner);
      const isCurrent = current?.segment === from.segment && current.offset === from.offset;
      if (isCurrent && current.holds === 0) {
        this.#objects.set(owner, copy);
        this.#free(current);
      } else {
        this.#free(copy);
      }
    }
  }

  /** Every byte of each segment is that of a block, of a free block, or of a page without a slab. */
  check(): void {
    for (const [which, { segment, offset, bytes }] of this.#objects) {
      const { words } = this.#segments.get(segment)!;
      assert.equal(words[offset / 4 + 1], bytes);
      assert.equal(words[offset / 4 + 2], which, 'the block is that of the object');
      assert.equal(words[(offset + bytes - 4) >> 2], which);
    }
    const { segmentBytes, usedBytes, blocks } = this.arena.stats;
    let free = 0;
    let used = 0;
    let count = 0;
    for (const segment of this.arena.segments) {
      if (segment === undefined) continue;
      free += segment.freePages * PAGE_BYTES;
      for (const { pages, blocks: all, freeCount, blockBytes } of slabsOf(segment)) {
        count += all - freeCount;
        used += (all - freeCount) * blockBytes;
        free += pages * PAGE_BYTES - (all - freeCount) * blockBytes;
      }
    }
    assert.deepEqual([used, count], [usedBytes, blocks]);
    assert.equal(used + free, segmentBytes);
  }

  #allocate(which: number, bytes: number, room: Room): Block | undefined {
    const length = Math.max(16, bytes & ~3);
    if (!this.arena.allocate(length, 1, room)) return undefined;
    const { segment, offset } = this.arena;
    const { words, id } = segment!;
    words[offset / 4 + 1] = length;
    words[offset / 4 + 2] = which;
    words[(offset + length - 4) >> 2] = which;
    this.#owners.set(nameOf(id, offset), which);
    return { segment: id, offset, bytes: length, holds: 0 };
  }

  #free({ segment, offset }: Block): void {
    this.#owners.delete(nameOf(segment, offset));
    this.arena.free(segment, offset);
  }
}

function nameOf(segment: number, offset: number): string {
  return `${segment} @ ${offset}`;
}

/** From one factor to another in the first two rounds. */
function between(round: number, from: number, to: number): number {
  return from + (to - from) * Math.min(1, round / 2);
}
