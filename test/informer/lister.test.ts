import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { indexBy } from '../../src/index/index.ts';
import { Cache, thing } from './lister-support.ts';

const INDEXERS = {
  byNode: indexBy.nodeName,
  byPhase: 'spec.phase',
  byOwner: indexBy.ownerUid,
  byController: indexBy.controllerUid,
  byLabelName: indexBy.labelName,
  byApp: indexBy.label('app'),
};

describe('lister', () => {
  it('lists all, one namespace, and what a label selector matches', () => {
    const { lister, bodies } = filled();

    assert.deepEqual(lister.keys().sort(), ['a/1', 'a/2', 'a/3', 'b/1', 'node']);
    assert.equal(lister.keys({ namespace: '' }).length, 5, "'' is all namespaces");
    assert.deepEqual(lister.keys({ namespace: 'a' }).sort(), ['a/1', 'a/2', 'a/3']);
    assert.deepEqual(lister.keys({ namespace: 'missing' }), []);
    assert.deepEqual(lister.keys({ labelSelector: 'app in (web,api),tier!=x' }).sort(), ['a/1', 'b/1']);
    assert.deepEqual(lister.keys({ namespace: 'a', labelSelector: 'app' }).sort(), ['a/1', 'a/2']);
    assert.deepEqual(lister.keys({ labelSelector: '!app' }).sort(), ['a/3', 'node']);
    assert.deepEqual([lister.size, lister.count(), lister.count({ labelSelector: 'app=web' })], [5, 5, 2]);
    assert.equal(bodies.decoded, 0, 'no object was decoded');
    assert.deepEqual(
      lister.list({ namespace: 'b' }).map(({ metadata }) => metadata.uid),
      ['uid-b/1'],
    );
  });

  it('gives views of one namespace, where objects go by their names', () => {
    const { lister } = filled();
    const view = lister.namespace('a');

    assert.equal(view.get('1'), lister.get('a/1'));
    assert.equal(view.getOrThrow('1'), lister.get('a/1'));
    assert.equal(view.ref('2')!.key, 'a/2');
    assert.deepEqual([view.namespace, view.size, view.has('3'), view.has('4')], ['a', 3, true, false]);
    assert.equal(view.get('4'), undefined);
    assert.deepEqual(view.query({}, 'app').keys().sort(), ['a/1', 'a/2']);
    assert.equal(view.list('app').length, 2);
    assert.equal(view.list().length, 3);
    assert.throws(() => lister.namespace(''), { name: 'UsageError', message: /the lister itself has all/ });
  });

  it('says that an object is not there, by undefined or by an error, as you like', () => {
    const { lister } = filled();
    assert.equal(lister.get('a/4'), undefined);
    assert.throws(() => lister.getOrThrow('a/4'), {
      name: 'NotFoundError',
      code: 'KUBERING_NOT_FOUND',
      key: 'a/4',
      message: /^there is no object 'a\/4' in the cache/,
    });
    assert.throws(() => lister.namespace('a').getOrThrow('4'), { name: 'NotFoundError', key: 'a/4' });
    assert.equal(lister.getOrThrow('a/1'), lister.get('a/1'));
  });

  it('asks indexes of labels instead of looking at each object, as long as they are there', async () => {
    const cache = new Cache({ indexers: { byApp: indexBy.label('app') } });
    cache.put(thing('a/1', {}, { labels: { app: 'web', tier: 'x' } }), '{"its labels": "can not be read"');
    const query = cache.lister.query({}, { labelSelector: 'app=web' });
    assert.deepEqual([query.keys(), query.count()], [['a/1'], 1]);
    assert.throws(() => cache.lister.keys({ labelSelector: 'app=web,tier' }), { name: 'DecodeError' });

    cache.indexes.remove('byApp');
    assert.throws(() => query.keys(), { name: 'DecodeError' });
    cache.put(thing('a/1', {}, { labels: { app: 'web', tier: 'x' } }));
    await cache.add({ byName: indexBy.labelName, again: indexBy.label('app') });
    for (const [selector, count] of [
      ['app', 1],
      ['app,tier', 1],
      ['app=web,app', 1],
      ['app=web,app=api', 0],
      ['app==web,app in (web,api),tier!=y', 1],
      ['missing', 0],
      ['tier=', 0],
    ] as const) {
      assert.equal(cache.lister.count({ labelSelector: selector }), count, selector);
    }
  });

  it('reads labels of decoded objects as those of bytes', () => {
    const { lister } = filled();
    const before = lister.keys({ labelSelector: 'tier notin (y)' });
    lister.list();

    assert.deepEqual(lister.keys({ labelSelector: 'tier notin (y)' }), before);
  });

  it('finds by several indexes at once', () => {
    const { lister, bodies } = filled();
    const keys = (where: Record<string, string>, namespace?: string) =>
      lister
        .query(where, namespace === undefined ? {} : { namespace })
        .keys()
        .sort();

    assert.deepEqual(keys({}), ['a/1', 'a/2', 'a/3', 'b/1', 'node']);
    assert.deepEqual(keys({ byNode: 'n1' }), ['a/1', 'a/2', 'b/1']);
    assert.deepEqual(keys({ byNode: 'n1', byPhase: 'Running' }), ['a/1', 'b/1']);
    assert.deepEqual(keys({ byPhase: 'Running', byNode: 'n1' }, 'b'), ['b/1']);
    assert.deepEqual(keys({ byNode: 'n1', byPhase: 'Running', byApp: 'web' }, 'a'), ['a/1']);
    assert.deepEqual(keys({ byNode: 'n1', byPhase: 'Failed' }), []);
    assert.deepEqual(keys({ byNode: 'nowhere', byPhase: 'Running' }), []);
    assert.deepEqual(keys({ namespace: 'a', byNode: 'n2' }), ['a/3']);
    assert.deepEqual(keys({ byNode: '\ud800' }), [], 'no object can have such a value');
    const query = lister.query({ byNode: 'n1', byPhase: 'Running' }, { labelSelector: 'app' });
    assert.deepEqual(
      [query.count(), query.keys().length, query.refs().length, [...query].length],
      [2, 2, 2, 2],
    );
    assert.equal(lister.query({ byNode: 'n1', byPhase: 'Running' }).count(), 2);
    assert.equal(lister.query({ byNode: 'n1' }).count(), 3);
    assert.equal(lister.query({ byNode: '\ud800' }).count(), 0);
    assert.equal(bodies.decoded, 0, 'no object was decoded');
    assert.deepEqual(
      query.objects().map(({ metadata }) => metadata.name),
      ['1', '1'],
    );
  });

  it('finds by owners, their controller, names of labels', () => {
    const { lister } = filled();

    assert.deepEqual(lister.indexKeys('byOwner', 'u1'), ['a/1', 'a/2']);
    assert.deepEqual(lister.indexKeys('byController', 'u1'), ['a/1']);
    assert.deepEqual(lister.indexKeys('byController', 'u2'), []);
    assert.deepEqual(lister.indexValues('byController'), ['u1']);
    assert.deepEqual(lister.indexKeys('byLabelName', 'tier'), ['a/2', 'a/3']);
    assert.deepEqual(lister.indexValues('byLabelName').sort(), ['app', 'tier']);
    assert.deepEqual(
      lister.byIndex('byApp', 'api').map(({ metadata }) => metadata.uid),
      ['uid-b/1'],
    );
    assert.deepEqual(
      lister.refsByIndex('byApp', 'api').map(({ key }) => key),
      ['b/1'],
    );
  });

  it('asks anew each time that a query is used', () => {
    const { lister, put, remove } = filled();
    const query = lister.query({ byNode: 'n2' });
    assert.deepEqual(query.keys(), ['a/3']);

    put(thing('c/1', { nodeName: 'n2' }));
    remove('a/3');
    assert.deepEqual(query.keys(), ['c/1']);
  });

  it('lists in the order of keys, page by page', () => {
    const cache = new Cache();
    const keys = [
      'a-b/x',
      'a/x',
      'a/x-1',
      'a/x1',
      'a/y',
      'b/a',
      'n',
      'ä/é',
      '日/本',
      '\u{1f600}/x',
      '\uffee/y',
    ];
    for (const key of keys.toReversed()) cache.put(thing(key));
    const inOrder = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

    assert.deepEqual(cache.lister.query().page().keys, inOrder);
    for (const limit of [1, 2, 3, 10, 11, 12]) {
      const seen: string[] = [];
      let next: string | undefined;
      do {
        const page = cache.lister.query().page({ limit, continue: next });
        assert.ok(page.keys.length <= limit && page.keys.length > 0);
        seen.push(...page.keys);
        next = page.continue;
      } while (next !== undefined);
      assert.deepEqual(seen, inOrder, `pages of ${limit}`);
    }
  });

  it('goes on behind the last key of a page, whatever came and went', () => {
    const { lister, put, remove } = filled();
    const page = lister.query({ byNode: 'n1' }).page({ limit: 2 });
    assert.deepEqual([page.keys, page.continue], [['a/1', 'a/2'], 'a/2']);

    remove('a/2');
    put(thing('a/0', { nodeName: 'n1' }));
    put(thing('a/20', { nodeName: 'n1' }));
    const rest = lister.query({ byNode: 'n1' }).page({ limit: 2, continue: page.continue });
    assert.deepEqual([rest.keys, rest.continue], [['a/20', 'b/1'], undefined]);
    assert.equal(rest.objects[0], lister.get('a/20'));
  });

  it('pages what a label selector matches', () => {
    const { lister } = filled();
    const query = lister.query({}, { labelSelector: 'app=web' });

    assert.deepEqual([query.page({ limit: 1 }).keys, query.page({ limit: 1 }).continue], [['a/1'], 'a/1']);
    const last = query.page({ limit: 1, continue: 'a/1' });
    assert.deepEqual([last.keys, last.continue], [['a/2'], undefined]);
  });

  it('iterates while objects come and go, and gives only what matches when it is given', () => {
    const cache = new Cache({ indexers: INDEXERS, shards: 1 });
    for (let i = 0; i < 100; i++) cache.put(thing(`a/${i}`, { nodeName: 'n1' }));
    const seen: string[] = [];
    for (const ref of cache.lister.query({ byNode: 'n1' })) {
      seen.push(ref.key);
      assert.equal(ref.at('spec.nodeName'), 'n1');
      if (seen.length !== 10) continue;
      for (let i = 0; i < 100; i++) {
        if (seen.includes(`a/${i}`)) continue;
        if (i % 3 === 0) cache.remove(`a/${i}`);
        else if (i % 3 === 1) cache.put(thing(`a/${i}`, { nodeName: 'n2' }));
        else cache.put(thing(`a/${i}`, { nodeName: 'n1', isNew: true }));
        // Takes the slots of what was removed.
        cache.put(thing(`b/${i}`, { nodeName: 'n2' }));
      }
    }

    assert.equal(new Set(seen).size, seen.length, 'none twice');
    const later = seen.slice(10);
    assert.ok(later.length > 20);
    assert.ok(later.every((key) => Number(key.slice(2)) % 3 === 2));
  });

  it('iterates all objects while they go', () => {
    const cache = new Cache({ shards: 2 });
    for (let i = 0; i < 50; i++) cache.put(thing(`a/${i}`));
    let count = 0;
    for (const ref of cache.lister.query()) {
      count++;
      cache.remove(ref.key);
    }

    assert.equal(count, 50);
    assert.equal(cache.lister.size, 0);
  });

  it('lists 250,000 objects of one namespace, whole and one by one, without decoding them', () => {
    const cache = new Cache();
    for (let i = 0; i < 250_000; i++) cache.put(SMALL(i), '{}');

    assert.equal(cache.lister.refs({ namespace: 'a' }).length, 250_000);
    assert.equal(cache.lister.keys({ namespace: 'a' }).length, 250_000);
    assert.equal(cache.lister.count({ namespace: 'a' }), 250_000);
    let count = 0;
    for (const ref of cache.lister.query({}, { namespace: 'a' })) if (ref.block.lengthBytes > 0) count++;
    assert.equal(count, 250_000);
    assert.deepEqual(cache.lister.query().page({ limit: 2, continue: 'a/99998' }).keys, ['a/99999']);
    assert.equal(cache.bodies.decoded, 0);
  });

  for (const [what, ask, error] of [
    [
      'an index',
      (cache: Cache) => cache.lister.query({ byZone: 'x' }),
      { name: 'UnknownFieldError', code: 'UNKNOWN_FIELD' },
    ],
    [
      'an index by value',
      (cache: Cache) => cache.lister.byIndex('byZone', 'x'),
      { name: 'UnknownFieldError' },
    ],
    [
      'values of an index',
      (cache: Cache) => cache.lister.indexValues('byZone'),
      { name: 'UnknownFieldError', message: /no index 'byZone'; it has 'byNode'/ },
    ],
    [
      'an index of a prototype',
      (cache: Cache) => cache.lister.byIndex('constructor', 'x'),
      { name: 'UnknownFieldError' },
    ],
    [
      'a label selector',
      (cache: Cache) => cache.lister.keys({ labelSelector: 'a in b' }),
      { name: 'LabelSelectorError', position: 5 },
    ],
    [
      'two namespaces',
      (cache: Cache) => cache.lister.query({ namespace: 'a' }, { namespace: 'b' }),
      { name: 'UsageError' },
    ],
    [
      'a value',
      (cache: Cache) => cache.lister.byIndex('byNode', 7 as unknown as string),
      { name: 'UsageError', message: /is a string, and for 'byNode' it is number/ },
    ],
    [
      'a limit',
      (cache: Cache) => cache.lister.query().page({ limit: 0 }),
      { name: 'UsageError', message: /whole number from 1 on, not 0/ },
    ],
    [
      'a column',
      (cache: Cache) => cache.lister.ref('a/1')!.column('zone'),
      { name: 'UnknownFieldError', message: /no column 'zone'; it has none/ },
    ],
    [
      'a path',
      (cache: Cache) => cache.lister.ref('a/1')!.at('spec..x'),
      { name: 'FieldPathError', position: 5 },
    ],
    ['a key to get', (cache: Cache) => cache.lister.get('a/b/c'), { name: 'KeyError', code: 'KEY' }],
    ['a key to look for', (cache: Cache) => cache.lister.has('a/b/c'), { name: 'KeyError' }],
    ['a key of a ref', (cache: Cache) => cache.lister.ref(''), { name: 'KeyError' }],
  ] as [string, (cache: Cache) => unknown, object][]) {
    it(`refuses ${what} that can't be`, () => {
      const { cache } = filled();
      assert.throws(() => ask(cache), error);
    });
  }
});

function filled() {
  const cache = new Cache({ indexers: INDEXERS });
  const put = cache.put.bind(cache);
  put(
    thing(
      'a/1',
      { nodeName: 'n1', phase: 'Running' },
      {
        labels: { app: 'web' },
        ownerReferences: [{ uid: 'u2' }, { uid: 'u1', controller: true }],
      },
    ),
  );
  put(
    thing(
      'a/2',
      { nodeName: 'n1', phase: 'Pending' },
      {
        labels: { app: 'web', tier: 'x' },
        ownerReferences: [{ uid: 'u1', controller: false }],
      },
    ),
  );
  put(thing('a/3', { nodeName: 'n2', phase: 'Running' }, { labels: { tier: 'y' } }));
  put(thing('b/1', { nodeName: 'n1', phase: 'Running' }, { labels: { app: 'api' } }));
  put(thing('node', {}));
  return { cache, lister: cache.lister, bodies: cache.bodies, put, remove: cache.remove.bind(cache) };
}

const SMALL = (i: number) => ({ metadata: { namespace: 'a', name: String(i) } });
