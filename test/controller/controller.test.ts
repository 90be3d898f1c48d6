import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { type ControllerOptions, TerminalError } from '../../src/controller/index.ts';
import { Harness, type Thing, thing } from '../informer/harness.ts';
import { Gate, makeThings, Recorder, Scene } from './controller-set-up.ts';
import { settle } from './manual-clock.ts';

describe('Controller', () => {
  const scenes: Scene[] = [];

  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.stop();
  });

  function make(options: ControllerOptions<Thing>): Scene {
    const scene = new Scene(options);
    scenes.push(scene);
    return scene;
  }

  describe('calls reconcile', () => {
    it('with what exists and what changes, with its key, namespace and name', async () => {
      const things = makeThings([thing('a/one', 1)]);
      const requests: object[] = [];
      const scene = await make({
        for: things.informer,
        reconcile: (request) => void requests.push(request),
      }).start();
      things.added({ metadata: { name: 'two', uid: 'u2', resourceVersion: '101' } });
      things.work();
      await scene.rest();

      assert.deepEqual(requests, [
        { key: 'a/one', namespace: 'a', name: 'one' },
        { key: 'two', namespace: '', name: 'two' },
      ]);
    });

    it('also with what was deleted', async () => {
      const things = makeThings([thing('a/one', 1)]);
      const there: boolean[] = [];
      const scene = await make({
        for: things.informer,
        reconcile: ({ key }, { lister }) => void there.push(lister.has(key)),
      }).start();
      things.deleted(thing('a/one', 101));
      things.work();
      await scene.rest();

      assert.deepEqual(there, [true, false]);
    });

    it('with the lister, and those that were named', async () => {
      const [things, others] = [makeThings([thing('a/one', 1)]), makeThings([thing('a/other', 2)])];
      const seen: unknown[] = [];
      await make({
        for: things.informer,
        listers: { others: others.informer },
        reconcile: ({ key }, { lister, listers }) => {
          seen.push(lister.get(key)?.metadata.name, listers.others?.keys());
        },
      }).start();

      assert.deepEqual(seen, ['one', ['a/other']]);
    });

    it('once for several events of a key that waits', async () => {
      const things = makeThings([thing('a/busy', 1)]);
      const gate = new Gate();
      const scene = await make({ for: things.informer, reconcile: gate.reconcile }).start();
      for (let version = 101; version < 105; version++) things.added(thing('a/one', version));
      things.added(thing('a/two', 105));
      things.work();
      for (const key of ['a/busy', 'a/one', 'a/two']) {
        gate.end(key);
        await scene.rest();
      }

      assert.deepEqual(gate.begun, ['a/busy', 'a/one', 'a/two']);
    });

    it('again for an event that came while the key was reconciled', async () => {
      const things = makeThings([thing('a/one', 1)]);
      const gate = new Gate();
      const scene = await make({ for: things.informer, reconcile: gate.reconcile, concurrency: 3 }).start();
      things.modified(thing('a/one', 101));
      things.work();
      await scene.rest();
      assert.deepEqual(gate.begun, ['a/one'], 'never twice at a time');

      gate.end('a/one');
      await scene.rest();
      assert.deepEqual(gate.begun, ['a/one', 'a/one']);
    });

    it('for as many keys at a time as its concurrency says, and no more', async () => {
      const things = makeThings(['a', 'b', 'c', 'd'].map((name, i) => thing(`ns/${name}`, i + 1)));
      const gate = new Gate();
      const scene = await make({ for: things.informer, reconcile: gate.reconcile, concurrency: 2 }).start();
      assert.equal(gate.inside.length, 2);
      assert.equal(scene.controller.stats.active, 2);
      assert.equal(scene.controller.stats.queued, 2);

      gate.end(gate.inside[0]!);
      await scene.rest();
      assert.equal(gate.inside.length, 2);
      assert.equal(gate.begun.length, 3);
    });

    it('for a key that was queued by hand, when it is time', async () => {
      const recorder = new Recorder();
      const scene = make({ for: makeThings().informer, reconcile: recorder.reconcile });
      assert.equal(scene.controller.enqueue('a/one'), false, 'it does not run');
      await scene.start();
      assert.equal(scene.controller.enqueue('a/one'), true);
      scene.controller.enqueue('a/two', { afterMs: 1000 });
      await scene.advance(999);
      assert.deepEqual(recorder.keys, ['a/one']);

      await scene.advance(1);
      assert.deepEqual(recorder.keys, ['a/one', 'a/two']);
    });

    it('and lets the event loop turn between keys', async () => {
      const things = makeThings(Array.from({ length: 200 }, (_, i) => thing(`ns/${i}`, i + 1)));
      let keys = 0;
      const scene = make({
        for: things.informer,
        reconcile: () => {
          keys++;
        },
      });
      void scene.start();
      const seen = new Set<number>();
      for (let turn = 0; turn < 20_000 && keys < 200; turn++) {
        seen.add(keys);
        await settle();
      }

      assert.ok(seen.size > 100, `the loop turned ${seen.size} times`);
    });
  });

  describe('waits at the start', () => {
    it('until all caches are synced, those that are only read included', async () => {
      const [things, others] = [makeThings([thing('a/one', 1)]), new Harness()];
      void others.informer.start();
      const recorder = new Recorder();
      const scene = await make({
        for: things.informer,
        listers: { others: others.informer },
        reconcile: recorder.reconcile,
      }).start();
      assert.deepEqual(recorder.keys, []);

      others.list([], '5');
      others.work();
      await scene.rest();
      assert.deepEqual(recorder.keys, ['a/one']);
    });

    it('for two minutes, and then says which caches are not synced', async () => {
      const things = new Harness();
      void things.informer.start();
      const scene = await make({ for: things.informer, reconcile: () => {} }).start();
      await scene.advance(119_999);
      assert.equal(scene.outcome, undefined);

      await scene.advance(1);
      const { code, message } = scene.failure;
      assert.equal(code, 'KUBERING_NOT_SYNCED');
      assert.match(message, /1 of 1 caches are not synced: things: its first list is not complete yet/);
      assert.equal(scene.clock.pending, 0);
    });

    it('and ends when it is stopped meanwhile', async () => {
      const things = new Harness();
      void things.informer.start();
      const scene = await make({ for: things.informer, reconcile: () => {} }).start();
      await scene.stop();

      assert.equal(scene.outcome, 'resolved');
      assert.equal(scene.clock.pending, 0);
    });

    it('for nothing when an informer was stopped or not started', async () => {
      const things = new Harness();
      const scene = await make({ for: things.informer, reconcile: () => {} }).start();
      assert.match(String(scene.failure), /UsageError: the informer of things was not started: call start/);

      await things.informer.stop();
      const second = await make({ for: things.informer, reconcile: () => {} }).start();
      assert.match(String(second.failure), /StoppedError: the informer of things was stopped/);
      assert.equal(second.controller.isRunning, false);
    });

    it('and is refused while it runs', async () => {
      const scene = await make({ for: makeThings().informer, reconcile: () => {} }).start();

      await assert.rejects(scene.controller.run(), { code: 'KUBERING_USAGE' });
      assert.equal(scene.controller.isRunning, true);
    });
  });

  describe('at the end', () => {
    it('tells reconciles that run to end, waits for them, and takes no other key', async () => {
      const things = makeThings([thing('a/one', 1), thing('a/two', 2)]);
      const gate = new Gate();
      const scene = await make({ for: things.informer, reconcile: gate.reconcile }).start();
      const [key] = gate.inside as [string];
      await scene.stop('enough');
      assert.equal(gate.signals.get(key)?.reason, 'enough');
      assert.equal(scene.outcome, undefined, 'one still runs');

      gate.end(key);
      await scene.rest();
      assert.equal(scene.outcome, 'resolved');
      assert.equal(gate.begun.length, 1);
      assert.equal(scene.clock.pending, 0, 'no timer is left');
      assert.equal(things.informer.stats.handlers, 0, 'no handler is left');
    });

    it('takes what a reconcile that was told to end fails with for no failure', async () => {
      const gate = new Gate();
      const things = makeThings([thing('a/one', 1)]);
      const scene = await make({ for: things.informer, reconcile: gate.reconcile }).start();
      await scene.stop();
      gate.fail('a/one', new Error('aborted'));
      await scene.rest();

      assert.equal(scene.outcome, 'resolved');
      assert.deepEqual(scene.errors, []);
      assert.equal(scene.controller.stats.failed, 0);
    });

    it('waits no longer than it may for a reconcile that goes on', async () => {
      const gate = new Gate();
      const things = makeThings([thing('a/one', 1)]);
      const scene = await make({ for: things.informer, reconcile: gate.reconcile }).start();
      await scene.stop();
      await scene.advance(29_999);
      assert.equal(scene.outcome, undefined);

      await scene.advance(1);
      assert.equal(scene.failure.code, 'KUBERING_DRAIN_TIMEOUT');
      assert.match(String(scene.failure), /things: reconciles that still run 30 s after the stop: 1;/);
    });

    it('can be run again, and gets all objects again', async () => {
      const recorder = new Recorder();
      const things = makeThings([thing('a/one', 1)]);
      const { controller } = make({ for: things.informer, reconcile: recorder.reconcile });
      for (let run = 0; run < 2; run++) {
        const stop = new AbortController();
        const running = controller.run({ signal: stop.signal });
        for (let turn = 0; turn < 30; turn++) await settle();
        stop.abort();
        await running;
      }

      assert.deepEqual(recorder.keys, ['a/one', 'a/one']);
    });

    it('ends with an error when an informer is stopped before it is', async () => {
      const things = makeThings([thing('a/one', 1)]);
      const scene = await make({ for: things.informer, reconcile: () => {} }).start();
      await things.informer.stop();
      await scene.rest();

      assert.match(
        String(scene.outcome),
        /StoppedError: the informer of things was stopped while the controller/,
      );
    });

    it('does nothing when the signal has aborted before', async () => {
      const recorder = new Recorder();
      const scene = make({ for: makeThings([thing('a/one', 1)]).informer, reconcile: recorder.reconcile });
      await scene.stop();
      await scene.start();

      assert.equal(scene.outcome, 'resolved');
      assert.deepEqual(recorder.keys, []);
    });
  });

  describe('counts', () => {
    it('how reconciles ended', async () => {
      const things = makeThings(
        ['ok', 'again', 'later', 'broken', 'never'].map((name, i) => thing(`a/${name}`, i)),
      );
      const scene = await make({
        for: things.informer,
        reconcile: ({ name }) => {
          if (name === 'again') return { requeue: true };
          if (name === 'later') return { requeueAfter: 60_000 };
          if (name === 'broken') throw new Error('broken');
          if (name === 'never') throw new TerminalError('wrong spec');
          return undefined;
        },
      }).start();

      const { succeeded, requeued, failed, terminal, active } = scene.controller.stats;
      assert.deepEqual(
        { succeeded, requeued, failed, terminal, active },
        {
          succeeded: 1,
          requeued: 2,
          failed: 2,
          terminal: 1,
          active: 0,
        },
      );
    });
  });
});
