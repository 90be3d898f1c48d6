import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MIN_SEGMENT_BYTES } from '../../src/layout/arena.ts';
import {
  DELTA_WORDS,
  KIND,
  LENGTH_BYTES,
  MOVED_OFFSET8,
  MOVED_SEGMENT,
  OFFSET8,
  RELEASE_OFFSET8,
  RELEASE_SEGMENT,
  RELEASE_WORDS,
  RecordKind,
  SEGMENT,
  STAMP,
} from '../../src/layout/ring.ts';
import { Consumer, createRing, openRing, Producer } from '../../src/ring/index.ts';
import {
  Arena,
  blockKey,
  blockStamp,
  bodyText,
  createFigures,
  fromOffset8,
  readFigures,
  SegmentTable,
} from '../../src/store/index.ts';
import { type BlockDraft, DeltaWriter, PutResult } from '../../src/worker/delta-writer.ts';
import { type BodyRewriter, Mover } from '../../src/worker/mover.ts';

const SOURCE = 1;

/** Who waits for so long waits for nothing but time. */
const A_WHILE_MS = 800;

describe('mover', () => {
  it('empties what is hardly used, when the home thread takes the copies', () => {
    const worker = new Worker();
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    worker.work();

    worker.assertBodies(400);
    const { segmentBytes, usedBytes, movedBlocks, movedBytes, freedSlabs } = readFigures(worker.figures);
    assert.ok(segmentBytes < 1.3 * usedBytes + 2 * MIN_SEGMENT_BYTES, `${segmentBytes} for ${usedBytes}`);
    assert.ok(movedBlocks > 200 && movedBytes > 200 * 1000 && freedSlabs > 100);
    assert.ok(worker.restsMs >= A_WHILE_MS, 'it rests when nothing is to be done');
  });

  it('leaves the ring to reflectors: it has a part of it only while there is something to move', () => {
    const worker = new Worker({ ringRecords: 64 });
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    const { read } = worker;
    worker.read = () => {};
    worker.step();
    assert.ok(worker.waiting > 0 && worker.waiting <= 8, `${worker.waiting} of 64 records`);
    worker.read = read;
    worker.work();

    worker.assertBodies(400);
    worker.read = () => {};
    assert.equal(worker.fill(), 64);
  });

  it('goes on when the home thread drops its copies, and tries no block for ever', () => {
    const worker = new Worker();
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    worker.takes = () => false;
    worker.work();

    worker.assertBodies(400);
    assert.equal(readFigures(worker.figures).freedSlabs, 0);
    assert.ok(worker.copies < 5 * 400, `${worker.copies} copies`);
  });

  it('tries again later, though nothing changed, what could not be moved at first', () => {
    const worker = new Worker();
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    worker.takes = () => false;
    worker.work();
    worker.takes = () => true;
    worker.pass(10_000);

    worker.assertBodies(400);
    assert.ok(readFigures(worker.figures).freedSlabs > 100);
  });

  it('tries again less and less often what can not be moved', () => {
    const worker = new Worker();
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    worker.takes = () => false;
    worker.pass(3_600_000);

    // Some twelve times, each of which copies as much as there is, a few times.
    assert.ok(worker.copies < 15 * 5 * 400, `${worker.copies} copies`);
    assert.ok(worker.restsMs >= 100_000, `${worker.restsMs} ms`);
  });

  it('waits while the home thread is busy', () => {
    const worker = new Worker();
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    const { read } = worker;
    worker.read = () => {};
    for (let i = 0; i < 200; i++) worker.step();
    const { waiting } = worker;
    for (let i = 0; i < 200; i++) worker.step();
    assert.equal(worker.waiting, waiting);
    worker.read = read;
    worker.work();

    worker.assertBodies(400);
    assert.ok(readFigures(worker.figures).freedSlabs > 100);
  });

  it('makes bodies anew that somebody wants to be made anew, and no others', () => {
    const copied: string[] = [];
    const worker = new Worker({
      rewriter: {
        wantsRewrites: true,
        rewrite(_, segment, block) {
          if (!blockKey(segment, block).endsWith('7')) return undefined;
          const body = Buffer.from('made anew');
          return { lengthBytes: body.length, write: (target, at) => void body.copy(target, at) };
        },
        copied: (segment, block) => copied.push(blockKey(segment, block)),
      },
    });
    worker.put(1000);
    for (let i = 0; i < 100; i++) worker.step();

    assert.equal(worker.bodyOf(77), 'made anew');
    assert.equal(worker.bodyOf(78), bodyOf(78));
    assert.deepEqual(copied, []);
    assert.ok(readFigures(worker.figures).rewritten >= 100);
  });

  it('copies no control record and no mark', () => {
    const worker = new Worker();
    worker.put(4000);
    worker.deleteAllBut((i) => i % 10 === 0);
    const { read } = worker;
    worker.read = () => {};
    worker.writer.putControl(RecordKind.bookmark, SOURCE, '77', '{}');
    worker.writer.flush();
    for (let i = 0; i < 20; i++) worker.step();
    worker.read = read;
    worker.work();

    assert.equal(worker.controls, 1);
    worker.assertBodies(400);
  });
});

interface Stored {
  segment: number;
  offset8: number;
  stamp: number;
}

interface WorkerOptions {
  readonly ringRecords?: number;
  readonly rewriter?: BodyRewriter;
}

/** A worker, and a home thread that stores what it puts, in one thread and with timers that a test runs. */
class Worker {
  readonly figures = createFigures();
  readonly writer: DeltaWriter;
  /** Whether the home thread puts a copy in place. */
  takes: () => boolean = () => true;
  copies = 0;
  controls = 0;

  readonly #arena: Arena;
  readonly #segments = new SegmentTable();
  readonly #deltas: Consumer;
  readonly #releases: Producer;
  readonly #stored = new Map<string, Stored>();
  /** And when they are due. */
  readonly #timers = new Map<() => void, number>();
  #nowMs = 0;

  constructor({ ringRecords = 1024, rewriter }: WorkerOptions = {}) {
    const deltaRing = createRing(ringRecords, DELTA_WORDS);
    const releaseRing = createRing(8192, RELEASE_WORDS);
    this.#deltas = new Consumer(openRing(deltaRing, DELTA_WORDS));
    this.#releases = new Producer(openRing(releaseRing, RELEASE_WORDS));
    this.#arena = new Arena({
      worker: 0,
      limitBytes: 64 * 1024 * 1024,
      onSegment: (segment) => this.#segments.add(segment),
      onSegmentGone: (id) => this.#segments.delete(id),
    });
    const releases = new Consumer(openRing(releaseRing, RELEASE_WORDS));
    this.writer = new DeltaWriter(
      new Producer(openRing(deltaRing, DELTA_WORDS)),
      releases,
      this.#arena,
      () => {},
    );
    this.writer.shares.add(SOURCE);
    new Mover({
      arena: this.#arena,
      writer: this.writer,
      now: () => this.#nowMs,
      setTimer: (delayMs, callback) => {
        const timer = () => callback();
        this.#timers.set(timer, this.#nowMs + delayMs);
        return () => this.#timers.delete(timer);
      },
      figures: this.figures,
      ...(rewriter !== undefined && { rewriter }),
    });
  }

  /** How long until the next timer. */
  get restsMs(): number {
    return Math.min(...this.#timers.values()) - this.#nowMs;
  }

  /** Records that the home thread did not read. */
  get waiting(): number {
    return this.#deltas.available;
  }

  put(count: number): void {
    for (let i = 0; i < count; i++) {
      assert.equal(this.writer.putObject(RecordKind.added, SOURCE, draftOf(i)), PutResult.ok);
      if (i % 32 === 31) this.#exchange();
    }
    this.#exchange();
  }

  /** How many records find place on the ring. */
  fill(): number {
    let count = 0;
    while (this.writer.putObject(RecordKind.added, SOURCE, draftOf(count)) === PutResult.ok) count++;
    return count;
  }

  deleteAllBut(isKept: (i: number) => boolean): void {
    for (const [key, stored] of this.#stored) {
      if (isKept(Number(key.slice(1)))) continue;
      this.#stored.delete(key);
      this.#release(stored.segment, stored.offset8);
    }
    this.#releases.publish();
    this.writer.takeReleases();
    this.writer.flush();
  }

  /** A fifth of a second goes by. */
  step(): void {
    this.#nowMs += 200;
    for (const [callback, dueMs] of [...this.#timers]) {
      if (dueMs > this.#nowMs || !this.#timers.delete(callback)) continue;
      callback();
    }
    this.read();
  }

  /** Until nothing is to be done for a while. */
  work(): void {
    for (let i = 0; i < 5000 && this.restsMs < A_WHILE_MS; i++) this.step();
  }

  pass(ms: number): void {
    for (const endMs = this.#nowMs + ms; this.#nowMs < endMs; ) this.step();
  }

  bodyOf(i: number): string {
    const { segment, offset8, stamp } = this.#stored.get(`n${i}`)!;
    const home = this.#segments.get(segment);
    assert.equal(blockStamp(home, fromOffset8(offset8)), stamp);
    assert.equal(blockKey(home, fromOffset8(offset8)), `n${i}`);
    return bodyText(home, fromOffset8(offset8));
  }

  assertBodies(count: number): void {
    assert.equal(this.#stored.size, count);
    for (const key of this.#stored.keys()) {
      const i = Number(key.slice(1));
      assert.equal(this.bodyOf(i), bodyOf(i));
    }
  }

  /** As the home thread does, when it has time. */
  read = (): void => {
    for (let word = this.#deltas.next(); word !== -1; word = this.#deltas.next()) this.#use(word);
    this.#deltas.release();
    this.#releases.publish();
  };

  #exchange(): void {
    this.writer.flush();
    this.read();
    this.writer.takeReleases();
  }

  #use(word: number): void {
    const { words } = this.#deltas;
    const block = {
      segment: words[word + SEGMENT]!,
      offset8: words[word + OFFSET8]!,
      stamp: words[word + STAMP]!,
    };
    const home = this.#segments.get(block.segment);
    assert.equal(blockStamp(home, fromOffset8(block.offset8)), block.stamp);
    assert.ok(words[word + LENGTH_BYTES]! > 0);
    const key = blockKey(home, fromOffset8(block.offset8));
    if (words[word + KIND] === RecordKind.bookmark) {
      this.controls++;
      this.#release(block.segment, block.offset8);
      return;
    }
    if (words[word + KIND] !== RecordKind.moved) {
      this.#stored.set(key, block);
      return;
    }
    this.copies++;
    const from = { segment: words[word + MOVED_SEGMENT]!, offset8: words[word + MOVED_OFFSET8]! };
    const stored = this.#stored.get(key);
    const isCurrent = stored?.segment === from.segment && stored.offset8 === from.offset8;
    if (isCurrent && this.takes()) {
      this.#stored.set(key, block);
      this.#release(from.segment, from.offset8);
    } else {
      this.#release(block.segment, block.offset8);
    }
  }

  #release(segment: number, offset8: number): void {
    const word = this.#releases.claim();
    assert.notEqual(word, -1);
    this.#releases.words[word + RELEASE_SEGMENT] = segment;
    this.#releases.words[word + RELEASE_OFFSET8] = offset8;
  }
}

function bodyOf(i: number): string {
  return JSON.stringify({ i, text: 'x'.repeat(600 + (i % 700)) });
}

function draftOf(i: number): BlockDraft {
  const name = `n${i}`;
  const body = Buffer.from(bodyOf(i));
  return {
    namespaceLength: 0,
    nameLength: name.length,
    uidLength: 0,
    resourceVersionLength: 0,
    identityBytes: name.length,
    fieldCount: 0,
    fieldBytes: 0,
    bodyLength: body.length,
    hashLo: 1,
    hashHi: 1,
    isAscii: true,
    writeIdentity: (target, at) => void target.write(name, at),
    writeFields: () => {},
    writeBody: (target, at) => void body.copy(target, at),
  };
}
