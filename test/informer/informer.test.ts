import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DeletedFinalStateUnknown } from '../../src/delta/index.ts';
import type { InformerEvent } from '../../src/informer/event.ts';
import { DecodeError, ReleasedObjectError } from '../../src/store/index.ts';
import { Harness, type Thing, thing } from './harness.ts';

describe('informer', () => {
  it('puts the first list in the cache and tells handlers of initial adds', async () => {
    const harness = new Harness();
    const seen = record(harness);
    harness.list([thing('a/x', 1, { node: 'n1' }), thing('a/y', 2), thing('b/x', 3)], '10');
    harness.work();
    await harness.informer.synced;

    assert.deepEqual(seen, ['add a/x initial', 'add a/y initial', 'add b/x initial']);
    const { lister } = harness.informer;
    assert.equal(lister.size, 3);
    assert.equal(lister.resourceVersion, '10');
    assert.equal(lister.get('a/x')?.spec?.value, 1);
    assert.equal(lister.get('a/nothing'), undefined);
    assert.deepEqual(lister.indexKeys('node', 'n1'), ['a/x']);
    assert.deepEqual(
      lister
        .refs({ namespace: 'a' })
        .map((ref) => ref.key)
        .sort(),
      ['a/x', 'a/y'],
    );
  });

  it('tells of adds, updates and deletes in order, with the state before and after', () => {
    const harness = new Harness();
    const told: [string, number | undefined, number | undefined][] = [];
    harness.informer.addEventHandler({
      onAdd: (object) => void told.push(['add', undefined, object.spec?.value]),
      onUpdate: (before, after) => void told.push(['update', before.spec?.value, after.spec?.value]),
      onDelete: (object) => void told.push(['delete', (object as Thing).spec?.value, undefined]),
    });
    harness.list([], '1');
    harness.added(thing('a/x', 2));
    harness.modified(thing('a/x', 3));
    harness.deleted(thing('a/x', 4));
    harness.work();

    assert.deepEqual(told, [
      ['add', undefined, 2],
      ['update', 2, 3],
      ['delete', 4, undefined],
    ]);
    assert.equal(harness.informer.lister.resourceVersion, '4');
    assert.equal(harness.live.size, 0, 'every block was given back');
  });

  it('fills in kind and apiVersion that a list says of all its items', () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1)], '1');
    harness.work();

    const object = harness.informer.lister.get('a/x') as unknown as { kind: string; apiVersion: string };
    assert.deepEqual([object.kind, object.apiVersion], ['Thing', 'v1']);
  });

  it('a relist tells of what changed, and nothing of what did not', () => {
    const harness = new Harness();
    const seen = record(harness);
    harness.list([thing('a/same', 1), thing('a/changed', 2), thing('a/gone', 3)], '5');
    harness.work();
    seen.length = 0;
    harness.list([thing('a/same', 1), thing('a/changed', 6), thing('a/new', 7)], '8');
    harness.work();

    assert.deepEqual(seen.sort(), ['add a/new', 'delete a/gone unknown', 'update a/changed']);
    assert.equal(harness.live.size, 3);
    assert.equal(harness.informer.lister.resourceVersion, '8');
  });

  it('a relist shows current states while it runs, and calls handlers after its end', () => {
    const harness = new Harness();
    const seen = record(harness);
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    seen.length = 0;
    harness.beginList();
    harness.item(thing('a/x', 5));
    harness.work();
    assert.deepEqual(seen, []);
    assert.equal(harness.informer.lister.get('a/x')?.spec?.value, 5);
    assert.equal(harness.informer.lister.resourceVersion, '1', 'the version moves when all of it is visible');

    harness.endList('6');
    harness.work();
    assert.deepEqual(seen, ['update a/x']);
  });

  it('a relist that starts over before its end loses no change and invents none', () => {
    const harness = new Harness();
    const seen = record(harness);
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    seen.length = 0;
    harness.beginList();
    harness.item(thing('a/x', 5));
    harness.list([thing('a/x', 6), thing('a/y', 2)], '7');
    harness.work();

    assert.deepEqual(seen, ['update a/x', 'update a/x']);
    assert.equal(harness.live.size, 2);
  });

  it('a mark keeps an object that the list did not send again', () => {
    const harness = new Harness();
    const seen = record(harness);
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    seen.length = 0;
    harness.beginList();
    harness.mark(thing('a/x', 1));
    harness.endList('3');
    harness.work();

    assert.deepEqual(seen, ['delete a/y unknown']);
    assert.equal(harness.live.size, 1);
  });

  it('gives the last known state of an object that vanished as a DeletedFinalStateUnknown', () => {
    const harness = new Harness();
    const deleted: (Thing | DeletedFinalStateUnknown<Thing>)[] = [];
    harness.informer.addEventHandler({ onDelete: (object) => void deleted.push(object) });
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    harness.list([], '2');
    harness.work();

    const tombstone = deleted[0];
    assert.ok(tombstone instanceof DeletedFinalStateUnknown);
    assert.equal(tombstone.key, 'a/x');
    assert.equal(tombstone.object.spec?.value, 1);
  });

  it('tells of a delete and an add when another object has taken the name', () => {
    const harness = new Harness();
    const seen = record(harness);
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    seen.length = 0;
    harness.modified(thing('a/x', 5, { uid: 'another' }));
    harness.work();

    assert.deepEqual(seen, ['delete a/x unknown', 'add a/x']);
    assert.equal(harness.live.size, 1);
  });

  it('moves its version with bookmarks', () => {
    const harness = new Harness();
    harness.list([], '1');
    harness.bookmark('77');
    harness.work();

    assert.equal(harness.informer.lister.resourceVersion, '77');
    assert.equal(harness.live.size, 0);
  });

  it('waits for the promise of a handler before its next event, and keeps the bodies meanwhile', async () => {
    const harness = new Harness();
    const gates: (() => void)[] = [];
    const values: (number | undefined)[] = [];
    harness.informer.addEventHandler({
      async onUpdate(before, after) {
        await new Promise<void>((resolve) => gates.push(resolve));
        values.push(before.spec?.value, after.spec?.value);
      },
    });
    harness.list([thing('a/x', 1)], '1');
    harness.modified(thing('a/x', 2));
    harness.modified(thing('a/x', 3));
    harness.work();
    await turn();
    assert.equal(gates.length, 1, 'one event at a time');
    assert.equal(harness.live.size, 3);

    gates[0]!();
    await turn();
    await turn();
    gates[1]!();
    await turn();
    assert.deepEqual(values, [1, 2, 2, 3]);
    assert.equal(harness.live.size, 1);
  });

  it('merges the events of a key for a handler that lags, and says how many', async () => {
    const harness = new Harness();
    let gate = () => {};
    const seen: string[] = [];
    const registration = harness.informer.addEventHandler({
      async onEvent(event) {
        if (seen.length === 0) {
          seen.push('first');
          await new Promise<void>((resolve) => {
            gate = resolve;
          });
          return;
        }
        seen.push(`${event.type} ${event.key} ${event.oldObject?.spec?.value}>${event.object.spec?.value}`);
      },
    });
    harness.list([thing('a/first', 1), thing('a/x', 2)], '2');
    for (let rv = 3; rv < 5000; rv++) harness.modified(thing('a/x', rv));
    harness.work();
    assert.ok(registration.backlog <= 1100, `${registration.backlog} events wait`);
    assert.ok(registration.laps > 3000);

    gate();
    for (let i = 0; i < 2000 && registration.backlog > 0; i++) await turn();
    assert.match(seen.at(-1)!, /^update a\/x \d+>4999$/);
    assert.equal(harness.live.size, 2);
  });

  it('forgets an object that came and went while a handler lagged', async () => {
    const harness = new Harness();
    let gate = () => {};
    const blocked = new Promise<void>((resolve) => {
      gate = resolve;
    });
    const seen: string[] = [];
    const registration = harness.informer.addEventHandler({
      onEvent(event) {
        seen.push(event.key);
        return blocked;
      },
    });
    harness.list([], '1');
    for (let i = 0; i < 1500; i++) harness.added(thing(`a/n${i}`, 2 + i));
    for (let i = 0; i < 50; i++) {
      harness.added(thing('a/brief', 5000 + 2 * i));
      harness.deleted(thing('a/brief', 5001 + 2 * i));
    }
    harness.work();
    gate();
    for (let i = 0; i < 2000 && registration.backlog > 0; i++) await turn();

    assert.equal(seen.includes('a/brief'), false);
    assert.equal(harness.live.size, 1500);
  });

  for (const failure of ['throws', 'rejects']) {
    it(`goes on when a handler ${failure}, and reports it`, async () => {
      const harness = new Harness();
      const errors: string[] = [];
      harness.informer.on('error', (error) => errors.push(`${error.code}: ${error.message}`));
      const seen = record(harness);
      harness.informer.addEventHandler({
        onEvent(): void | Promise<void> {
          if (failure === 'throws') throw new Error('oh no');
          return Promise.reject(new Error('oh no'));
        },
      });
      harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
      harness.work();
      await turn();
      await turn();

      assert.equal(errors.length, 2);
      assert.match(errors[0]!, /^handler-failed: a handler of things.* failed on the add of a\/x: oh no$/);
      assert.equal(seen.length, 2);
      assert.equal(harness.informer.stats.handlerErrors, 2);
    });
  }

  it('throws ReleasedObjectError when a body is read after it was given back, never another body', () => {
    const harness = new Harness({ decodeCacheBytes: 0 });
    const kept: InformerEvent<Thing>[] = [];
    harness.informer.addEventHandler({ onEvent: (event) => void kept.push(event) });
    harness.list([thing('a/x', 1)], '1');
    for (let rv = 2; rv < 10; rv++) {
      harness.modified(thing('a/x', rv));
      harness.work();
    }

    let released = 0;
    for (const [index, event] of kept.entries()) {
      try {
        assert.equal(event.object.spec?.value, index + 1);
      } catch (error) {
        assert.ok(error instanceof ReleasedObjectError);
        released++;
      }
    }
    assert.ok(released > 0);
    assert.equal(kept.at(-1)!.object.spec?.value, 9);
  });

  it('keeps what an event has decoded, however long', () => {
    const harness = new Harness({ decodeCacheBytes: 0 });
    const kept: InformerEvent<Thing>[] = [];
    harness.informer.addEventHandler({ onEvent: (event) => void kept.push(event.retain()) });
    harness.list([thing('a/x', 1)], '1');
    for (let rv = 2; rv < 10; rv++) harness.modified(thing('a/x', rv));
    harness.work();

    const values = kept.map((event) => [event.key, event.oldObject?.spec?.value, event.object.spec?.value]);
    assert.deepEqual(values.at(1), ['a/x', 1, 2]);
    assert.deepEqual(values.at(-1), ['a/x', 8, 9]);
  });

  it('throws DecodeError for a body that is not JSON, and goes on', () => {
    const harness = new Harness();
    const errors: string[] = [];
    harness.informer.on('error', (error) => errors.push(error.message));
    const seen: string[] = [];
    harness.informer.addEventHandler({ onAdd: (object) => void seen.push(object.metadata.name) });
    harness.list([], '1');
    harness.addedBroken(thing('a/broken', 2));
    harness.added(thing('a/fine', 3));
    harness.work();

    assert.deepEqual(seen, ['fine']);
    assert.match(errors[0]!, /body of a\/broken can't be decoded/);
    assert.throws(() => harness.informer.lister.get('a/broken'), DecodeError);
    assert.equal(harness.informer.lister.ref('a/broken')?.resourceVersion, '2');
  });

  it('gives the same object to everyone who looks at the same version', () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    const { lister } = harness.informer;

    assert.equal(lister.get('a/x'), lister.list()[0]);
  });

  it('freezes objects when asked to', () => {
    const harness = new Harness({ freeze: true });
    harness.list([thing('a/x', 1)], '1');
    harness.work();

    const object = harness.informer.lister.get('a/x')!;
    assert.throws(() => {
      object.spec!.value = 5;
    }, TypeError);
  });

  it('reads columns without decoding, and names the columns there are', () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1, { node: 'n7' })], '1');
    harness.work();
    const ref = harness.informer.lister.ref('a/x')!;

    assert.equal(ref.column('node'), 'n7');
    assert.equal(harness.informer.stats.decoded, 0);
    assert.throws(() => ref.column('phase'), /no column 'phase'; it has 'node'/);
  });

  it('delivers nothing to a handler that was removed, and gives its bodies back', async () => {
    const harness = new Harness();
    const seen: string[] = [];
    const registration = harness.informer.addEventHandler({
      onEvent(event) {
        seen.push(event.key);
        return new Promise(() => {});
      },
    });
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    registration.remove();
    registration.remove();
    harness.modified(thing('a/y', 3));
    harness.work();
    await turn();

    assert.deepEqual(seen, ['a/x']);
    assert.equal(harness.live.size, 2);
  });

  it('refuses a handler that nothing could be delivered to', () => {
    const harness = new Harness();

    assert.throws(
      () => harness.informer.addEventHandler({}),
      /none of onEvent, onBatch, onAdd, onUpdate, onDelete/,
    );
  });

  it('rejects `synced` and takes no handlers once it was stopped', async () => {
    const harness = new Harness();
    harness.informer.stopped();

    await assert.rejects(harness.informer.synced, { name: 'StoppedError' });
    assert.throws(() => harness.informer.addEventHandler({ onAdd() {} }), { name: 'StoppedError' });
  });

  it('does not throw an error that nobody listens for', () => {
    const harness = new Harness();
    harness.informer.notice({ type: 'error', code: 'forbidden', message: 'things.v1: not allowed' });

    assert.equal(harness.informer.stats.errors, 1);
  });
});

function record(harness: Harness): string[] {
  const seen: string[] = [];
  harness.informer.addEventHandler({ onEvent: (event) => void seen.push(describeEvent(event)) });
  return seen;
}

function describeEvent(event: InformerEvent<Thing>): string {
  const flags = [event.isInitial && 'initial', event.isFinalStateUnknown && 'unknown'].filter(Boolean);
  return [event.type, event.key, ...flags].join(' ');
}
