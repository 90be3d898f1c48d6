import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { added, Events, Home, modified, script, thing, thingList, until } from './home.ts';

describe('what functions give', () => {
  const lists: [string, unknown, RegExp, string][] = [
    ['nothing', undefined, /expected a Kubernetes list, not undefined without/, 'not-a-list'],
    ['text', '{}', /not a string without an array of items/, 'not-a-list'],
    ['an array', [], /not an array without/, 'not-a-list'],
    ['one object', { kind: 'Pod', metadata: { resourceVersion: '1' } }, /not a Pod without/, 'not-a-list'],
    ['items that are none', { ...thingList([], '5'), items: {} }, /without an array of items/, 'not-a-list'],
    ['another kind', { ...thingList([], '5'), kind: 'Table' }, /not a Table/, 'not-a-list'],
    ['a kind that is no text', { ...thingList([], '5'), kind: 5 }, /whose kind is no text/, 'not-a-list'],
    ['no metadata', { kind: 'XList', items: [] }, /not a XList without metadata/, 'not-a-list'],
    [
      'a number as version',
      thingList([], 5 as unknown as string),
      /resourceVersion is a number/,
      'not-a-list',
    ],
    ['no version', thingList([], ''), /no metadata\.resourceVersion/, 'no-resource-version'],
    ['chunks that are no bytes', Readable(['a']), /as a string instead of bytes/, 'not-bytes'],
  ];
  for (const [what, list, message, code] of lists) {
    it(`${what} instead of a list is an error, and it is asked again`, async () => {
      const home = new Home().start(script([list, thingList([], '5')]).listerWatcher);
      await until('it is told', () => home.errors.length === 1);
      assert.match(home.errors[0]!.message, /^list of things failed: /);
      assert.match(home.errors[0]!.message, message);
      assert.equal(home.errors[0]!.code, code);

      home.clock.advance(2000);
      await home.informer.synced;
      home.stop();
    });
  }

  for (const [what, stream] of [
    ['nothing', undefined],
    ['text', 'ADDED'],
    ['an object', {}],
    ['a number', 5],
  ] as const) {
    it(`${what} instead of a watch is an error`, async () => {
      const home = new Home().start(script([thingList([], '5')], [stream, new Events()]).listerWatcher);
      await until('it is told', () => home.errors.length === 1);

      assert.match(
        home.errors[0]!.message,
        /^watch of things failed: the watch function gave .* to iterate over/,
      );
      assert.equal(home.errors[0]!.code, 'not-a-watch');
      home.stop();
    });
  }

  const cyclic = thing('ns/cyclic', 1, {});
  cyclic.spec!.self = cyclic;
  const objects: [string, unknown, RegExp][] = [
    ['null', null, /it is null/],
    ['text', 'pod', /it is a string/],
    ['no metadata', {}, /its metadata is undefined/],
    ['no name', { metadata: { resourceVersion: '1' } }, /it has no metadata\.name/],
    ['an empty name', { metadata: { name: '', resourceVersion: '1' } }, /it has no metadata\.name/],
    ['a number as name', { metadata: { name: 5 } }, /metadata\.name is a number, not a string/],
    ['a map as namespace', { metadata: { name: 'a', namespace: {} } }, /metadata\.namespace is an object/],
    ['a number as version', { metadata: { name: 'a', resourceVersion: 5 } }, /resourceVersion is a number/],
    ['no version', { metadata: { name: 'a' } }, /a has no metadata\.resourceVersion/],
    ['another kind', { ...thing('ns/a', 1), kind: 'Pod' }, /its kind is Pod, and Thing was asked for/],
    ['a name beyond 64 KiB', thing(`ns/${'x'.repeat(65_536)}`, 1), /identity is longer than 65535 bytes/],
    ['a cycle', cyclic, /ns\/cyclic can't be written as JSON: .*circular/],
    ['a bigint', thing('ns/a', 1, { big: 5n }), /can't be written as JSON: .*BigInt/],
    [
      'a toJSON of another type',
      { ...thing('ns/a', 1), toJSON: () => 'x' },
      /toJSON of ns\/a gives no object/,
    ],
  ];
  for (const [what, object, message] of objects) {
    it(`${what} as an object of a list or a watch is one error, and nothing else is lost`, async () => {
      const watch = new Events();
      const list = thingList([thing('ns/before', 1), object, thing('ns/behind', 1)], '5');
      const home = new Home().start(script([list], [watch]).listerWatcher);
      await home.informer.synced;
      assert.match(
        home.errors[0]!.message,
        /^things: item 1 of the list can't be used: .*; the object was left out/,
      );
      watch.give(modified(object as never), added(thing('ns/last', 7)));
      await until('the next came', () => home.informer.lister.has('ns/last'));

      assert.equal(home.errors.length, 2);
      for (const error of home.errors) {
        assert.match(error.message, message);
        assert.equal(error.code, 'bad-object');
      }
      assert.deepEqual(home.informer.lister.keys().sort(), ['ns/before', 'ns/behind', 'ns/last']);
      home.stop();
    });
  }

  it('keeps the last state of an object that a relist gives in a form that can’t be used', async () => {
    const watch = new Events();
    const broken = { ...thing('ns/a', 2), spec: { big: 5n } };
    const lists = [thingList([thing('ns/a', 1)], '5'), thingList([broken], '6')];
    const home = new Home().start(script(lists, [watch, new Events()]).listerWatcher);
    await home.informer.synced;
    watch.fail({ code: 410 });
    await until('it is told', () => home.errors.length === 1);
    home.clock.advance(2000);
    await until('the list is there', () => home.informer.lister.resourceVersion === '6');

    assert.deepEqual(home.seen, ['add ns/a']);
    assert.equal(home.informer.lister.get('ns/a')!.metadata.resourceVersion, '1');
    home.stop();
  });

  const events: [string, unknown, RegExp, string][] = [
    ['text', 'ADDED', /it is a string, not an object with type and object/, 'not-an-event'],
    ['nothing', undefined, /it is null/, 'not-an-event'],
    ['an unknown type', { type: 'CHANGED', object: {} }, /its type is CHANGED/, 'unknown-event'],
    ['no type', { object: {} }, /its type is undefined/, 'unknown-event'],
    [
      'a type as the server never writes it',
      { type: 'added', object: {} },
      /its type is added/,
      'unknown-event',
    ],
    ['no object', { type: 'ADDED' }, /it is undefined/, 'bad-object'],
    ['a bookmark without a version', { type: 'BOOKMARK', object: {} }, /bookmark has no/, 'bad-bookmark'],
  ];
  for (const [what, event, message, code] of events) {
    it(`${what} in a watch is one error, and the watch goes on`, async () => {
      const stream = async function* () {
        yield event;
        yield added(thing('ns/a', 6));
        await new Promise(() => {});
      };
      const source = script([thingList([], '5')], [stream]);
      const home = new Home().start(source.listerWatcher);
      await until('the next came', () => home.informer.lister.has('ns/a'));

      assert.equal(home.errors.length, 1);
      assert.match(home.errors[0]!.message, message);
      assert.match(home.errors[0]!.message, /^things: a watch event can't be used: /);
      assert.equal(home.errors[0]!.code, code);
      assert.equal(source.count('watch'), 1);
      home.stop();
    });
  }

  it('takes a delete that says no more than which object is gone', async () => {
    const watch = new Events();
    const home = new Home().start(script([thingList([thing('ns/a', 1)], '5')], [watch]).listerWatcher);
    await home.informer.synced;
    watch.give({ type: 'DELETED', object: { metadata: { namespace: 'ns', name: 'a' } } });
    await until('it is gone', () => home.informer.lister.size === 0);

    assert.deepEqual(home.errors, []);
    home.stop();
  });

  it('tells of a flood of bad objects as one number', async () => {
    const items = Array.from({ length: 100 }, () => ({}));
    const home = new Home().start(script([thingList(items, '5')]).listerWatcher);
    await home.informer.synced;

    assert.equal(home.errors.length, 21);
    assert.match(home.errors.at(-1)!.message, /80 more objects/);
    home.stop();
  });
});

async function* Readable(chunks: readonly unknown[]) {
  yield* chunks;
}
