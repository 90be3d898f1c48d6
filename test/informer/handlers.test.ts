import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { DeletedFinalStateUnknown } from '../../src/delta/index.ts';
import type { InformerError } from '../../src/informer/errors.ts';
import type { InformerEvent } from '../../src/informer/event.ts';
import type { HandlerOptions } from '../../src/informer/handler-options.ts';
import type { Handler } from '../../src/informer/handlers.ts';
import { Indexer } from '../../src/store/index.ts';
import { Harness, type Thing, thing } from './harness.ts';

describe('handlers', () => {
  it('are told only when the store has the change, and those of a batch all of them', () => {
    const harness = new Harness();
    const seen: string[] = [];
    const { lister } = harness.informer;
    harness.informer.addEventHandler({
      onEvent({ type, key }) {
        seen.push(
          `${type} ${key}: ${lister.ref('a/x')?.resourceVersion} ${lister.ref('a/y')?.resourceVersion}`,
        );
      },
    });
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    harness.modified(thing('a/x', 2));
    harness.added(thing('a/y', 3));
    harness.deleted(thing('a/x', 4));
    harness.work();

    assert.deepEqual(seen, [
      'add a/x: 1 undefined',
      'update a/x: undefined 3',
      'add a/y: undefined 3',
      'delete a/x: undefined 3',
    ]);
  });

  it('of a relist see all of its state in the store when the first of them is called', () => {
    const harness = new Harness();
    const seen: string[][] = [];
    harness.informer.addEventHandler({
      onEvent: () => void seen.push(harness.informer.lister.keys().sort()),
    });
    harness.list([thing('a/old', 1), thing('a/x', 2)], '2');
    harness.work();
    seen.length = 0;
    harness.list([thing('a/x', 5), thing('a/new', 6), thing('a/newer', 7)], '8');
    harness.work();

    assert.equal(seen.length, 4);
    for (const keys of seen) assert.deepEqual(keys, ['a/new', 'a/newer', 'a/x']);
  });

  it('are told of nothing that found no room in the store; the rest of its batch is told', (t) => {
    const harness = new Harness();
    const errors = errorsOf(harness);
    const seen = record(harness, {});
    harness.list([], '1');
    harness.work();
    const upsert = Indexer.prototype.upsert;
    t.mock.method(Indexer.prototype, 'upsert', function (this: Indexer, ...args: Parameters<typeof upsert>) {
      if (++calls === 2) throw new Error('no room');
      return upsert.apply(this, args);
    });
    let calls = 0;
    for (let rv = 2; rv < 5; rv++) harness.added(thing(`a/n${rv}`, rv));
    harness.work();

    assert.deepEqual(seen, ['add a/n2 2', 'add a/n4 4']);
    assert.deepEqual(errors, ['no room']);
    assert.equal(harness.live.size, 2);
  });

  it('the version of the store moves when the handlers were called, not before', () => {
    const harness = new Harness();
    const { lister } = harness.informer;
    harness.informer.addEventHandler({ onEvent() {} });
    harness.list([], '1');
    harness.work();
    for (let rv = 2; rv < 12; rv++) harness.added(thing(`a/n${rv}`, rv));
    harness.workSlices(1);
    assert.equal(lister.size, 10);
    assert.equal(lister.resourceVersion, '1');
    harness.work();

    assert.equal(lister.resourceVersion, '11');
  });

  describe('filter', () => {
    const filter: HandlerOptions<Thing>['filter'] = (ref) => ref.column('node') === 'n1';

    it('shows an update that enters as an add and one that leaves as a delete of the state before', () => {
      const harness = new Harness();
      const seen = record(harness, { filter });
      harness.list([thing('a/in', 1, { node: 'n1' }), thing('a/out', 2, { node: 'n2' })], '2');
      harness.modified(thing('a/in', 3, { node: 'n1' }));
      harness.modified(thing('a/out', 4, { node: 'n3' }));
      harness.modified(thing('a/out', 5, { node: 'n1' }));
      harness.modified(thing('a/in', 6, { node: 'n2' }));
      harness.deleted(thing('a/in', 7, { node: 'n2' }));
      harness.deleted(thing('a/out', 8, { node: 'n1' }));
      harness.work();

      assert.deepEqual(seen, [
        'add a/in 1 initial',
        'update a/in 1>3',
        'add a/out 5',
        'delete a/in 3',
        'delete a/out 8',
      ]);
      assert.equal(harness.live.size, 0);
    });

    it('is asked about the last known state of what vanished', () => {
      const harness = new Harness();
      const deleted: unknown[] = [];
      harness.informer.addEventHandler(
        { onDelete: (object) => void deleted.push((object as DeletedFinalStateUnknown<Thing>).key) },
        { filter },
      );
      harness.list([thing('a/in', 1, { node: 'n1' }), thing('a/out', 2, { node: 'n2' })], '2');
      harness.work();
      harness.list([], '3');
      harness.work();

      assert.deepEqual(deleted, ['a/in']);
    });

    it('compares with the state that a handler that lags saw last', async () => {
      const harness = new Harness();
      const gate = Promise.withResolvers<void>();
      const seen: string[] = [];
      harness.informer.addEventHandler(
        {
          onEvent(event) {
            seen.push(describeEvent(event));
            return gate.promise;
          },
        },
        { filter, backlogLimit: 1 },
      );
      harness.list([thing('a/first', 1, { node: 'n1' }), thing('a/x', 2, { node: 'n1' })], '2');
      harness.modified(thing('a/x', 3, { node: 'n2' }));
      harness.modified(thing('a/x', 4, { node: 'n3' }));
      harness.modified(thing('a/x', 5, { node: 'n2' }));
      harness.work();
      gate.resolve();
      await turns();

      // The add of a/x was merged with the updates that took it out: there is nothing to tell.
      assert.deepEqual(seen, ['add a/first 1 initial']);
    });

    it('that throws is reported as its handler, and the next event comes', () => {
      const harness = new Harness();
      const errors = errorsOf(harness);
      const seen = record(harness, {
        filter: ({ name }) => {
          if (name === 'bad') throw new Error('no idea');
          return true;
        },
      });
      harness.list([thing('a/bad', 1), thing('a/good', 2)], '2');
      harness.work();

      assert.deepEqual(seen, ['add a/good 2 initial']);
      assert.match(errors[0]!, /failed on the add of a\/bad: no idea/);
    });
  });

  describe('onBatch', () => {
    it('gets what came since its last call, in order, up to the limit', async () => {
      const harness = new Harness();
      const batches: string[][] = [];
      harness.informer.addEventHandler(
        { onBatch: (events) => void batches.push(events.map(describeEvent)) },
        { maxBatch: 2 },
      );
      harness.list([thing('a/x', 1)], '1');
      harness.modified(thing('a/x', 2));
      harness.modified(thing('a/x', 3));
      harness.work();
      await turns();

      assert.deepEqual(batches, [['add a/x 1 initial', 'update a/x 1>2'], ['update a/x 2>3']]);
      assert.equal(harness.live.size, 1);
    });

    it('waits for its promise, keeps the bodies meanwhile, and is synced after the first list', async () => {
      const harness = new Harness();
      const gate = Promise.withResolvers<void>();
      const batches: InformerEvent<Thing>[][] = [];
      const registration = harness.informer.addEventHandler({
        async onBatch(events) {
          batches.push([...events]);
          await gate.promise;
          for (const event of events) assert.ok(event.object.spec);
        },
      });
      harness.list([thing('a/x', 1)], '1');
      harness.work();
      await turn();
      harness.modified(thing('a/x', 2));
      harness.modified(thing('a/x', 3));
      harness.work();
      await turns();
      assert.equal(batches.length, 1);
      assert.equal(registration.hasSynced, false);
      gate.resolve();
      await registration.synced;
      await turns();

      assert.deepEqual(
        batches.map((events) => events.length),
        [1, 2],
      );
      assert.equal(registration.errors, 0);
      assert.equal(harness.live.size, 1);
    });

    for (const failure of ['throws', 'rejects']) {
      it(`goes on when it ${failure}, which is one error`, async () => {
        const harness = new Harness();
        const errors = errorsOf(harness);
        const registration = harness.informer.addEventHandler({
          onBatch() {
            if (failure === 'throws') throw new Error('oh no');
            return Promise.reject(new Error('oh no'));
          },
        });
        harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
        harness.work();
        await registration.synced;

        assert.equal(errors.length, 1);
        assert.deepEqual([registration.delivered, registration.errors], [2, 1]);
      });
    }
  });

  describe("concurrency 'per-key'", () => {
    it('goes on with other keys, and waits before the next event of the same', async () => {
      const harness = new Harness();
      const { started, finish } = perKey(harness, {});
      harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
      harness.modified(thing('a/x', 3));
      harness.modified(thing('a/y', 4));
      harness.work();
      await turns();
      assert.deepEqual(started, ['add a/x 1 initial', 'add a/y 2 initial']);
      finish('a/y');
      await turns();
      assert.deepEqual(started.slice(2), ['update a/y 2>4']);
      finish('a/x');
      await turns();

      assert.deepEqual(started.slice(3), ['update a/x 1>3']);
      finish('a/x');
      finish('a/y');
      await turns();
      assert.equal(harness.live.size, 2);
    });

    it('waits for no more than its limit', async () => {
      const harness = new Harness();
      const { started, finish } = perKey(harness, { maxInFlight: 2 });
      harness.list([thing('a/x', 1), thing('a/y', 2), thing('a/z', 3)], '2');
      harness.work();
      await turns();
      assert.equal(started.length, 2);
      finish('a/x');
      await turns();

      assert.equal(started.length, 3);
    });

    it('merges the events of a key that waits, and loses no delete', async () => {
      const harness = new Harness();
      const { started, finish } = perKey(harness, { backlogLimit: 1 });
      harness.list([thing('a/x', 1)], '1');
      for (let rv = 2; rv < 10; rv++) harness.modified(thing('a/x', rv));
      harness.deleted(thing('a/x', 10));
      harness.added(thing('a/x', 11, { uid: 'another' }));
      harness.modified(thing('a/x', 12, { uid: 'another' }));
      harness.work();
      for (let i = 0; i < 3; i++) {
        await turns();
        finish('a/x');
      }

      assert.deepEqual(started, ['add a/x 1 initial', 'delete a/x 10', 'add a/x 12']);
      await turns();
      assert.equal(harness.live.size, 1);
    });

    it('gives what exists to a late handler side by side', async () => {
      const harness = new Harness();
      harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
      harness.work();
      const { started, finish, registration } = perKey(harness, {});
      await turns();
      assert.equal(started.length, 2);
      finish('a/x');
      finish('a/y');
      await registration.synced;
    });
  });

  describe('errors', () => {
    it('are given to the handler’s own callback as well, with its name', () => {
      const harness = new Harness();
      const errors = errorsOf(harness);
      const own: [InformerError, InformerEvent<Thing>][] = [];
      const failing: Handler<Thing> = {
        onAdd() {
          throw new Error('oh no');
        },
      };
      harness.informer.addEventHandler(failing, {
        name: 'sync-dns',
        onError: (error, event) => void own.push([error, event]),
      });
      harness.list([thing('a/x', 1)], '1');
      harness.work();

      assert.match(
        own[0]![0].message,
        /^the handler "sync-dns" of things.* failed on the add of a\/x: oh no$/,
      );
      assert.equal(own[0]![1].key, 'a/x');
      assert.equal(errors.length, 1);
    });

    it('of that callback are reported, too, and end nothing', () => {
      const harness = new Harness();
      const errors = errorsOf(harness);
      const fail = () => {
        throw new Error('oh no');
      };
      const registration = harness.informer.addEventHandler({ onEvent: fail }, { onError: fail });
      harness.list([thing('a/x', 1), thing('a/y', 1)], '1');
      harness.work();

      assert.equal(errors.length, 4);
      assert.match(errors[1]!, /^onError of a handler of things.* failed: oh no$/);
      assert.equal(registration.delivered, 2);
    });

    it('do not keep a registration from being synced', async () => {
      const harness = new Harness();
      const registration = harness.informer.addEventHandler({
        onEvent: () => Promise.reject(new Error('oh no')),
      });
      harness.list([thing('a/x', 1)], '1');
      harness.work();
      await registration.synced;

      assert.equal(registration.hasSynced, true);
      assert.equal(registration.errors, 1);
    });
  });

  describe('removal', () => {
    it('ends when what the handler works on has ended', async () => {
      const harness = new Harness();
      const gate = Promise.withResolvers<void>();
      const registration = harness.informer.addEventHandler({ onEvent: () => gate.promise });
      harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
      harness.work();
      let isRemoved = false;
      const removed = harness.informer.removeEventHandler(registration).then(() => {
        isRemoved = true;
      });
      await turns();
      assert.equal(isRemoved, false);
      gate.resolve();
      await removed;

      assert.equal(registration.delivered, 1);
      assert.equal(harness.live.size, 2);
    });

    it('of one that was removed does nothing, also after the informer stopped', async () => {
      const harness = new Harness();
      const registration = harness.informer.addEventHandler({ onEvent() {} });
      await registration.remove();
      await harness.informer.removeEventHandler(registration);
      harness.informer.stopped();
      await harness.informer.removeEventHandler(registration);
    });

    it('from within the handler ends its own events', () => {
      const harness = new Harness();
      const seen: string[] = [];
      const registration = harness.informer.addEventHandler({
        onEvent(event) {
          seen.push(event.key);
          void registration.remove();
        },
      });
      harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
      harness.work();

      assert.deepEqual(seen, ['a/x']);
      assert.equal(harness.live.size, 2);
    });

    it('of one handler leaves another registration of the same handler alone', () => {
      const harness = new Harness();
      const seen: string[] = [];
      const handler: Handler<Thing> = { onEvent: (event) => void seen.push(event.key) };
      const first = harness.informer.addEventHandler(handler);
      harness.informer.addEventHandler(handler);
      harness.list([thing('a/x', 1)], '1');
      harness.work();
      void first.remove();
      harness.modified(thing('a/x', 2));
      harness.work();

      assert.equal(seen.length, 3);
    });
  });

  describe('bad input', () => {
    const wrong: [string, unknown, unknown, RegExp][] = [
      ['a function', () => {}, {}, /takes an object with onEvent.*not a function: give it as \{ onEvent/],
      ['nothing', undefined, {}, /not a undefined/],
      ['null', null, {}, /not null/],
      ['an empty object', {}, {}, /none of onEvent, onBatch/],
      [
        'a method that is none',
        { onAdd: 'later' },
        {},
        /onAdd of a handler has to be a function, not a string/,
      ],
      ['two forms', { onEvent() {}, onAdd() {} }, {}, /not onEvent and onAdd/],
      ['a filter that is none', { onEvent() {} }, { filter: 'app=x' }, /filter is a function, not "app=x"/],
      ['a limit of 0', { onEvent() {} }, { backlogLimit: 0 }, /backlogLimit is a whole number from 1 on/],
      ['a batch of 1.5', { onBatch() {} }, { maxBatch: 1.5 }, /maxBatch is a whole number from 1 on/],
      [
        'an unknown concurrency',
        { onEvent() {} },
        { concurrency: 'all' },
        /'serial' or 'per-key', not "all"/,
      ],
      ['batches by key', { onBatch() {} }, { concurrency: 'per-key' }, /give the handler onEvent/],
    ];
    for (const [what, handler, options, message] of wrong) {
      it(`refuses ${what}`, () => {
        const { informer } = new Harness();

        assert.throws(() => informer.addEventHandler(handler as never, options as never), {
          name: 'UsageError',
          code: 'KUBERING_USAGE',
          message,
        });
      });
    }

    it('refuses to remove what is no registration of this informer', () => {
      const { informer } = new Harness();
      const other = new Harness().informer.addEventHandler({ onEvent() {} });

      for (const registration of [other, {}, undefined]) {
        assert.throws(() => informer.removeEventHandler(registration as never), {
          code: 'KUBERING_USAGE',
          message: /no registration of the informer of things.*what its addEventHandler returned/,
        });
      }
    });

    it('refuses to start what was started or stopped', async () => {
      const { informer } = new Harness();
      void informer.start();
      assert.throws(() => informer.start(), { code: 'KUBERING_USAGE', message: /was started already/ });
      informer.stopped();

      assert.throws(() => informer.start(), {
        code: 'KUBERING_STOPPED',
        message: /ask the factory for another/,
      });
    });
  });
});

function record(harness: Harness, options: HandlerOptions<Thing>): string[] {
  const seen: string[] = [];
  harness.informer.addEventHandler({ onEvent: (event) => void seen.push(describeEvent(event)) }, options);
  return seen;
}

/** `type key old>new`, by versions. */
function describeEvent(event: InformerEvent<Thing>): string {
  const old = event.oldRef === undefined ? '' : `${event.oldRef.resourceVersion}>`;
  return `${event.type} ${event.key} ${old}${event.resourceVersion}${event.isInitial ? ' initial' : ''}`;
}

function errorsOf(harness: Harness): string[] {
  const errors: string[] = [];
  harness.informer.on('error', ({ message }) => errors.push(message));
  return errors;
}

/** A handler whose promises are settled by the test, key by key. */
function perKey(harness: Harness, options: HandlerOptions<Thing>) {
  const started: string[] = [];
  const waiting = new Map<string, () => void>();
  const registration = harness.informer.addEventHandler(
    {
      onEvent(event) {
        assert.equal(waiting.has(event.key), false, `two at once of ${event.key}`);
        started.push(describeEvent(event));
        return new Promise<void>((resolve) => waiting.set(event.key, resolve));
      },
    },
    { ...options, concurrency: 'per-key' },
  );
  const finish = (key: string) => {
    const resolve = waiting.get(key);
    waiting.delete(key);
    resolve?.();
  };
  return { started, finish, registration };
}

/** Long enough for a few promises and slices. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}
