import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SEGMENT_BYTES } from '../../src/layout/arena.ts';
import { Arena } from '../../src/store/arena.ts';
import { randomOf } from './indexer-support.ts';

const SEED = Number(process.env.ARENA_SEED ?? 20261201);

type Random = (limit: number) => number;

interface Sizes {
  readonly objects: number;
  /** Bytes of the next state of an object. */
  readonly next: (random: Random) => number;
}

/** How the sizes of objects may be spread. Each set is some tens of megabytes, so that a segment is a small part. */
const SPREADS: Readonly<Record<string, Sizes>> = {
  'small objects': { objects: 60_000, next: (random) => 100 + random(500) },
  'Pods with and without managedFields': { objects: 10_000, next: (random) => 2000 + random(10_000) },
  'objects of two sizes': {
    objects: 10_000,
    next: (random) => (random(2) === 0 ? 900 + random(200) : 9000 + random(2000)),
  },
  'many small objects and a few of more than a slab': {
    objects: 6000,
    next: (random) => 500 + Math.floor((random(1000) / 1000) ** 4 * 150_000),
  },
};

/** Segments over live bytes, beyond one segment that is being filled. */
const MOST = 1.3;

describe('an arena in which a fixed set of objects changes its sizes for ever', () => {
  for (const [name, { objects, next }] of Object.entries(SPREADS)) {
    it(`stays below ${MOST} times the live bytes: ${name} (seed ${SEED})`, () => {
      const random = randomOf(SEED);
      const arena = new Arena({ worker: 1, limitBytes: 2 ** 31, onSegment() {}, onSegmentGone() {} });
      const live = Array.from({ length: objects }, () => take(arena, next(random)));
      let liveBytes = live.reduce((sum, { bytes }) => sum + bytes, 0);
      let most = 0;

      for (let i = 0; i < 10 * objects; i++) {
        const at = random(objects);
        const old = live[at]!;
        // As in an informer: the old state is given back when the new one is in place.
        const now = take(arena, next(random));
        arena.free(old.segment, old.offset);
        live[at] = now;
        liveBytes += now.bytes - old.bytes;
        most = Math.max(most, (arena.stats.segmentBytes - SEGMENT_BYTES) / liveBytes);
      }

      assert.ok(most < MOST, `segments were ${most.toFixed(3)} times the live bytes`);
    });
  }
});

interface Block {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

function take(arena: Arena, bytes: number): Block {
  assert.ok(arena.allocate(bytes, 1));
  return { segment: arena.segment!.id, offset: arena.offset, bytes };
}
