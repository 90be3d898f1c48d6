import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { InformerEvent } from '../../src/informer/event.ts';
import { Harness, type Thing, thing } from './harness.ts';

describe('a handler that is added to a running informer', () => {
  it('gets what exists as initial adds, then what changes', async () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    const { seen, registration } = join(harness);
    await registration.synced;
    harness.modified(thing('a/x', 3));
    harness.deleted(thing('a/y', 4));
    harness.work();

    assert.deepEqual(seen, ['add a/x initial 1', 'add a/y initial 2', 'update a/x 3', 'delete a/y 4']);
    assert.equal(registration.hasSynced, true);
    assert.equal(harness.live.size, 1);
  });

  it('gets the newest state, and nothing of what is gone, when all changes before it was its turn', async () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    const { seen, registration } = join(harness);
    harness.modified(thing('a/x', 3));
    harness.deleted(thing('a/y', 4));
    harness.added(thing('a/z', 5));
    harness.work();
    await registration.synced;

    assert.deepEqual(seen.sort(), ['add a/x initial 3', 'add a/z initial 5']);
  });

  it('is not told again of changes that were stored, but not told, when it came', async () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1), thing('a/gone', 2)], '2');
    harness.work();
    harness.beginList();
    harness.item(thing('a/x', 5));
    harness.item(thing('a/new', 6));
    harness.work();
    const { seen, registration } = join(harness);
    await registration.synced;
    assert.deepEqual(seen.splice(0).sort(), [
      'add a/gone initial 2',
      'add a/new initial 6',
      'add a/x initial 5',
    ]);

    harness.endList('7');
    harness.modified(thing('a/x', 8));
    harness.work();
    assert.deepEqual(seen, ['delete a/gone unknown 2', 'update a/x 8']);
    assert.equal(harness.live.size, 2);
  });

  it('that comes when all is gone from the store, but not told yet, is told nothing', async () => {
    const harness = new Harness();
    let late: ReturnType<typeof join> | undefined;
    harness.informer.addEventHandler({
      onDelete() {
        late ??= join(harness);
      },
    });
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    harness.deleted(thing('a/x', 3));
    harness.deleted(thing('a/y', 4));
    harness.work();
    await late!.registration.synced;

    assert.deepEqual(late!.seen, []);
  });

  it('in the middle of the first list gets its part, then the rest, and is synced with it', async () => {
    const harness = new Harness();
    harness.beginList();
    harness.item(thing('a/x', 1));
    harness.work();
    const { seen, registration } = join(harness);
    await turn();
    harness.item(thing('a/y', 2));
    harness.work();
    await turn();
    assert.equal(registration.hasSynced, false);
    harness.endList('2');
    harness.work();
    await registration.synced;

    assert.deepEqual(seen, ['add a/x initial 1', 'add a/y initial 2']);
  });

  it('holds no bodies while it waits, however much changes meanwhile', async () => {
    const harness = new Harness();
    const keys = Array.from({ length: 500 }, (_, i) => `a/n${i}`);
    harness.list(
      keys.map((key) => thing(key, 1)),
      '1',
    );
    harness.work();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const states = new Map<string, number>();
    const registration = harness.informer.addEventHandler({
      onEvent(event) {
        states.set(event.key, event.object.spec!.value!);
        return gate;
      },
    });
    await turn();
    for (let rv = 2; rv < 20; rv++) {
      for (const key of keys) harness.modified(thing(key, rv));
      harness.work();
    }

    // The 18 later states of the one object that it works on wait for it; of the others it has seen nothing yet.
    assert.equal(harness.live.size, keys.length + 18);
    open();
    await registration.synced;
    assert.equal(states.size, 500);
    assert.equal(new Set(states.values()).size, 1, 'each is at its newest state');
    assert.equal(harness.live.size, keys.length);
  });

  it('can be removed before it has all', async () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    const { seen, registration } = join(harness);
    await registration.remove();

    await assert.rejects(registration.synced, { name: 'StoppedError' });
    assert.deepEqual(seen, []);
    assert.equal(registration.isRemoved, true);
  });
});

function join(harness: Harness) {
  const seen: string[] = [];
  const registration = harness.informer.addEventHandler({
    onEvent: (event: InformerEvent<Thing>) => {
      const flags = [event.isInitial && 'initial', event.isFinalStateUnknown && 'unknown'].filter(Boolean);
      seen.push([event.type, event.key, ...flags, event.object.spec?.value].join(' '));
    },
  });
  return { seen, registration };
}
