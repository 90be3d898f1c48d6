import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  added,
  bookmark,
  Events,
  Home,
  modified,
  script,
  someTurns,
  thing,
  thingList,
  until,
} from './home.ts';

const RING_RECORDS = 64;

describe('back-pressure on functions', () => {
  it('asks for no more events than the ring holds while nobody drains it', async () => {
    const watch = new Events();
    const home = new Home({ ringRecords: RING_RECORDS });
    home.start(script([thingList([], '5')], [watch]).listerWatcher);
    await home.informer.synced;
    home.isPumping = false;
    const events = Array.from({ length: 1000 }, (_, i) => added(thing(`ns/${i}`, 6 + i)));
    watch.give(...events);
    await until('the ring is full', () => home.local.deltas.available >= RING_RECORDS);
    await someTurns();
    assert.ok(watch.asked <= RING_RECORDS + 3, `${watch.asked} events were asked for`);

    home.pump();
    await until('all came', () => home.seen.length === events.length);
    assert.equal(home.informer.lister.size, events.length);
    assert.deepEqual(home.errors, []);
    home.stop();
  });

  it('puts a list that is larger than the ring bit by bit, in order', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => thing(`ns/${i}`, i + 1));
    const home = new Home({ ringRecords: RING_RECORDS, isPumping: false });
    home.start(script([thingList(items, '5')]).listerWatcher);
    await until('the ring is full', () => home.local.deltas.available >= RING_RECORDS);
    await someTurns();
    assert.equal(home.seen.length, 0);

    home.pump();
    await home.informer.synced;
    await until('all was told', () => home.seen.length === items.length);
    assert.deepEqual(
      home.seen,
      items.map(({ metadata }) => `add ns/${metadata.name}`),
    );
    home.stop();
  });

  it('pushes back on bytes too', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => thing(`ns/${i}`, i + 1, { text: 'x'.repeat(300) }));
    const body = Buffer.from(JSON.stringify(thingList(items, '5')));
    let given = 0;
    const stream = async function* () {
      for (; given < body.length; given += 1024) yield body.subarray(given, given + 1024);
    };
    const home = new Home({ ringRecords: RING_RECORDS, isPumping: false });
    home.start(script([stream]).listerWatcher);
    await until('the ring is full', () => home.local.deltas.available >= RING_RECORDS);
    await someTurns();
    assert.ok(given < body.length / 4, `${given} bytes were taken`);

    home.pump();
    await home.informer.synced;
    assert.equal(home.informer.lister.size, items.length);
    home.stop();
  });

  it('gives the event loop its turn while it encodes', async () => {
    // Each look at the clock takes 0.1 ms: a slice of 2 ms is some twenty items.
    let nowMs = 0;
    const clock = {
      now: () => {
        nowMs += 0.1;
        return nowMs;
      },
      setTimer: () => () => {},
    };
    const items = Array.from({ length: 200 }, (_, i) => thing(`ns/${i}`, i + 1));
    const events = items.map(({ metadata }, i) => modified(thing(`ns/${metadata.name}`, 1000 + i)));
    const home = new Home({ clock, isPumping: false, ringRecords: 1024 });
    home.start(script([thingList(items, '900')], [events, new Events()]).listerWatcher);
    const fills: number[] = [];
    await until('all is on the ring', () => {
      fills.push(home.local.deltas.available);
      return home.local.deltas.available >= 402;
    });

    const steps = fills.map((fill, turn) => fill - (fills[turn - 1] ?? 0));
    assert.ok(Math.max(...steps) <= 45, `${Math.max(...steps)} records in one turn`);
    home.stop();
  });

  it('gives the event loop its turn between pages that come at once', async () => {
    let pages = 0;
    const source = script([
      () => {
        pages++;
        const token = pages === 5000 ? '' : `page-${pages}`;
        return thingList([thing(`ns/${pages}`, pages)], '9000', { continue: token });
      },
    ]);
    let turns = 0;
    const clock = { now: () => performance.now(), setTimer: () => () => {} };
    const home = new Home({ clock, ringRecords: 16_384 }).start(source.listerWatcher);
    await until('all pages came', () => {
      turns++;
      return pages === 5000;
    });

    // How many there are depends on the machine; without them there would be one.
    assert.ok(turns > 3, `${turns} turns`);
    home.stop();
  });

  it('waits for released blocks at the limit of its memory, and leaves out what finds no room', async () => {
    const big = (key: string, resourceVersion: number) =>
      thing(key, resourceVersion, { text: 'x'.repeat(6 << 20) });
    const watch = new Events();
    const list = thingList([big('ns/a', 1), big('ns/b', 2)], '5');
    const source = script([list], [watch, new Events()]);
    const home = new Home({ arenaLimitBytes: 16 << 20 }).start(source.listerWatcher);
    await home.informer.synced;
    watch.give(added(big('ns/c', 6)));
    await until('it waits', () => home.clock.pending > 0);
    await someTurns();
    assert.equal(home.informer.lister.size, 2);
    home.clock.advance(2000);
    await until('it is told', () => home.errors.length === 1);
    assert.equal(home.errors[0]!.code, 'arena-full');
    assert.match(
      home.errors[0]!.message,
      /^things: the object memory is at its limit .* MiB for all sources/,
    );

    watch.give({ type: 'DELETED', object: { metadata: thing('ns/a', 7).metadata } }, bookmark('8'));
    await until('it is told', () => home.errors.length === 2);
    assert.match(home.errors[1]!.message, /no room for 1 objects or changes/);
    home.clock.advance(home.errors[1]!.retryInMs!);
    await until('it lists', () => source.count('list') === 2);
    home.stop();
  });

  it('uses the memory of replaced bodies again', async () => {
    const watch = new Events();
    const text = 'x'.repeat(10_000);
    const home = new Home().start(script([thingList([], '5')], [watch]).listerWatcher);
    await home.informer.synced;
    for (let i = 0; i < 5000; i++) watch.give(modified(thing(`ns/${i % 10}`, 6 + i, { text })));
    await until('all came', () => home.informer.lister.resourceVersion === '5005');

    // 50 MB went through: what may be there is a ring of them, and a segment more.
    assert.ok(home.segments.bytes <= 16 << 20, `${home.segments.bytes} bytes`);
    home.stop();
  });
});
