import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  type ControllerOptions,
  type ReconcileFunction,
  ReconcileTimeoutError,
  TerminalError,
} from '../../src/controller/index.ts';
import { LOW_PRIORITY } from '../../src/workqueue/index.ts';
import type { Harness, Thing } from '../informer/harness.ts';
import { thing } from '../informer/harness.ts';
import { Gate, makeThings, Scene } from './controller-set-up.ts';

describe('a reconcile that', () => {
  let things: Harness;
  let scene: Scene;
  /** When which key was reconciled, and for how many times since its last success. */
  let calls: [ms: number, name: string, attempt: number][];

  beforeEach(() => {
    things = makeThings([thing('ns/a', 1)]);
    calls = [];
  });

  afterEach(async () => {
    await scene.stop();
  });

  /** Runs a controller whose reconcile tells its calls. */
  async function run(
    reconcile: ReconcileFunction<Thing>,
    options: Partial<ControllerOptions<Thing>> = {},
  ): Promise<Scene> {
    scene = new Scene({
      for: things.informer,
      reconcile: (request, context) => {
        calls.push([scene.clock.now(), request.name, context.attempt]);
        return reconcile(request, context);
      },
      ...options,
    });
    return scene.start();
  }

  const times = () => calls.map(([ms]) => ms);
  const attempts = () => calls.map(([, , attempt]) => attempt);
  const codes = () => scene.errors.map(({ code }) => code);

  describe('succeeds', () => {
    it('is not called again', async () => {
      await run(() => {});
      await scene.advance(3_600_000);

      assert.deepEqual(times(), [0]);
    });

    for (const how of ['returned', 'called'] as const) {
      it(`is called again after the time of requeueAfter, ${how}`, async () => {
        await run((_, { requeueAfter }) => {
          if (how === 'returned') return { requeueAfter: 5000 };
          requeueAfter(9000);
          requeueAfter(5000);
          return undefined;
        });
        await scene.advance(10_000);

        assert.deepEqual(times(), [0, 5000, 10_000]);
        assert.deepEqual(attempts(), [1, 1, 1]);
      });
    }

    it('is called again with growing delays when it asks for that, also without a time to wait', async () => {
      let calls = 0;
      await run((_, { requeueAfter }) => (calls++ % 2 === 0 ? { requeue: true } : requeueAfter(0)));
      await scene.advance(75);

      assert.deepEqual(times(), [0, 5, 15, 35, 75]);
      assert.deepEqual(attempts(), [1, 2, 3, 4, 5]);
    });

    it('begins with the first delay again when it fails later', async () => {
      let failures = 2;
      await run(({ name }) => {
        if (name === 'a' && failures-- > 0) throw new Error('not yet');
      });
      await scene.advance(1000);
      failures = 1;
      scene.controller.enqueue('ns/a');
      await scene.advance(1000);

      assert.deepEqual(times(), [0, 5, 15, 1000, 1005]);
      assert.deepEqual(attempts(), [1, 2, 3, 1, 2]);
    });
  });

  describe('fails', () => {
    it('is called again after delays that double, and each time is told', async () => {
      await run(async () => {
        throw new Error('no such node');
      });
      await scene.advance(35);

      assert.deepEqual(times(), [0, 5, 15, 35]);
      assert.deepEqual(attempts(), [1, 2, 3, 4]);
      const [error] = scene.errors;
      assert.equal(error?.code, 'reconcile-failed');
      assert.equal(error?.key, 'ns/a');
      assert.equal(error?.controller, 'things');
      assert.equal(error?.message, 'things: the reconcile of ns/a failed: no such node');
      assert.equal(messageOf(error?.cause), 'no such node');
    });

    it('does not hold up other keys', async () => {
      things.added(thing('ns/b', 101));
      things.work();
      await run(({ name }) => {
        if (name === 'a') throw new Error('always');
      });

      assert.deepEqual(calls.map(([, name]) => name).sort(), ['a', 'b']);
    });

    for (const [what, reconcile] of Object.entries<ReconcileFunction<Thing>>({
      'by throwing at once': () => {
        throw new Error('at once');
      },
      'with what is no error': () => Promise.reject('a text'),
      'with nothing': () => Promise.reject(undefined),
      'by returning a negative time': () => ({ requeueAfter: -1 }),
      'by returning no number': () => ({ requeueAfter: Number.NaN }),
      'by returning a text': () => 'later' as never,
      'by asking for no time': (_, { requeueAfter }) => requeueAfter('soon' as never),
    })) {
      it(`is called again and does no harm when it does so ${what}`, async () => {
        let isFirst = true;
        await run((request, context) => {
          if (!isFirst) return undefined;
          isFirst = false;
          return reconcile(request, context);
        });
        await scene.advance(5);

        assert.deepEqual(times(), [0, 5]);
        assert.deepEqual(codes(), ['reconcile-failed']);
        assert.equal(scene.controller.stats.failed, 1);
        assert.equal(scene.controller.stats.succeeded, 1);
      });
    }

    it('is not called again after a TerminalError, before something happens to the object', async () => {
      await run(() => {
        throw new TerminalError('the image has no name');
      });
      await scene.advance(3_600_000);
      assert.deepEqual(times(), [0]);
      assert.deepEqual(codes(), ['terminal']);

      things.modified(thing('ns/a', 101));
      things.work();
      await scene.rest();
      assert.deepEqual(attempts(), [1, 1]);
    });

    it('is given up after maxRetries, until something happens to the object', async () => {
      await run(() => Promise.reject(new Error('always')), { maxRetries: 2 });
      await scene.advance(3_600_000);
      assert.deepEqual(times(), [0, 5, 15]);
      assert.deepEqual(codes(), ['reconcile-failed', 'reconcile-failed', 'gave-up']);
      assert.match(scene.errors[2]!.message, /ns\/a failed 3 times and is given up: always/);
      assert.equal(scene.controller.stats.gaveUp, 1);

      things.modified(thing('ns/a', 101));
      things.work();
      await scene.rest();
      assert.deepEqual(attempts(), [1, 2, 3, 1]);
    });

    it('waits as long as a limiter of its own says', async () => {
      const failures: string[] = [];
      const rateLimiter = { when: () => 700, forget() {}, numRequeues: () => failures.length };
      await run(({ key }) => Promise.reject(failures.push(key)), { rateLimiter });
      await scene.advance(1500);

      assert.deepEqual(times(), [0, 700, 1400]);
      assert.deepEqual(attempts(), [1, 2, 3]);
    });

    it('is called again although a limiter of its own fails', async () => {
      const rateLimiter = { when: () => Number.NaN, forget() {}, numRequeues: () => 0 };
      await run(() => Promise.reject(new Error('always')), { rateLimiter });
      await scene.advance(10_000);

      assert.deepEqual(times(), [0, 10_000]);
      assert.deepEqual(codes().slice(0, 2), ['rate-limiter-failed', 'reconcile-failed']);
    });

    it('keeps its priority when it waits, so that it does not get before what changes', async () => {
      things = makeThings([thing('ns/a', 1), thing('ns/b', 2)]);
      const gate = new Gate();
      await run(gate.reconcile);
      const [failing, other] = gate.inside[0] === 'ns/a' ? ['ns/a', 'ns/b'] : ['ns/b', 'ns/a'];
      gate.fail(failing!, new Error('not yet'));
      await scene.rest();
      await scene.advance(5);
      things.added(thing('ns/new', 101));
      things.work();
      gate.end(other!);
      await scene.rest();

      assert.deepEqual(gate.begun, [failing, other, 'ns/new'], `${failing} has ${LOW_PRIORITY} still`);
      gate.end('ns/new');
      await scene.rest();
      assert.deepEqual(gate.inside, [failing]);
      gate.end(failing!);
    });
  });

  describe('takes too long', () => {
    it('is told to end and reported at once, and counts as failed when it ends, however', async () => {
      const gate = new Gate();
      await run(gate.reconcile, { reconcileTimeoutMs: 2000 });
      await scene.advance(2000);
      const signal = gate.signals.get('ns/a');
      assert.ok(signal?.reason instanceof ReconcileTimeoutError);
      assert.deepEqual(codes(), ['timed-out']);
      await scene.advance(60_000);
      assert.deepEqual(times(), [0], 'never twice at a time');

      gate.end('ns/a');
      await scene.rest();
      await scene.advance(5);
      assert.deepEqual(attempts(), [1, 2]);
      assert.deepEqual(codes(), ['timed-out'], 'told once');
      const { failed, timedOut, succeeded } = scene.controller.stats;
      assert.deepEqual({ failed, timedOut, succeeded }, { failed: 1, timedOut: 1, succeeded: 0 });
      gate.end('ns/a');
    });

    it('does not count for one that ends in time', async () => {
      const gate = new Gate();
      await run(gate.reconcile, { reconcileTimeoutMs: 2000 });
      await scene.advance(1999);
      gate.end('ns/a');
      await scene.advance(60_000);

      assert.equal(gate.signals.get('ns/a')?.aborted, false);
      assert.deepEqual(codes(), []);
      assert.equal(scene.controller.stats.succeeded, 1);
    });
  });

  describe('fails with nobody listening', () => {
    it('is a warning of the process, once', async (t) => {
      const warnings = t.mock.method(process, 'emitWarning', () => {});
      await run(() => Promise.reject(new Error('always')));
      scene.controller.removeAllListeners('error');
      await scene.advance(5000);

      assert.equal(warnings.mock.callCount(), 1);
      assert.match(
        String(warnings.mock.calls[0]?.arguments[0]),
        /the reconcile of ns\/a failed: always \(listen to/,
      );
    });

    for (const [how, listener] of Object.entries({
      throws: () => {
        throw new Error('the listener fails');
      },
      rejects: () => Promise.reject(new Error('the listener fails')),
    })) {
      it(`or with a listener that ${how}, goes on`, async (t) => {
        const warnings = t.mock.method(process, 'emitWarning', () => {});
        await run(() => Promise.reject(new Error('always')));
        scene.controller.on('error', listener);
        await scene.advance(15);

        assert.deepEqual(times(), [0, 5, 15]);
        assert.equal(scene.outcome, undefined);
        assert.match(String(warnings.mock.calls[0]?.arguments[0]), /the listener fails/);
      });
    }
  });
});

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
