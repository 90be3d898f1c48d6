import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { hashKey } from '../../src/layout/key-hash.ts';
import { SCAN_HASH_HI, SCAN_HASH_LO, SCAN_MAX_HASHED_BYTES } from '../../src/layout/scan.ts';
import { Backlog } from '../../src/scan/backlog.ts';
import {
  ListFramer,
  type LoadedProgram,
  ScanEngine,
  Step,
  scannerModule,
  WatchFramer,
} from '../../src/scan/index.ts';
import { PROGRAMS_BYTES } from '../../src/scan/memory.ts';
import { ScanWindow } from '../../src/scan/window.ts';
import { drain, type Framer, newEngine, newRun, readResult, spec } from './harness.ts';
import { Random, runSeed } from './random.ts';

function event(name: string): string {
  return `{"type":"ADDED","object":{"metadata":{"name":"${name}"}}}\n`;
}

describe('scan engine', () => {
  it('lets framers take turns at any byte', () => {
    const random = new Random(runSeed('scan engine'));
    const engine = newEngine();
    const program = engine.load(spec([]));
    const names = Array.from({ length: 300 }, (_, n) => `name-${n}-${'x'.repeat(random.below(500))}`);
    const list = `{"items":[${names.map((name) => `{"metadata":{"name":"${name}"}}`).join(',')}]}`;
    const watch = names.map(event).join('');
    const lanes = [list, watch, watch, list].map((text, index) => ({
      body: Buffer.from(text),
      framer:
        index % 3 === 0 ? new ListFramer(engine, program) : (new WatchFramer(engine, program) as Framer),
      run: newRun(),
      at: 0,
    }));

    for (let open = [...lanes]; open.length > 0; open = open.filter((lane) => !lane.run.isDone)) {
      const lane = random.pick(open);
      const bytes = 1 + random.below(random.chance(80) ? 2000 : 20_000);
      if (lane.at < lane.body.length) lane.framer.push(lane.body.subarray(lane.at, lane.at + bytes));
      else lane.framer.end();
      lane.at += bytes;
      // Sometimes the caller stops early, as when its ring is full.
      if (random.chance(20) && lane.at < lane.body.length) continue;
      drain(lane.framer, engine, lane.run);
    }

    for (const { run } of lanes) assert.deepEqual(run.trace, names);
  });

  it('keeps what a framer has not read when the caller stops in the middle of a chunk', () => {
    const engine = newEngine();
    const program = engine.load(spec([]));
    const [first, second] = [new WatchFramer(engine, program), new WatchFramer(engine, program)];
    first.push(Buffer.from(event('a') + event('b')));
    assert.equal(first.next(), Step.event);
    second.push(Buffer.from(event('c')));
    assert.equal(second.next(), Step.event);
    const run = newRun();
    drain(first, engine, run);

    assert.deepEqual(run.trace, ['b']);
  });

  it('gives again what was not taken, after others had the window too', () => {
    const engine = newEngine();
    const program = engine.load(spec([]));
    const items = Buffer.from('{"items":[{"metadata":{"name":"a"}} ,\n{"metadata":{"name":"b"}}]}');
    const events = Buffer.from(`${event('a')}{"type":"ADDED",\n"object":{"metadata":{"name":"b"}\n}}\n`);
    const list = new ListFramer(engine, program);
    const watch = new WatchFramer(engine, program);
    const other = new WatchFramer(engine, program);
    list.push(items);
    watch.push(events);
    for (const framer of [list, watch, list, watch]) {
      const step = framer.next();
      const first = readResult(engine);
      framer.unread();
      other.push(Buffer.from(event('other')));
      assert.equal(other.next(), Step.event);

      assert.equal(framer.next(), step);
      assert.deepEqual(readResult(engine), first);
    }

    assert.equal(list.next(), Step.more);
    assert.equal(watch.next(), Step.more);
  });

  it('leaves the window to others when a framer is closed', () => {
    const engine = newEngine();
    const program = engine.load(spec([]));
    const closed = new WatchFramer(engine, program);
    closed.push(Buffer.from(event('a')));
    closed.close();
    const other = new WatchFramer(engine, program);
    other.push(Buffer.from(event('b')));

    assert.equal(other.next(), Step.event);
    assert.equal(closed.next(), Step.done);
  });

  it('hashes keys as readers do', () => {
    const engine = newEngine();
    const program = engine.load(spec([]));
    const framer = new WatchFramer(engine, program);
    for (let length = 1; length < 80; length++) {
      for (const namespace of ['', 'n', 'ns', 'nsp', 'kube-system', 'ключ']) {
        const name = 'abcdefghij'.repeat(8).slice(0, length);
        framer.push(
          Buffer.from(`{"type":"A","object":{"metadata":{"name":"${name}","namespace":"${namespace}"}}}\n`),
        );
        assert.equal(framer.next(), Step.event);

        const wanted = { lo: 0, hi: 0 };
        hashKey(namespace === '' ? name : `${namespace}/${name}`, { lo: 0x12345678, hi: 0x9abcdef0 }, wanted);
        assert.deepEqual({ lo: engine.resultAt(SCAN_HASH_LO), hi: engine.resultAt(SCAN_HASH_HI) }, wanted);
      }
    }
  });

  it('leaves the hash of very long and of escaped keys to the reader', () => {
    const engine = newEngine();
    const framer = new WatchFramer(engine, engine.load(spec([])));
    for (const name of ['x'.repeat(SCAN_MAX_HASHED_BYTES), '\\u0061']) {
      framer.push(Buffer.from(event(name)));
      assert.equal(framer.next(), Step.event);
      assert.deepEqual([engine.resultAt(SCAN_HASH_LO), engine.resultAt(SCAN_HASH_HI)], [0, 0]);
    }
  });

  it('loads programs until there is no room, and again when some are freed', () => {
    const engine = newEngine();
    const large = spec(Array.from({ length: 60 }, (_, n) => `spec['key-${n}-${'k'.repeat(900)}']`));
    const programs: LoadedProgram[] = [];
    assert.throws(
      () => {
        for (let count = 0; count < PROGRAMS_BYTES / 50_000; count++) programs.push(engine.load(large));
      },
      { name: 'ScanMemoryError', code: 'ERR_SCAN_MEMORY', message: /no room for a scan program/ },
    );

    // In any order, so that neighbours join.
    for (const index of [3, 1, 2, 0]) programs[index]!.free();
    programs[0]!.free();
    for (let count = 0; count < 4; count++) engine.load(large);
    assert.throws(() => engine.load(large), /no room/);
  });

  it('refuses a program that was freed', () => {
    const engine = newEngine();
    const program = engine.load(spec([]));
    const framer = new WatchFramer(engine, program);
    program.free();

    framer.push(Buffer.from(event('a')));
    assert.throws(() => framer.next(), /program.*freed/);
  });

  it('counts places in a body beyond 2^32', () => {
    const window = new ScanWindow();
    const backlog = new Backlog(window, 2 ** 32 - 1);
    backlog.take();
    backlog.append(Buffer.from('abc'));
    backlog.consumeTo(backlog.start + 2);

    assert.equal(backlog.bodyByte(backlog.start), 2 ** 32 + 1);
    assert.equal(backlog.receivedBytes, 2 ** 32 + 2);
  });

  it('says so when more is pushed than memory can hold', () => {
    const window = new ScanWindow();

    assert.throws(() => window.reserve(2 ** 31), { name: 'ScanMemoryError', message: /call next\(\) until/ });
  });

  it('takes a compiled module from another thread', async () => {
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       import(workerData.url).then(({ ScanEngine }) => {
         const engine = ScanEngine.create({ module: workerData.module, seed: { lo: 1, hi: 2 } });
         parentPort.postMessage(engine.memoryBytes);
       });`,
      {
        eval: true,
        workerData: {
          url: new URL('../../src/scan/index.ts', import.meta.url).href,
          module: scannerModule(),
        },
      },
    );
    const memoryBytes = await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
    await worker.terminate();

    assert.equal(memoryBytes, ScanEngine.create({ seed: { lo: 1, hi: 2 } }).memoryBytes);
  });
});
