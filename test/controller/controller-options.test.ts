import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { CONTROLLER_METRICS, Controller, type ControllerOptions } from '../../src/controller/index.ts';
import { QUEUE_METRICS } from '../../src/workqueue/index.ts';
import { Harness, type Thing, thing } from '../informer/harness.ts';
import { FakeRegistry } from '../workqueue/helpers.ts';
import { makeThings, Scene } from './controller-set-up.ts';
import { FakeLeases } from './fake-leases.ts';

const MODULE = new URL('file:///nowhere.js');

describe('a controller', () => {
  let scene: Scene | undefined;

  afterEach(async () => {
    await scene?.stop();
    scene = undefined;
  });

  for (const [what, change, message] of [
    [
      'no reconcile',
      { reconcile: undefined },
      /reconcile is a function or the URL of a module, not a undefined/,
    ],
    [
      'a text as reconcile',
      { reconcile: './reconcile.js' },
      /reconcile is a function or the URL of a module, not a string/,
    ],
    ['no informer', { for: undefined }, /for is an informer: give what `factory.informerFor` returns/],
    ['a resource as informer', { for: { resource: 'pods' } }, /for is an informer/],
    ['a bad informer that it owns', { owns: [{}] }, /owns\[0\] is an informer/],
    ['a bad informer in a watch', { watches: [{ map: () => [] }] }, /watches\[0\].informer is an informer/],
    [
      'a watch without a function',
      { watches: [{ informer: new Harness().informer }] },
      /watches\[0\].map is a function/,
    ],
    ['a bad lister', { listers: { pods: 5 } }, /listers.pods is an informer/],
    ['a predicate that is none', { predicates: ['generation'] }, /a predicate is a function of an event/],
    ['a concurrency of 0', { concurrency: 0 }, /concurrency is a whole number from 1 on, not 0/],
    ['a concurrency of -1', { concurrency: -1 }, /concurrency is a whole number from 1 on, not -1/],
    ['half a concurrency', { concurrency: 1.5 }, /concurrency is a whole number from 1 on, not 1.5/],
    ['threads for a function', { threads: 2 }, /threads is for a module/],
    ['a concurrency for a module', { reconcile: MODULE, concurrency: 2 }, /concurrency is for a function/],
    [
      'no threads for a module',
      { reconcile: MODULE, threads: 0 },
      /threads is a whole number from 1 on, not 0/,
    ],
    ['too many threads', { reconcile: MODULE, threads: 1000 }, /threads is at most 256, not 1000/],
    ['an unknown queue', { queue: 'lifo' }, /queue is 'priority' or 'fifo', not "lifo"/],
    ['negative retries', { maxRetries: -1 }, /maxRetries is a whole number from 0 on, not -1/],
    [
      'no time to reconcile',
      { reconcileTimeoutMs: 0 },
      /reconcileTimeoutMs is a number of milliseconds from 1 to/,
    ],
    [
      'an endless time to reconcile',
      { reconcileTimeoutMs: 2 ** 31 },
      /reconcileTimeoutMs is a number of millisec/,
    ],
    ['no number as time to sync', { syncTimeoutMs: Number.NaN }, /syncTimeoutMs is a number of milliseconds/],
    [
      'a negative time to drain',
      { drainTimeoutMs: -1 },
      /drainTimeoutMs is a number of milliseconds from 0 to/,
    ],
    [
      'a negative time for the cache',
      { cacheWaitMs: -1 },
      /cacheWaitMs is a number of milliseconds from 0 to/,
    ],
    ['an empty name', { name: '' }, /name is a word for errors and metrics/],
    [
      'durations of an election that contradict each other',
      {
        leaderElection: {
          client: new FakeLeases(),
          lease: { namespace: 'n', name: 'l' },
          renewDeadlineMs: 20_000,
        },
      },
      /leaseDurationMs \(15000\) must be above renewDeadlineMs \(20000\)/,
    ],
  ] satisfies [string, object, RegExp][]) {
    it(`is refused with ${what}`, () => {
      const options = { for: new Harness().informer, reconcile: () => {}, ...change };

      assert.throws(() => new Controller(options as unknown as ControllerOptions), {
        code: 'KUBERING_USAGE',
        message,
      });
    });
  }

  it('is refused without options', () => {
    assert.throws(() => new Controller(undefined as never), {
      code: 'KUBERING_USAGE',
      message: /needs options/,
    });
  });

  it('is named after its resource, or as it is told', () => {
    const { informer } = new Harness();

    assert.equal(new Controller({ for: informer, reconcile() {} }).name, 'things');
    assert.equal(new Controller({ for: informer, reconcile() {}, name: 'janitor' }).name, 'janitor');
  });

  it('refuses to queue by hand what is no key, and times that are none', async () => {
    scene = await new Scene({ for: makeThings().informer, reconcile() {} }).start();
    const { controller } = scene;

    for (const key of ['', '/', 'a/', '/b', 'a/b/c', 5]) {
      assert.throws(() => controller.enqueue(key as string), { code: 'KUBERING_USAGE', message: /a key is/ });
    }
    assert.throws(() => controller.enqueue('a/b', { afterMs: -1 }), { name: 'QueueArgumentError' });
    assert.throws(() => controller.enqueue('a/b', { priority: 0.5 }), { name: 'QueueArgumentError' });
  });

  it('gives its metrics, and those of its queue, to a registry', async () => {
    const metrics = new FakeRegistry();
    scene = await new Scene({
      for: makeThings([thing('ns/a', 1), thing('ns/b', 2)]).informer,
      name: 'janitor',
      concurrency: 2,
      metrics,
      reconcile: async ({ name }, _context) => {
        if (name === 'b') throw new Error('always');
      },
    }).start();

    for (const { name } of [...Object.values(CONTROLLER_METRICS), ...Object.values(QUEUE_METRICS)]) {
      assert.ok(
        metrics.specs.some((spec) => spec.name === name),
        name,
      );
    }
    assert.equal(metrics.values.controller_runtime_reconcile_errors_total, 1);
    assert.equal(metrics.values.controller_runtime_max_concurrent_reconciles, 2);
    assert.equal(metrics.values.controller_runtime_active_workers, 0);
    assert.deepEqual(metrics.observed.controller_runtime_reconcile_time_seconds, [0, 0]);
    const results = metrics.labels.filter((labels) => 'result' in labels);
    assert.deepEqual(
      results.map((labels) => (labels as { result?: string }).result),
      ['success', 'requeue', 'requeue_after', 'error'],
    );
  });
});

/** What would be wrong is found by the compiler. */
export function typesOf(things: Harness['informer'], leases: FakeLeases): Controller<Thing> {
  const controller = new Controller({
    for: things,
    owns: [things, { informer: things, predicates: [(event) => event.object.metadata.name !== ''] }],
    listers: { others: things },
    leaderElection: { client: leases, lease: { namespace: 'a', name: 'b' } },
    reconcile: async ({ key }, { lister, listers, requeueAfter }) => {
      const node: string | undefined = lister.get(key)?.spec?.node;
      const other: Thing | undefined = listers.others.get(key);
      // @ts-expect-error there is no such lister
      listers.nobody;
      if (node === undefined) return requeueAfter(5);
      if (other === undefined) return { requeue: true };
      return undefined;
    },
  });
  // @ts-expect-error what is returned is no result
  new Controller({ for: things, reconcile: () => 5 });
  return controller as unknown as Controller<Thing>;
}
