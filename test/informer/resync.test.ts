import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Harness, type Thing, thing } from './harness.ts';

const SECOND = 1000;

describe('resync', () => {
  it('gives every object again as an update without a change, to the handler that asked', () => {
    const harness = new Harness();
    const again = updatesOf(harness, 10 * SECOND);
    const never = updatesOf(harness);
    run(harness, [thing('a/x', 1), thing('a/y', 2)]);
    pass(harness, 10 * SECOND);

    assert.deepEqual(again, ['a/x 1>1 resync', 'a/y 2>2 resync']);
    assert.deepEqual(never, []);
  });

  it('comes once in each period', () => {
    const harness = new Harness();
    const again = updatesOf(harness, 10 * SECOND);
    run(harness, [thing('a/x', 1)]);
    pass(harness, 35 * SECOND);

    assert.equal(again.length, 3);
  });

  it('each handler has its own period', () => {
    const harness = new Harness();
    const often = updatesOf(harness, 2 * SECOND);
    const rarely = updatesOf(harness, 5 * SECOND);
    run(harness, [thing('a/x', 1)]);
    pass(harness, 20 * SECOND);

    assert.equal(often.length, 10);
    // It is looked every two seconds, so five of them are over at the sixth, and so on.
    assert.equal(rarely.length, 3);
  });

  it('a period below a second counts as one', () => {
    const harness = new Harness();
    assert.equal(register(harness, 1).resyncMs, SECOND);
    assert.equal(register(harness, 0).resyncMs, 0);
  });

  it('before the start a shorter period makes the informer look more often, for all its handlers', () => {
    const harness = new Harness({ resyncMs: 30 * SECOND });
    const first = register(harness, 2 * SECOND);
    const other = register(harness, 60 * SECOND);
    const usual = register(harness);

    assert.deepEqual(periods(first, other, usual), [2, 60, 30]);
    const shorter = register(harness, SECOND);
    assert.deepEqual(periods(first, other, usual, shorter), [2, 60, 30, 1]);
  });

  it('after the start a shorter period is raised to how often the informer looks', () => {
    const harness = new Harness({ resyncMs: 30 * SECOND });
    harness.informer.started();

    assert.deepEqual(periods(register(harness, 2 * SECOND), register(harness, 45 * SECOND)), [30, 45]);
  });

  it('after the start the first one who asks says how often the informer looks', () => {
    const harness = new Harness();
    harness.informer.started();

    assert.deepEqual(periods(register(harness, 5 * SECOND), register(harness, 2 * SECOND)), [5, 5]);
  });

  it('without anybody who asks there is no timer, nor after the last one was removed or the informer stopped', () => {
    const harness = new Harness();
    run(harness, [thing('a/x', 1)]);
    register(harness);
    assert.equal(harness.clock.pending, 0);
    const registration = register(harness, SECOND);
    assert.equal(harness.clock.pending, 1);
    void registration.remove();
    pass(harness, SECOND);
    assert.equal(harness.clock.pending, 0);
    register(harness, SECOND);
    harness.informer.stopped();
    assert.equal(harness.clock.pending, 0);
  });

  it('never overtakes a change that is queued, and says nothing of what is gone', () => {
    const harness = new Harness();
    const updates = updatesOf(harness, 10 * SECOND);
    run(harness, [thing('a/x', 1), thing('a/y', 2), thing('a/z', 3)]);
    harness.modified(thing('a/x', 5));
    harness.deleted(thing('a/y', 6));
    harness.clock.advance(10 * SECOND);
    harness.work();

    assert.deepEqual(updates, ['a/x 1>5', 'a/x 5>5 resync', 'a/z 3>3 resync']);
  });

  it('waits while a relist runs, and leaves out what that takes away', () => {
    const harness = new Harness();
    const updates = updatesOf(harness, SECOND);
    run(harness, [thing('a/x', 1), thing('a/gone', 1)]);
    harness.beginList();
    harness.work();
    pass(harness, 5 * SECOND);
    assert.deepEqual(updates, []);
    assert.equal(harness.hasWork, false, 'nothing spins meanwhile');
    harness.item(thing('a/x', 2));
    harness.endList('2');
    harness.work();

    assert.deepEqual(updates, ['a/x 1>2', 'a/x 2>2 resync']);
    assert.equal(harness.live.size, 1);
  });

  it('spreads a large store over time', () => {
    const harness = new Harness();
    const updates = updatesOf(harness, 60 * SECOND);
    run(harness, things(20_000));
    harness.clock.advance(60 * SECOND);
    harness.work();
    const inOneStep = updates.length;
    assert.ok(inOneStep > 0 && inOneStep < 200, `${inOneStep} at once`);

    pass(harness, 15 * SECOND);
    assert.equal(updates.length, 20_000);
  });

  it('goes to a handler that lags as one update of each key, with the last state', async () => {
    const harness = new Harness();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const seen: string[] = [];
    const registration = harness.informer.addEventHandler(
      {
        onUpdate: (before, after) => {
          seen.push(`${before.spec?.value}>${after.spec?.value}`);
          return gate;
        },
      },
      { resyncMs: SECOND, backlogLimit: 1 },
    );
    run(harness, [thing('a/x', 1)]);
    pass(harness, 5 * SECOND);
    harness.modified(thing('a/x', 7));
    pass(harness, 5 * SECOND);
    assert.equal(registration.backlog, 1);
    open();
    for (let i = 0; i < 5; i++) await turn();

    assert.deepEqual(seen, ['1>1', '1>7']);
    assert.equal(harness.live.size, 1);
  });

  it('a relist that finds an object unchanged tells that to handlers that asked for resyncs, and to nobody else', () => {
    for (const how of ['whole', 'marked'] as const) {
      const harness = new Harness();
      const asked = updatesOf(harness, 60 * SECOND);
      const others = updatesOf(harness);
      run(harness, [thing('a/x', 1), thing('a/y', 2)]);
      harness.beginList();
      if (how === 'whole') harness.item(thing('a/x', 1));
      else harness.mark(thing('a/x', 1));
      harness.item(thing('a/y', 3));
      harness.endList('3');
      harness.work();

      assert.deepEqual(asked, ['a/x 1>1 resync', 'a/y 2>3'], how);
      assert.deepEqual(others, ['a/y 2>3'], how);
      assert.equal(harness.live.size, 2);
    }
  });

  for (const resyncMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
    it(`refuses a period of ${resyncMs}`, () => {
      const harness = new Harness();

      assert.throws(() => harness.informer.addEventHandler({ onEvent() {} }, { resyncMs }), {
        code: 'KUBERING_USAGE',
        message: /resyncMs is a period in milliseconds, or 0 for never/,
      });
    });
  }
});

/** Starts the informer and gives it these objects. */
function run(harness: Harness, objects: readonly Thing[]): void {
  harness.informer.started();
  harness.list(objects, '1');
  harness.work();
}

function things(count: number): Thing[] {
  return Array.from({ length: count }, (_, i) => thing(`a/n${i}`, 1));
}

function register(harness: Harness, resyncMs?: number) {
  const options = resyncMs === undefined ? {} : { resyncMs };
  return harness.informer.addEventHandler({ onEvent() {} }, options);
}

function periods(...registrations: { readonly resyncMs: number }[]): number[] {
  return registrations.map(({ resyncMs }) => resyncMs / SECOND);
}

/** Updates that a handler with this period gets. */
function updatesOf(harness: Harness, resyncMs?: number): string[] {
  const seen: string[] = [];
  const options = resyncMs === undefined ? {} : { resyncMs };
  harness.informer.addEventHandler(
    {
      onEvent({ type, key, oldObject, object, isResync }) {
        if (type !== 'update') return;
        seen.push(`${key} ${oldObject?.spec?.value}>${object.spec?.value}${isResync ? ' resync' : ''}`);
      },
    },
    options,
  );
  return seen;
}

/** Lets time pass, in steps between which the informer works as if the pump had run. */
function pass(harness: Harness, ms: number): void {
  for (let passed = 0; passed < ms; passed += 50) {
    harness.clock.advance(50);
    harness.work();
  }
}
