import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type DeltaLink, Pump } from '../../src/informer/pump.ts';
import { DELTA_WORDS, KIND, OFFSET8, RecordKind, SEGMENT, SOURCE, STAMP } from '../../src/layout/ring.ts';
import { Consumer, createRing, openRing, Producer } from '../../src/ring/index.ts';
import { openSegment, SegmentTable } from '../../src/store/index.ts';

const SOURCE_NUMBER = 4;

describe('pump', () => {
  it('fetches a segment that was announced but not read yet', async () => {
    const scene = makeScene();
    scene.announced.push(openSegment(5, stamped(64, 0, 77)));
    scene.put(5, 0, 77);
    await scene.run();

    assert.deepEqual(scene.seen, [5]);
  });

  it('fetches the new segment when a number is used again, and never reads the old memory', async () => {
    for (const [oldBytes, offset8] of [
      [1024, 4],
      [64, 100],
    ] as const) {
      const scene = makeScene();
      scene.segments.add(openSegment(5, stamped(oldBytes, 0, 33)));
      const fresh = openSegment(5, stamped(1024, offset8 * 8, 78));
      scene.announced.push(fresh);
      scene.put(5, offset8, 78);
      await scene.run();

      assert.deepEqual(scene.seen, [5]);
      assert.equal(scene.segments.get(5), fresh);
    }
  });

  it('does not ask the port when the segment is there', async () => {
    const scene = makeScene();
    scene.segments.add(openSegment(5, stamped(64, 0, 77)));
    scene.put(5, 0, 77);
    await scene.run();

    assert.equal(scene.asked, 0);
  });

  it('gives blocks of an informer that was stopped back', async () => {
    const scene = makeScene();
    scene.pump.removeConsumer(SOURCE_NUMBER);
    scene.segments.add(openSegment(5, stamped(64, 0, 77)));
    scene.put(5, 0, 77);
    await scene.run();

    assert.deepEqual(scene.seen, []);
    assert.deepEqual(scene.released, [5]);
  });
});

function makeScene() {
  const memory = createRing(64, DELTA_WORDS);
  const producer = new Producer(openRing(memory, DELTA_WORDS));
  const segments = new SegmentTable();
  const pump = new Pump({ segments, now: () => 0, cpuMs: () => 0 });
  const scene = {
    pump,
    segments,
    /** Segments that lie on the port. */
    announced: [] as ReturnType<typeof openSegment>[],
    asked: 0,
    seen: [] as number[],
    released: [] as number[],
    put(segment: number, offset8: number, stamp: number): void {
      const word = producer.claim();
      producer.words[word + KIND] = RecordKind.added;
      producer.words[word + SOURCE] = SOURCE_NUMBER;
      producer.words[word + SEGMENT] = segment;
      producer.words[word + OFFSET8] = offset8;
      producer.words[word + STAMP] = stamp;
      producer.publish();
    },
    async run(): Promise<void> {
      pump.wake();
      await turn();
      await turn();
    },
  };
  const link: DeltaLink = {
    deltas: new Consumer(openRing(memory, DELTA_WORDS)),
    taken: () => {},
    release: (segment) => void scene.released.push(segment),
    flush: () => {},
    receiveNow: () => {
      scene.asked++;
      for (const segment of scene.announced.splice(0)) segments.add(segment);
    },
    isDrained: false,
  };
  pump.addLink(link);
  pump.addConsumer(SOURCE_NUMBER, {
    queued: 0,
    hasWork: false,
    push: (_, { segment }) => void scene.seen.push(segment),
    work: () => {},
    settle: () => {},
  });
  return scene;
}

/** Memory of a segment with one block. */
function stamped(bytes: number, at: number, stamp: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes);
  new Int32Array(memory)[at / 4] = stamp;
  return memory;
}
