import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { threadId } from 'node:worker_threads';
import type { ControllerOptions, ReconcileModuleError } from '../../src/controller/index.ts';
import type { InformerHandle } from '../../src/informer/index.ts';
import { until } from '../e2e/until.ts';
import { type Harness, type Thing, thing } from '../informer/harness.ts';
import { makeThings, Scene } from './controller-set-up.ts';

/** A thread starts in some hundred milliseconds, and later on a machine that is busy. */
const START_MS = 30_000;

describe('a controller that reconciles in threads', () => {
  let things: Harness;
  let scene: Scene;
  let calls: Int32Array;

  beforeEach(() => {
    calls = new Int32Array(new SharedArrayBuffer(4096));
  });

  afterEach(async () => {
    await scene.stop();
    await until('it has ended', () => scene.outcome !== undefined, START_MS);
  });

  async function run(
    names: string[],
    options: Partial<ControllerOptions<Thing>> = {},
    handle: unknown = { calls },
  ) {
    things = makeThings(names.map((name, i) => thing(`ns/${name}`, i + 1)));
    const informer = Object.assign(things.informer, { handle: () => handle as InformerHandle });
    scene = new Scene({
      for: informer,
      listers: { others: informer },
      reconcile: moduleOf('reconcile'),
      threadEntry: moduleOf('entry'),
      ...options,
    });
    await scene.start();
  }

  const numberOfCalls = () => Atomics.load(calls, 0);
  const threads = () => new Set(calls.slice(1, 1 + numberOfCalls()));
  const ended = (count: number) => {
    const { succeeded, failed, requeued, active } = scene.controller.stats;
    return succeeded + failed + requeued >= count && active === 0;
  };

  /** Waits until so many reconciles have ended. */
  async function untilEnded(count: number): Promise<void> {
    await until(
      `${count} reconciles have ended`,
      () => ended(count) || scene.outcome !== undefined,
      START_MS,
    );
    if (scene.outcome !== undefined) throw scene.failure;
  }

  it('calls the module there, in as many of them as it is told, and none twice at a time', async () => {
    await run(
      Array.from({ length: 30 }, (_, i) => `ok-${i}`),
      { threads: 2 },
    );
    await untilEnded(30);

    assert.equal(scene.controller.stats.succeeded, 30);
    assert.equal(numberOfCalls(), 30);
    assert.equal(threads().size, 2);
    assert.ok(!threads().has(threadId), 'not on this one');
    assert.deepEqual(scene.errors, []);
  });

  it('takes a default export as well', async () => {
    await run(['ok'], { reconcile: moduleOf('default-export') });
    await untilEnded(1);

    assert.equal(scene.controller.stats.succeeded, 1);
  });

  it('gets results and errors back', async () => {
    await run(['later', 'fail', 'terminal', 'nothing']);
    await untilEnded(4);

    const { requeued, failed, terminal } = scene.controller.stats;
    assert.deepEqual({ requeued, failed, terminal }, { requeued: 1, failed: 3, terminal: 1 });
    const cause = scene.errors.find(({ key }) => key === 'ns/fail')?.cause as Error & { code?: string };
    assert.deepEqual([cause.name, cause.message, cause.code], ['RangeError', 'the name says so', 'E_NAME']);
    assert.match(String(cause.stack), /thread-modules\/reconcile/);
  });

  it('learns what was written there, and waits until the cache has it', async () => {
    await run(['write']);
    await untilEnded(1);
    scene.controller.enqueue('ns/write');
    await scene.rest();

    assert.equal(scene.controller.stats.waitingForCache, 1);
  });

  it('tells a reconcile there to end when it takes too long', async () => {
    await run(['listen'], { reconcileTimeoutMs: 2000, maxRetries: 0 });
    await until('it was called', () => numberOfCalls() === 1, START_MS);
    await scene.advance(2000);
    await untilEnded(1);

    assert.deepEqual(
      scene.errors.map(({ code }) => code),
      ['timed-out', 'gave-up'],
    );
  });

  it('tells a reconcile there to end when it stops', async () => {
    await run(['listen']);
    await until('it was called', () => numberOfCalls() === 1, START_MS);
    await scene.stop();
    await until('it has ended', () => scene.outcome !== undefined);

    assert.equal(scene.outcome, 'resolved');
  });

  it('ends the thread of one that goes on after its time, and goes on with another thread', async () => {
    await run(['spin'], { reconcileTimeoutMs: 2000, maxRetries: 0 });
    await until('it was called', () => numberOfCalls() === 1, START_MS);
    await scene.advance(2000);
    assert.equal(scene.controller.stats.active, 1);
    await scene.advance(1000);
    await untilEnded(1);
    scene.controller.enqueue('ns/ok');
    await untilEnded(2);

    assert.equal(scene.controller.stats.succeeded, 1);
    assert.equal(threads().size, 2);
  });

  it('ends a thread that goes on after a stop when the time to drain is over', async () => {
    await run(['spin']);
    await until('it was called', () => numberOfCalls() === 1, START_MS);
    await scene.stop();
    await scene.advance(30_000);
    await until('it has ended', () => scene.outcome !== undefined);

    assert.equal(scene.failure.code, 'KUBERING_DRAIN_TIMEOUT');
  });

  for (const how of ['exit', 'crash']) {
    it(`replaces a thread that ends by ${how}, and tries its key again there`, async () => {
      await run([how, 'ok']);
      await untilEnded(2);
      await scene.advance(5);
      await untilEnded(3);

      const { succeeded, failed } = scene.controller.stats;
      assert.deepEqual({ succeeded, failed }, { succeeded: 2, failed: 1 });
      const cause = scene.errors[0]?.cause as Error & { code?: string };
      assert.equal(cause.code, 'KUBERING_RECONCILE_THREAD');
      assert.match(cause.message, new RegExp(`the thread that reconciled ns/${how} has died`));
      assert.equal(threads().size, 2);
    });
  }

  for (const [what, module, code, message] of [
    ['does not exist', 'nothing', 'not-loaded', /nothing\.ts can't be loaded: Cannot find module/],
    ['fails while it is loaded', 'throws', 'not-loaded', /can't be loaded: it can not be loaded/],
    ['has no such export', 'no-export', 'no-export', /exports no function as `reconcile` or as its default/],
  ] as const) {
    it(`fails at once with a module that ${what}`, async () => {
      await run([], { reconcile: moduleOf(module), threads: 2 });
      await until('it has ended', () => scene.outcome !== undefined, START_MS);

      assert.equal((scene.failure as ReconcileModuleError).name, 'ReconcileModuleError');
      assert.equal(scene.failure.code, code);
      assert.match(scene.failure.message, message);
      assert.equal(things.informer.stats.handlers, 0);
    });
  }

  it('fails at once when a thread can not read the caches', async () => {
    await run([], {}, 'broken');
    await until('it has ended', () => scene.outcome !== undefined, START_MS);

    assert.equal(scene.failure.code, 'not-attached');
    assert.match(scene.failure.message, /can't read the caches in its thread: the handle is broken/);
  });
});

function moduleOf(name: string): URL {
  return new URL(`./thread-modules/${name}.ts`, import.meta.url);
}
