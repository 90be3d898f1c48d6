import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  added,
  bookmark,
  deleted,
  Events,
  Home,
  modified,
  script,
  someTurns,
  thing,
  thingList,
  until,
} from './home.ts';

describe('an informer of objects from functions', () => {
  it('lists, then follows adds, updates and deletes', async () => {
    const watch = new Events();
    const home = new Home().start(script([thingList([thing('ns/a', 1)], '5')], [watch]).listerWatcher);
    await home.informer.synced;
    watch.give(added(thing('ns/b', 6)), modified(thing('ns/a', 7)), deleted(thing('ns/b', 8)));
    await until('all was told', () => home.seen.length === 4);

    assert.deepEqual(home.seen, ['add ns/a', 'add ns/b', 'update ns/a', 'delete ns/b']);
    assert.equal(home.informer.lister.resourceVersion, '8');
    assert.equal(home.informer.lister.get('ns/a')!.metadata.resourceVersion, '7');
    assert.deepEqual(home.errors, []);
    home.stop();
  });

  it('asks for any state first, with selectors and a page limit, and watches from the list’s version', async () => {
    const { listerWatcher, asked } = script([thingList([], '41')]);
    const informer = { labelSelector: 'app=x,tier!=y', fieldSelector: 'spec.a=b&c', pageLimit: 7 };
    const home = new Home({ informer }).start(listerWatcher);
    await until('the watch is open', () => asked.length === 2);

    const [{ signal: listSignal, ...list }, { signal: watchSignal, ...watch }] = asked.map(
      ({ options }) => options,
    ) as [Record<string, unknown>, Record<string, unknown>];
    const selectors = { labelSelector: 'app=x,tier!=y', fieldSelector: 'spec.a=b&c' };
    assert.deepEqual(list, { ...selectors, resourceVersion: '0', limit: 7 });
    assert.deepEqual(watch, {
      ...selectors,
      resourceVersion: '41',
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    });
    assert.ok(listSignal instanceof AbortSignal && watchSignal instanceof AbortSignal);
    home.stop();
  });

  it('asks for the next page as long as there is a token, also under the name that client-node gives it', async () => {
    const pages = [
      thingList([thing('ns/a', 1)], '5', { continue: 'one' }),
      thingList([thing('ns/b', 1)], '6', { _continue: 'two' }),
      thingList([thing('ns/c', 1)], '', {}),
    ];
    const { listerWatcher, asked } = script(pages);
    const home = new Home().start(listerWatcher);
    await home.informer.synced;

    assert.deepEqual(
      asked.slice(0, 3).map(({ options }) => options.continue),
      [undefined, 'one', 'two'],
    );
    assert.deepEqual(home.informer.lister.keys().sort(), ['ns/a', 'ns/b', 'ns/c']);
    assert.equal(home.informer.lister.resourceVersion, '5');
    home.stop();
  });

  it('starts the list anew when a token has expired', async () => {
    const expired = () => Promise.reject(Object.assign(new Error('too old'), { code: 410 }));
    const whole = thingList([thing('ns/a', 1)], '6');
    const { listerWatcher, asked } = script([thingList([], '5', { continue: 'one' }), expired, whole]);
    const home = new Home().start(listerWatcher);
    await home.informer.synced;

    assert.deepEqual(
      asked.slice(0, 3).map(({ options }) => [options.continue, options.limit]),
      [
        [undefined, 500],
        ['one', 500],
        [undefined, undefined],
      ],
    );
    home.stop();
  });

  it('gives objects the kind of their list, first, and leaves those that have one as they are', async () => {
    const own = { kind: 'Thing', apiVersion: 'other/v2', ...thing('ns/own', 1) };
    const watch = new Events();
    const home = new Home().start(script([thingList([thing('ns/a', 1), own], '5')], [watch]).listerWatcher);
    await home.informer.synced;
    watch.give(added(thing('ns/b', 6)));
    await until('it came', () => home.informer.lister.has('ns/b'));

    for (const key of ['ns/a', 'ns/b']) {
      const object = home.informer.lister.get(key)!;
      assert.deepEqual(Object.keys(object), ['kind', 'apiVersion', 'metadata']);
      assert.deepEqual([object.kind, object.apiVersion], ['Thing', 'v1']);
    }
    assert.deepEqual(home.informer.lister.get('ns/own'), own);
    home.stop();
  });

  it('moves its version with bookmarks and tells nobody', async () => {
    const watch = new Events();
    const { listerWatcher, asked } = script([thingList([], '5')], [watch, new Events()]);
    const home = new Home().start(listerWatcher);
    await home.informer.synced;
    watch.give(bookmark('90'));
    await until('it came', () => home.informer.lister.resourceVersion === '90');
    watch.end();
    await someTurns();
    home.clock.advance(1000);
    await until('it is watched again', () => asked.length === 3);

    assert.deepEqual(home.seen, []);
    assert.equal(asked[2]!.options.resourceVersion, '90');
    home.stop();
  });

  it('tells of a relist only what changed', async () => {
    const watch = new Events();
    const lists = [
      thingList([thing('ns/same', 1), thing('ns/new', 1), thing('ns/gone', 1)], '5'),
      thingList([thing('ns/same', 1), thing('ns/new', 2), thing('ns/more', 3)], '9'),
    ];
    const home = new Home().start(script(lists, [watch, new Events()]).listerWatcher);
    await home.informer.synced;
    home.seen.length = 0;
    watch.fail({ code: 410 });
    await until('it is told', () => home.errors.length === 1);
    home.clock.advance(2000);
    await until('the list is there', () => home.informer.lister.resourceVersion === '9');
    await until('it is told', () => home.seen.length === 3);

    assert.deepEqual(home.seen.sort(), ['add ns/more', 'delete ns/gone', 'update ns/new']);
    assert.equal(home.errors[0]!.code, 'expired');
    home.stop();
  });

  it('writes only marks for what a relist finds unchanged', async () => {
    const items = Array.from({ length: 100 }, (_, i) => thing(`ns/${i}`, 1, { text: 'x'.repeat(50_000) }));
    const watch = new Events();
    const home = new Home().start(
      script([thingList(items, '5'), thingList(items, '6')], [watch]).listerWatcher,
    );
    await home.informer.synced;
    const bytes = home.segments.bytes;
    home.seen.length = 0;
    watch.fail({ code: 410 });
    await until('it is told', () => home.errors.length === 1);
    home.clock.advance(2000);
    await until('the list is there', () => home.informer.lister.resourceVersion === '6');

    assert.equal(home.segments.bytes, bytes);
    assert.deepEqual(home.seen, []);
    assert.equal(home.informer.lister.get('ns/7')!.spec!.text, 'x'.repeat(50_000));
    home.stop();
  });

  it('takes a watch from anything that can be iterated', async () => {
    const events = [added(thing('ns/a', 6)), added(thing('ns/b', 7))];
    const forms = [
      () => events,
      () => new Set(events),
      async function* () {
        yield* events;
      },
      async () => events.values(),
    ];
    for (const form of forms) {
      const home = new Home().start(script([thingList([], '5')], [form, new Events()]).listerWatcher);
      await until('both came', () => home.seen.length === 2);
      home.stop();
    }
  });
});
