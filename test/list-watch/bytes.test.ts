import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { drop } from '../../src/index/index.ts';
import { Events, Home, script, thing, thingList, until } from './home.ts';

const PATHS = {
  indexers: {
    byNode: 'spec.nodeName',
    byOwner: 'metadata.ownerReferences[*].uid',
    byLabelKey: 'keys(metadata.labels)',
  },
  columns: {
    image: 'spec.containers[0].image',
    replicas: 'spec.replicas',
    ready: 'status.ready',
    text: 'spec.text',
  },
};

describe('an informer of bytes from functions', () => {
  it('takes a list as one array of bytes, and a watch as a stream of them', async () => {
    const body = Buffer.from(JSON.stringify(thingList([thing('ns/a', 1), thing('ns/b', 2)], '5')));
    const lines = Buffer.from(
      `${JSON.stringify({ type: 'DELETED', object: thing('ns/a', 6) })}\n${JSON.stringify({ type: 'ADDED', object: thing('ns/c', 7) })}\n`,
    );
    const watch = new Events();
    const home = new Home().start(script([body], [watch]).listerWatcher);
    await home.informer.synced;
    for (let at = 0; at < lines.length; at += 11) watch.give(lines.subarray(at, at + 11));
    await until('all was told', () => home.seen.length === 4);

    assert.deepEqual(home.seen, ['add ns/a', 'add ns/b', 'delete ns/a', 'add ns/c']);
    assert.equal(home.informer.lister.resourceVersion, '7');
    assert.deepEqual(home.errors, []);
    home.stop();
  });

  it('takes streams of Node, and a whole watch as one array of bytes', async () => {
    const home = new Home().start(
      script(
        [() => Readable.from(chunksOf(wire('list-widgets'), 100))],
        [wire('watch-widgets'), new Events()],
      ).listerWatcher,
    );
    const events = wire('watch-widgets')
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const last = events.at(-1).object.metadata.resourceVersion;
    await until('the watch is read', () => home.informer.lister.resourceVersion === last);

    assert.deepEqual(home.errors, []);
    home.stop();
  });

  it('reports bytes that are no list, and a list that ends in its middle', async () => {
    const body = Buffer.from(JSON.stringify(thingList([thing('ns/a', 1)], '5')));
    const home = new Home().start(script([Buffer.from('<html>'), body.subarray(0, -5), body]).listerWatcher);
    for (let round = 1; round <= 2; round++) {
      await until('it is told', () => home.errors.length === round);
      home.clock.advance(home.errors.at(-1)!.retryInMs!);
    }
    await home.informer.synced;

    assert.deepEqual(
      home.errors.map(({ code }) => code),
      ['not-json', 'truncated'],
    );
    home.stop();
  });

  it('reports a broken event of a stream, and watches again from before it', async () => {
    const watches = [new Events(), new Events()];
    const source = script([thingList([], '5')], watches);
    const home = new Home().start(source.listerWatcher);
    watches[0]!.give(Buffer.from('{"type":"ADDED","object":{]}\n'));
    await until('it was told', () => home.errors.length === 1);
    home.clock.advance(2_000);
    watches[1]!.give(Buffer.from(`${JSON.stringify({ type: 'ADDED', object: thing('ns/a', 6) })}\n`));
    await until('it came', () => home.informer.lister.has('ns/a'));

    assert.match(home.errors[0]!.message, /^watch of things failed: an event is not JSON/);
    assert.equal(source.asked.at(-1)!.options.resourceVersion, '5');
    assert.equal(home.errors.length, 1);
    home.stop();
  });

  it('reports an object among bytes', async () => {
    const watch = new Events();
    const home = new Home().start(script([thingList([], '5')], [watch]).listerWatcher);
    watch.give(Buffer.from(`${JSON.stringify({ type: 'ADDED', object: thing('ns/a', 6) })}\n`));
    watch.give({ type: 'ADDED', object: thing('ns/b', 7) });
    await until('both were seen', () => home.errors.length === 1 && home.seen.length === 1);

    assert.equal(home.errors[0]!.code, 'mixed-watch');
    assert.deepEqual(home.informer.lister.keys(), ['ns/a']);
    home.stop();
  });

  it('lists again when a stream of bytes throws 410', async () => {
    const watch = new Events();
    const source = script([thingList([], '5')], [watch, new Events()]);
    const home = new Home().start(source.listerWatcher);
    watch.give(Buffer.from(`${JSON.stringify({ type: 'ADDED', object: thing('ns/a', 6) })}\n`));
    await until('it came', () => home.seen.length === 1);
    watch.fail({ code: 410 });
    await until('it lists', () => source.count('list') === 2);

    assert.equal(home.errors[0]!.code, 'expired');
    home.stop();
  });

  const awkward = {
    ...thing('ns-ü/näme-😀', '77', {
      nodeName: 'knoten-ß',
      text: 'zwei\nZeilen "mit" \\ und \u0001',
      replicas: 1.5,
      containers: [{ image: 'a:1' }, { image: 'b:2' }],
      empty: '',
    }),
    status: { ready: true, nothing: null, list: [[], {}] },
  };
  Object.assign(awkward.metadata, {
    labels: { 'app.kubernetes.io/name': 'x', ä: 'ö' },
    ownerReferences: [{ uid: 'u-1' }, { uid: 'u-2' }, { uid: 'u-1' }, {}],
    managedFields: [{ manager: 'a', fieldsV1: { 'f:x': {} } }, { manager: 'b' }],
  });
  const sources: [string, { items: object[] }][] = [
    ['awkward values', thingList([awkward, thing('ns/plain', 1), { ...thing('/cluster', 2) }], '5')],
    ...['list-pods', 'list-widgets', 'list-partial-metadata'].map((name): [string, { items: object[] }] => [
      name,
      wholeList(name),
    ]),
  ];
  for (const [name, list] of sources) {
    it(`keeps the same of objects as of bytes: ${name}`, async () => {
      const project = drop('metadata.managedFields[*].fieldsV1', 'spec.containers[*].image', 'status.list');
      const [ofObjects, ofBytes] = await Promise.all(
        [list, Buffer.from(JSON.stringify(list))].map(async (source) => {
          const home = new Home({ informer: { ...PATHS, project } }).start(script([source]).listerWatcher);
          await home.informer.synced;
          home.stop();
          assert.deepEqual(home.errors, []);
          return stateOf(home);
        }),
      );

      assert.deepEqual(ofObjects, ofBytes);
    });

    it(`keeps the same of events as of bytes: ${name}`, async () => {
      const events = list.items.map((object) => ({ type: 'ADDED', object }));
      const versions = list.items.map(
        (object) => (object as { metadata: { resourceVersion: string } }).metadata.resourceVersion,
      );
      const last = versions.at(-1);
      const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      const kinds = { kind: (list as { kind?: string }).kind!, apiVersion: 'v1' };
      const empty = { ...thingList([], '5'), ...kinds };
      const [ofObjects, ofBytes] = await Promise.all(
        [events, bytes].map(async (source) => {
          const home = new Home({ informer: PATHS }).start(
            script([empty], [source, new Events()]).listerWatcher,
          );
          // The version moves last: once the handlers were told.
          await until('all came', () => home.informer.lister.resourceVersion === last);
          home.stop();
          assert.deepEqual(home.errors, []);
          return stateOf(home);
        }),
      );

      assert.deepEqual(ofObjects, ofBytes);
    });
  }
});

/** All that can be read of a cache. */
function stateOf({ informer: { lister } }: Home) {
  const refs = lister.refs().sort((a, b) => (a.key < b.key ? -1 : 1));
  const indexes = ['namespace', ...Object.keys(PATHS.indexers)].map((index) => [
    index,
    lister
      .indexValues(index)
      .sort()
      .map((value) => [value, lister.indexKeys(index, value).sort()]),
  ]);
  return {
    resourceVersion: lister.resourceVersion,
    indexes,
    objects: refs.map((ref) => ({
      key: ref.key,
      namespace: ref.namespace,
      name: ref.name,
      uid: ref.uid,
      resourceVersion: ref.resourceVersion,
      columns: Object.keys(PATHS.columns).map((column) => ref.column(column)),
      object: ref.object,
      keys: Object.keys(ref.object),
    })),
  };
}

function wire(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/wire/${name}.body`, import.meta.url));
}

/** A page as if it were the only one. */
function wholeList(name: string) {
  const list = JSON.parse(wire(name).toString());
  delete list.metadata.continue;
  return list;
}

function chunksOf(bytes: Buffer, length: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += length) chunks.push(bytes.subarray(at, at + length));
  return chunks;
}
