import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { added, Events, Home, script, someTurns, thing, thingList, until } from './home.ts';

describe('stopping an informer of functions', () => {
  const signalOf = (source: ReturnType<typeof script>) => source.asked.at(-1)!.options.signal as AbortSignal;

  it('while the list is awaited aborts its signal', async () => {
    const list = Promise.withResolvers<object>();
    const source = script([() => list.promise]);
    const home = new Home().start(source.listerWatcher);
    await until('it is asked', () => source.count('list') === 1);
    home.stop();
    assert.equal(signalOf(source).aborted, true);

    list.resolve(thingList([thing('ns/a', 1)], '5'));
    await someTurns();
    assert.equal(home.informer.lister.size, 0);
    assert.deepEqual([home.seen, home.errors], [[], []]);
    assert.equal(home.clock.pending, 0);
  });

  it('in the middle of a list reads no further', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => thing(`ns/${i}`, i + 1));
    const home = new Home({ ringRecords: 64, isPumping: false });
    home.start(script([thingList(items, '5')]).listerWatcher);
    await until('the ring is full', () => home.local.deltas.available >= 64);
    home.stop();
    home.pump();
    await until('the ring is empty', () => home.local.deltas.available === 0);
    await someTurns();

    assert.ok(home.seen.length < 64);
    assert.deepEqual(home.errors, []);
  });

  it('in the middle of a body ends the iterator that gives it', async () => {
    let isEnded = false;
    const body = async function* () {
      try {
        for (;;) {
          yield Buffer.from(' ');
          await new Promise(setImmediate);
        }
      } finally {
        isEnded = true;
      }
    };
    const source = script([body]);
    const home = new Home().start(source.listerWatcher);
    await until('it is asked', () => source.count('list') === 1);
    await someTurns();
    home.stop();
    await until('it has ended', () => isEnded);

    assert.equal(signalOf(source).aborted, true);
  });

  it('while a watch is awaited aborts its signal, and does not iterate over what comes then', async () => {
    const stream = Promise.withResolvers<Events>();
    const source = script([thingList([], '5')], [() => stream.promise]);
    const home = new Home().start(source.listerWatcher);
    await until('it is asked', () => source.count('watch') === 1);
    home.stop();
    const watch = new Events();
    stream.resolve(watch);
    await someTurns();

    assert.equal(signalOf(source).aborted, true);
    assert.equal(watch.asked, 0);
  });

  it('while an event is awaited ends the iterator', async () => {
    const watch = new Events();
    const source = script([thingList([], '5')], [watch]);
    const home = new Home().start(source.listerWatcher);
    await until('an event is awaited', () => watch.isAwaited);
    home.stop();

    assert.equal(signalOf(source).aborted, true);
    await until('the iterator has ended', () => watch.returned);
    assert.equal(home.clock.pending, 0);
  });

  it('while an event finds no room ends the iterator', async () => {
    const watch = new Events();
    const home = new Home({ ringRecords: 64 }).start(script([thingList([], '5')], [watch]).listerWatcher);
    await home.informer.synced;
    home.isPumping = false;
    watch.give(...Array.from({ length: 100 }, (_, i) => added(thing(`ns/${i}`, 6 + i))));
    await until('the ring is full', () => home.local.deltas.available >= 64);
    await someTurns();
    home.stop();
    await until('the iterator has ended', () => watch.returned);
    const { asked } = watch;
    home.pump();
    await someTurns();

    assert.equal(watch.asked, asked);
  });

  it('while it backs off asks nobody any more', async () => {
    const source = script([() => Promise.reject(new Error('down'))]);
    const home = new Home().start(source.listerWatcher);
    await until('it is told', () => home.errors.length === 1);
    home.stop();
    home.clock.advance(3_600_000);
    await someTurns();

    assert.equal(source.count('list'), 1);
    assert.equal(home.clock.pending, 0);
  });

  it('from within a function, a handler or an error listener does no harm', async () => {
    const inList = new Home();
    inList.start(
      script([
        () => {
          inList.stop();
          return thingList([thing('ns/a', 1)], '5');
        },
      ]).listerWatcher,
    );
    const inHandler = new Home();
    inHandler.informer.addEventHandler({ onEvent: () => inHandler.stop() });
    inHandler.start(script([thingList([thing('ns/a', 1), thing('ns/b', 1)], '5')]).listerWatcher);
    const inError = new Home();
    inError.informer.on('error', () => inError.stop());
    inError.start(script([Buffer.from('{"items":[5,5,5],"kind":"XList","metadata":{}}')]).listerWatcher);
    await until('it is told', () => inError.errors.length > 0);
    await someTurns();

    for (const home of [inList, inHandler, inError]) assert.equal(home.clock.pending, 0);
  });

  it('is harmless twice, and when an iterator’s end throws', async () => {
    const watch = new Events();
    watch.return = () => Promise.reject(new Error('late'));
    const home = new Home().start(script([thingList([], '5')], [watch]).listerWatcher);
    await until('an event is awaited', () => watch.isAwaited);
    home.stop();
    home.stop();
    await someTurns();

    assert.deepEqual(home.errors, []);
  });
});
