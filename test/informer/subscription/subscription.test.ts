import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type InformerHandle,
  Lister,
  ReleasedObjectError,
  type SubscribeOptions,
} from '../../../src/index.ts';
import { until } from '../../e2e/until.ts';
import { Harness, type Thing, thing } from '../harness.ts';
import { Subscriber } from './subscriber.ts';

describe('a subscription on another thread', () => {
  it('gives what exists as initial adds, then every change, in order, with objects, old ones and columns', async () => {
    const { harness, handle } = started(thing('a/one', 1, { node: 'n1' }), thing('a/two', 2));
    const subscriber = await Subscriber.start(handle);
    try {
      await subscriber.until('it has all that exists', ({ isSynced }) => isSynced);
      harness.modified(thing('a/one', 3, { node: 'n2' }));
      harness.added(thing('a/three', 4));
      harness.deleted(thing('a/two', 5));
      harness.list([thing('a/three', 4)], '6');
      harness.work();
      const { lines, wrong } = await subscriber.until('all has come', (report) => report.lines.length === 6);

      assert.deepEqual(lines.slice(0, 2).sort(), ['add a/one 1 n1 initial', 'add a/two 2 - initial']);
      assert.deepEqual(lines.slice(2), [
        'update a/one 3 n2 was 1',
        'add a/three 4 -',
        'delete a/two 5 -',
        'delete a/one 3 n2 unknown',
      ]);
      assert.deepEqual(wrong, []);
    } finally {
      await subscriber.terminate();
    }
  });

  it('never stops the informer when its handler hangs: events are merged per key and counted, bodies held are few', async () => {
    const { harness, handle } = started(...keys(5).map((key) => thing(key, 1)));
    const ringRecords = 64;
    const subscriber = await Subscriber.start(handle, { isHeld: true, ringRecords, backlogLimit: 10 });
    try {
      for (let version = 2; version < 300; version++) {
        for (const key of keys(5)) harness.modified(thing(key, version));
        harness.work();
        if (version % 10 === 0) await turn();
      }
      const { stats } = harness.informer;
      assert.equal(stats.handlers, 1);
      assert.ok(stats.backlog <= 10 + 5, `${stats.backlog} events wait`);
      assert.ok(stats.laps > 1000);
      // Of each event on the ring and of each that waits: the state after and the state before.
      const mostBlocks = 2 * (ringRecords + stats.backlog);
      assert.ok(harness.live.size <= 5 + mostBlocks, `${harness.live.size} blocks are live`);
      assert.ok(stats.heldBytes > 0);

      await subscriber.ask('goOn');
      const last = keys(5).map((key) => `${key} 299`);
      const report = await subscriber.until(
        'it has the last states',
        ({ model }) => model.join() === last.join(),
      );
      assert.deepEqual(report.wrong, []);
      assert.equal(report.laps, harness.informer.stats.laps);
      await until('nothing is held', () => harness.informer.stats.heldBytes === 0);
      assert.equal(harness.live.size, 5);
    } finally {
      await subscriber.terminate();
    }
  });

  it('is dropped when its thread dies, and what was held for it is freed', async () => {
    const { harness, handle } = started(thing('a/one', 1));
    const subscriber = await Subscriber.start(handle, { isHeld: true });
    for (let version = 2; version < 50; version++) harness.modified(thing('a/one', version));
    harness.work();
    assert.ok(harness.informer.stats.heldBytes > 0);

    await subscriber.terminate();
    await until('it is dropped', () => harness.informer.stats.handlers === 0);
    await turn();
    assert.equal(harness.informer.stats.heldBytes, 0);
    assert.equal(harness.live.size, 1);
  });

  for (const command of ['close', 'detach'] as const) {
    it(`is given up by ${command}: nothing comes afterwards, and nothing is held`, async () => {
      const { harness, handle } = started(thing('a/one', 1));
      const subscriber = await Subscriber.start(handle);
      try {
        await subscriber.until('it has all that exists', ({ isSynced }) => isSynced);
        const { lines } = await subscriber.ask(command);
        await until('it is dropped', () => harness.informer.stats.handlers === 0);
        harness.modified(thing('a/one', 2));
        harness.work();

        const report = await subscriber.ask();
        assert.equal(report.isClosed, true);
        assert.deepEqual(report.lines, lines);
        assert.equal(harness.live.size, 1);
      } finally {
        await subscriber.terminate();
      }
    });
  }

  it('ends with the informer, and cannot be made afterwards', async () => {
    const { harness, handle } = started(thing('a/one', 1));
    const subscriber = await Subscriber.start(handle);
    try {
      harness.informer.stopped();
      await subscriber.until('it is told', ({ isClosed }) => isClosed);
      await assert.rejects(Lister.attach(handle).subscribe({ onEvent() {} }), { name: 'StoppedError' });
    } finally {
      await subscriber.terminate();
    }
  });
});

describe('a subscription', () => {
  it('gives batches and plain objects, as handlers of the informer get them', async () => {
    await subscribing(async ({ harness, lister }) => {
      const batches: string[][] = [];
      const objects: string[] = [];
      const first = await lister.subscribe({
        onBatch(events) {
          batches.push(events.map(({ key }) => key));
        },
      });
      const second = await lister.subscribe({
        onAdd({ metadata: { name } }, isInitial) {
          objects.push(`${name} ${isInitial}`);
        },
      });
      await first.synced;
      await second.synced;
      harness.added(thing('a/more', 9));
      harness.work();
      await until('both have it', () => objects.length === 4 && batches.flat().length === 4);

      assert.ok(batches[0]!.length > 1);
      assert.equal(objects.at(-1), 'more false');
    });
  });

  it('gives each of many subscribers everything, and lets go of all at once', async () => {
    await subscribing(async ({ harness, lister }) => {
      const counts = Array.from({ length: 40 }, () => 0);
      const subscriptions = await Promise.all(
        counts.map((_, i) =>
          lister.subscribe({
            onEvent() {
              counts[i]!++;
            },
          }),
        ),
      );
      await Promise.all(subscriptions.map(({ synced }) => synced));
      for (let version = 2; version < 12; version++) harness.modified(thing('a/one', version));
      harness.work();
      await until('all have all', () => counts.every((count) => count === 3 + 10));
      assert.equal(harness.informer.stats.handlers, 40);

      lister.detach();
      await Promise.all(subscriptions.map(({ closed }) => closed));
      await until('nothing is held', () => harness.informer.stats.handlers === 0);
      await turn();
      assert.equal(harness.live.size, 3);
    });
  });

  it('feeds a for await loop, which ends with the loop, with a signal, and with the informer', async () => {
    await subscribing(async ({ harness, lister }) => {
      const seen: string[] = [];
      for await (const event of await lister.events()) {
        seen.push(event.key);
        if (seen.length === 3) break;
      }
      await until('the loop has ended', () => harness.informer.stats.handlers === 0);
      assert.equal(seen.length, 3);

      const abort = new AbortController();
      for await (const _ of await lister.events({ signal: abort.signal })) abort.abort();
      const events = await lister.events();
      await events.next();
      harness.informer.stopped();
      for await (const _ of events);
    });
  });

  it('counts and reports what its handler throws or rejects with, and goes on', async () => {
    await subscribing(async ({ harness, lister }) => {
      const reported: string[] = [];
      const mine: string[] = [];
      harness.informer.on('error', ({ code, message }) => reported.push(`${code}: ${message}`));
      const subscription = await lister.subscribe(
        {
          onEvent({ key }) {
            if (key === 'a/one') throw new Error('no');
            if (key === 'a/two') return Promise.reject(new Error('never'));
          },
        },
        { name: 'mirror', onError: (error, { key }) => mine.push(`${key} ${(error as Error).message}`) },
      );
      await subscription.synced;
      await until('both were reported', () => reported.length === 2);

      assert.deepEqual(mine.sort(), ['a/one no', 'a/two never']);
      assert.match(
        reported.sort()[0]!,
        /^handler-failed: the handler "mirror" of things.* failed on the add of a\/one: no$/,
      );
      assert.deepEqual([subscription.delivered, subscription.errors], [3, 2]);
      assert.equal(harness.informer.stats.handlerErrors, 2);
    });
  });

  it('keeps what was decoded of an event, and throws for a first touch that comes too late', async () => {
    await subscribing(async ({ harness, lister }) => {
      const events: { object: Thing }[] = [];
      const subscription = await lister.subscribe({
        onEvent(event) {
          if (event.key === 'a/one') void event.object;
          events.push(event);
        },
      });
      await subscription.synced;
      for (const key of ['a/one', 'a/two', 'a/three']) harness.deleted(thing(key, 9));
      harness.work();
      await until('the bodies are gone', () => harness.live.size === 0);
      // Others come to lie where they were.
      for (const key of ['b/one', 'b/two', 'b/three']) harness.added(thing(key, 9));
      harness.work();

      const outcomes = events.map((event) => {
        try {
          return event.object.metadata.name;
        } catch (error) {
          return (error as Error).constructor;
        }
      });
      assert.equal(outcomes.filter((outcome) => outcome === 'one').length, 2);
      assert.ok(outcomes.includes(ReleasedObjectError));
    });
  });

  it('refuses what can not be, and says what is allowed', async () => {
    await subscribing(async ({ lister, handle }) => {
      const refused = (handler: object, options: SubscribeOptions, error: object) =>
        assert.rejects(
          lister.subscribe(handler as { onEvent(): void }, options as SubscribeOptions<Thing>),
          error,
        );
      await refused({}, {}, { name: 'UsageError', message: /onEvent/ });
      const handler = { onEvent() {} };
      await refused(
        handler,
        { ringRecords: 100 },
        { name: 'UsageError', message: /ringRecords.*power of two/ },
      );
      await refused(handler, { backlogLimit: 0 }, { name: 'UsageError', message: /backlogLimit/ });
      await refused(handler, { signal: AbortSignal.abort(new Error('enough')) }, { message: 'enough' });
      const nobody = Lister.attach({ ...handle, thread: 999_999 });
      await assert.rejects(nobody.subscribe(handler), { name: 'StoppedError' });
      nobody.detach();
      await assert.rejects(nobody.subscribe(handler), { name: 'DetachedError' });
    });
  });
});

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `a/${i}`);
}

/** An informer that has listed some things. */
function started(...things: Thing[]): { harness: Harness; handle: InformerHandle } {
  const harness = new Harness();
  const handle = harness.informer.handle();
  harness.list(things, '1');
  harness.work();
  return { harness, handle };
}

/** A subscriber may as well be on the informer's own thread: nothing is different but the way of its request. */
async function subscribing(
  run: (all: {
    harness: Harness;
    handle: InformerHandle;
    lister: ReturnType<typeof Lister.attach<Thing>>;
  }) => Promise<void>,
): Promise<void> {
  const { harness, handle } = started(thing('a/one', 1), thing('a/two', 1), thing('a/three', 1));
  const lister = Lister.attach<Thing>(handle);
  try {
    await run({ harness, handle, lister });
  } finally {
    lister.detach();
    harness.informer.stopped();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
