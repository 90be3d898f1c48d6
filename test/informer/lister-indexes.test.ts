import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drop, type IndexFunction, keep } from '../../src/index/index.ts';
import { DuplicateIndexError, IndexerFullError, IndexNotReadyError } from '../../src/store/index.ts';
import { Cache, type Thing, thing } from './lister-support.ts';

describe('index functions', () => {
  it('give none, one or several values, each once', () => {
    const cache = new Cache({
      indexers: {
        byImage: ({ spec }) => spec?.images as string[] | undefined,
        byFirst: ({ spec }) => (spec?.images as string[] | undefined)?.[0],
      },
    });
    cache.put(thing('a/1', { images: ['web', 'log', 'web'] }));
    cache.put(thing('a/2', { images: ['log', 'größe'] }));
    cache.put(thing('a/3'));

    assert.deepEqual(cache.lister.indexKeys('byImage', 'log'), ['a/1', 'a/2']);
    assert.deepEqual(cache.lister.indexKeys('byImage', 'web'), ['a/1']);
    assert.equal(cache.lister.query({ byImage: 'web' }).count(), 1);
    assert.deepEqual(cache.lister.indexKeys('byFirst', 'log'), ['a/2']);
    assert.deepEqual(cache.lister.indexValues('byImage').sort(), ['größe', 'log', 'web']);
  });

  it('follow updates and deletes', () => {
    const cache = new Cache({ indexers: { byImage: ({ spec }) => spec?.images as string[] | undefined } });
    cache.put(thing('a/1', { images: ['web', 'log'] }));
    cache.put(thing('a/1', { images: ['log', 'db'] }));
    assert.deepEqual(cache.lister.indexKeys('byImage', 'web'), []);
    assert.deepEqual(cache.lister.indexValues('byImage').sort(), ['db', 'log']);

    cache.put(thing('a/1', {}));
    assert.deepEqual(cache.lister.indexValues('byImage'), []);
    cache.put(thing('a/1', { images: ['web'] }));
    cache.remove('a/1');
    assert.deepEqual(cache.lister.indexValues('byImage'), []);
  });

  it('that fail leave the object in, and in all other indexes, and are counted', () => {
    const cache = new Cache({
      indexers: {
        bad: ({ metadata }) => {
          if (metadata.name === '2') throw new Error('no 2, please');
          return ['x'];
        },
        byNode: 'spec.nodeName',
        good: ({ metadata }) => metadata.name,
      },
    });
    for (const name of ['1', '2', '3']) cache.put(thing(`a/${name}`, { nodeName: 'n1' }));

    assert.deepEqual(cache.failures, ['bad a/2: no 2, please']);
    assert.deepEqual(cache.lister.indexKeys('bad', 'x'), ['a/1', 'a/3']);
    assert.deepEqual(cache.lister.indexKeys('byNode', 'n1'), ['a/1', 'a/2', 'a/3']);
    assert.deepEqual(cache.lister.indexKeys('good', '2'), ['a/2']);
    assert.equal(cache.lister.get('a/2')!.metadata.name, '2');
  });

  it('that begin to fail take an object out of their index alone', () => {
    let isBroken = false;
    const cache = new Cache({
      indexers: {
        fickle: () => {
          if (isBroken) throw new Error('broken');
          return ['x', 'y'];
        },
        byNode: 'spec.nodeName',
      },
    });
    cache.put(thing('a/1', { nodeName: 'n1' }));
    isBroken = true;
    cache.put(thing('a/1', { nodeName: 'n2' }));

    assert.deepEqual(cache.lister.indexKeys('fickle', 'x'), []);
    assert.deepEqual(cache.lister.indexKeys('byNode', 'n2'), ['a/1']);
  });

  for (const [what, result, message] of [
    ['a number', 7, /gives a string, an array of strings or undefined, not number$/],
    ['an object', {}, /not object$/],
    ['a list with null', ['a', null], /one of these is null/],
    ['a list with a number', ['a', 1], /one of these is number/],
    ['70,000 values', new Array(70_000).fill('a'), /at most 65535 values for an object, not 70000/],
    ['a value of 5 MB', ['a', 'x'.repeat(5_000_000)], /at most 4194303 characters, not 5000000/],
  ] as [string, unknown, RegExp][]) {
    it(`that give ${what} fail for that object`, () => {
      const cache = new Cache({ indexers: { wrong: (() => result) as IndexFunction<Thing> } });
      cache.put(thing('a/1'));

      assert.match(cache.failures[0]!, /^wrong a\/1: /);
      assert.match(cache.failures[0]!, message);
      assert.deepEqual(cache.lister.indexValues('wrong'), []);
      assert.equal(cache.lister.size, 1);
    });
  }

  it('may give null, empty texts, long ones and half a surrogate pair', () => {
    const values: Record<string, string | null | string[]> = {
      1: null,
      2: '',
      3: ['x'.repeat(100_000), '\ud800', 'y'],
      4: [],
    };
    const cache = new Cache({
      indexers: { any: (({ metadata }) => values[metadata.name]) as IndexFunction<Thing> },
    });
    for (const name of Object.keys(values)) cache.put(thing(`a/${name}`));

    assert.deepEqual(cache.failures, []);
    assert.deepEqual(cache.lister.indexKeys('any', ''), ['a/2']);
    assert.deepEqual(cache.lister.indexKeys('any', 'x'.repeat(100_000)), ['a/3']);
    assert.deepEqual(cache.lister.indexKeys('any', '\ufffd'), ['a/3']);
    assert.deepEqual(cache.lister.indexKeys('any', 'y'), ['a/3']);
  });

  it('fail for an object whose body is broken, which stays where it is', () => {
    const cache = new Cache({ indexers: { byName: ({ metadata }) => metadata.name } });
    cache.put(thing('a/1'), '{"metadata":{"name":}}');

    assert.match(cache.failures[0]!, /^byName a\/1: the body of a\/1 can't be decoded/);
    assert.equal(cache.lister.ref('a/1')!.name, '1');
  });
});

describe('indexes of a running informer', () => {
  it('can be asked at once when there are no objects', async () => {
    const cache = new Cache();
    const ready = cache.add({ byNode: 'spec.nodeName', byName: ({ metadata }) => metadata.name });

    assert.deepEqual(cache.lister.indexKeys('byNode', 'n1'), []);
    cache.put(thing('a/1', { nodeName: 'n1' }));
    assert.deepEqual(cache.lister.indexKeys('byNode', 'n1'), ['a/1']);
    assert.deepEqual(cache.lister.indexKeys('byName', '1'), ['a/1']);
    await ready;
  });

  it('say that they are not ready until they have all objects, in slices', async () => {
    const cache = new Cache();
    for (let i = 0; i < 1000; i++) cache.put(thing(`a/${i}`, { nodeName: `n${i % 10}` }));
    let isReady = false;
    const ready = cache.add({ byNode: 'spec.nodeName' }).then(() => {
      isReady = true;
    });

    assert.throws(() => cache.lister.indexKeys('byNode', 'n1'), IndexNotReadyError);
    assert.throws(() => cache.lister.indexValues('byNode'), { code: 'INDEX_NOT_READY', index: 'byNode' });
    assert.equal(cache.lister.keys({ namespace: 'a' }).length, 1000, 'others can be asked');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isReady, false, 'one slice is not all');
    await ready;
    assert.equal(cache.lister.indexKeys('byNode', 'n1').length, 100);
  });

  it('follow what changes while they get the objects that are there', async () => {
    const cache = new Cache({ shards: 1 });
    for (let i = 0; i < 300; i++) cache.put(thing(`a/${i}`, { nodeName: 'old' }));
    let isReady = false;
    void cache
      .add({ byNode: 'spec.nodeName', byFunction: ({ spec }) => spec!.nodeName as string })
      .then(() => {
        isReady = true;
      });
    const nodes = new Map(Array.from({ length: 300 }, (_, i) => [`a/${i}`, 'old']));
    for (let i = 0; !isReady; i = (i + 7) % 300) {
      cache.put(thing(`a/${i}`, { nodeName: `n${i % 3}` }));
      nodes.set(`a/${i}`, `n${i % 3}`);
      const gone = `a/${(i + 100) % 300}`;
      if (nodes.delete(gone)) cache.remove(gone);
      cache.put(thing(`b/${i}`, { nodeName: 'new' }));
      nodes.set(`b/${i}`, 'new');
      await new Promise((resolve) => setImmediate(resolve));
    }

    for (const node of ['old', 'n0', 'n1', 'n2', 'new']) {
      const expected = [...nodes].filter(([, one]) => one === node).map(([key]) => key);
      assert.deepEqual(cache.lister.indexKeys('byNode', node), expected.sort());
      assert.deepEqual(cache.lister.indexKeys('byFunction', node), expected);
    }
  });

  it('use a column with the same path, and decode nothing', async () => {
    const cache = new Cache({ columns: { node: 'spec.nodeName' } });
    cache.put(thing('a/1', { nodeName: 'n1' }), '{"broken":}');
    await cache.add({ byNode: "$['spec'].nodeName" });

    assert.deepEqual(cache.lister.indexKeys('byNode', 'n1'), ['a/1']);
    assert.deepEqual(cache.failures, []);
  });

  it('take what a path finds in the bytes, as the scanner would', async () => {
    const cache = new Cache();
    const owners = [{ uid: 'u1' }, { uid: 'u2', controller: true }];
    cache.put(thing('a/1', { n: 1.0, list: [null, true, 'é', {}] }, { ownerReferences: owners }));
    await cache.add({
      byNumber: 'spec.n',
      byItem: 'spec.list[*]',
      byOwner: 'metadata.ownerReferences[*].uid',
      byController: 'metadata.ownerReferences[?(@.controller==true)].uid',
    });

    assert.deepEqual(cache.lister.indexValues('byNumber'), ['1']);
    assert.deepEqual(cache.lister.indexValues('byItem').sort(), ['true', 'é']);
    assert.deepEqual(cache.lister.indexValues('byOwner').sort(), ['u1', 'u2']);
    assert.deepEqual(cache.lister.indexValues('byController'), ['u2']);
    assert.equal(cache.bodies.decoded, 0);
  });

  it('can be removed, which gives their memory back, and added again', async () => {
    const cache = new Cache({
      indexers: { byNode: 'spec.nodeName', byName: ({ metadata }) => metadata.name },
    });
    const fill = (round: number) => {
      for (let i = 0; i < 200; i++) cache.put(thing(`a/${i}`, { nodeName: `node-${round}-${i}` }));
    };
    fill(0);
    const { memoryBytes } = cache.indexer;
    for (let round = 1; round < 6; round++) {
      cache.indexes.remove('byNode');
      cache.indexes.remove('byName');
      assert.throws(() => cache.lister.indexKeys('byNode', 'x'), { name: 'UnknownFieldError' });
      await cache.add({ other: 'metadata.uid' });
      cache.indexes.remove('other');
      await cache.add({ byNode: 'spec.nodeName', byName: ({ metadata }) => metadata.name });
      fill(round);
      assert.equal(cache.lister.indexValues('byNode').length, 200);
      assert.deepEqual(cache.lister.indexKeys('byName', '7'), ['a/7']);
    }

    assert.ok(cache.indexer.memoryBytes <= 2 * memoryBytes, 'what was removed is used again');
  });

  it('are removed one by one when two share a path', async () => {
    const cache = new Cache({ indexers: { one: 'spec.nodeName', two: '.spec.nodeName' } });
    cache.put(thing('a/1', { nodeName: 'n1' }));
    cache.indexes.remove('one');
    await cache.add({ unrelated: 'metadata.uid' });

    assert.deepEqual(cache.lister.indexKeys('two', 'n1'), ['a/1']);
  });

  it('are all added or none', async () => {
    const cache = new Cache({ indexers: { byNode: 'spec.nodeName' } });
    cache.put(thing('a/1'));

    assert.throws(
      () => cache.add({ fine: 'metadata.uid', byNode: 'spec.nodeName' }),
      (error) => {
        assert.ok(error instanceof DuplicateIndexError);
        assert.deepEqual([error.code, error.index], ['DUPLICATE_INDEX', 'byNode']);
        return true;
      },
    );
    assert.throws(() => cache.add({ fine: 'metadata.uid', wrong: 'spec..x' }), {
      name: 'FieldPathError',
      message: /^indexers\.wrong: field path "spec\.\.x" is wrong at position 5/,
    });
    assert.throws(() => cache.lister.indexKeys('fine', 'x'), { name: 'UnknownFieldError' });
    await cache.add({ fine: 'metadata.uid' });
    assert.deepEqual(cache.lister.indexKeys('fine', 'uid-a/1'), ['a/1']);
  });

  it('are added once when they are asked for in the same form', async () => {
    const cache = new Cache({ indexers: { byNode: 'spec.nodeName' } });
    const byName: IndexFunction = (object) => (object as Thing).metadata.name;
    await cache.indexes.ensure({ byNode: ".spec['nodeName']", byName });
    await cache.indexes.ensure({ byName });

    assert.throws(() => cache.indexes.ensure({ byNode: 'spec.other' }), DuplicateIndexError);
    assert.throws(() => cache.indexes.ensure({ byName: () => 'other' }), DuplicateIndexError);
  });

  for (const [what, indexers, error] of [
    ['a name', { '1x': 'spec' }, { name: 'FieldOptionsError', code: 'FIELD_NAME' }],
    ['a name of a function', { constructor: () => 'x' }, { name: 'FieldOptionsError', code: 'FIELD_NAME' }],
    [
      'a kind',
      { byNode: 7 },
      { code: 'FIELD_TYPE', message: /byNode is a field path or a function, not number/ },
    ],
    ['a kind that is null', { byNode: null }, { code: 'FIELD_TYPE', message: /not null/ }],
  ] as unknown as [string, Record<string, never>, object][]) {
    it(`are refused for ${what} that can't be`, () => {
      const cache = new Cache();
      assert.throws(() => cache.add(indexers), error);
      assert.throws(() => new Cache({ indexers }), error);
    });
  }

  it('are refused when a projection left out what they need, unless it is from the start or in a column', async () => {
    for (const project of [drop('spec'), keep('metadata.labels')]) {
      const cache = new Cache({
        project,
        indexers: { byNode: 'spec.nodeName' },
        columns: { zone: 'spec.zone' },
      });

      assert.throws(() => cache.add({ byPhase: 'spec.phase' }), {
        name: 'FieldPathError',
        code: 'FIELD_PATH_PROJECTED',
        message: /^indexers\.byPhase: "spec\.phase" leads to what `project` leaves out/,
      });
      await cache.add({ again: 'spec.nodeName', byZone: 'spec.zone', byLabel: 'keys(metadata.labels)' });
    }
  });

  it('are refused when there are more places to look at than the scanner has room for', () => {
    const paths = Array.from({ length: 70 }, (_, i) => `spec.f${i}`);
    assert.throws(() => new Cache({ project: keep(...paths) }), {
      name: 'ScanSpecError',
      message: /name 70 keys under \["spec"\], at most 64 are possible/,
    });
  });

  it('say which can not be removed', () => {
    const cache = new Cache();
    assert.throws(() => cache.indexes.remove('byNode'), { name: 'UnknownFieldError' });
    assert.throws(() => cache.indexes.remove('namespace'), { name: 'UsageError' });
  });

  it('that find no room are given up, and the informer goes on', async () => {
    const cache = new Cache({ shards: 1 });
    cache.put(thing('a/1'));
    cache.put(thing('a/2'));
    const { entries } = cache.indexer.shards[0]!.postings!;
    const reserve = entries.reserve.bind(entries);
    entries.reserve = (count) => {
      if (count > 1) throw new IndexerFullError('memberships in index values', 1);
      reserve(count);
    };
    const values = ({ metadata }: Thing) => [metadata.name, 'x'];

    await assert.rejects(cache.add({ large: values }), IndexerFullError);
    assert.throws(() => cache.lister.indexKeys('large', 'x'), { name: 'UnknownFieldError' });
    await cache.add({ small: 'keys(spec)' });
    cache.put(thing('a/3'));
    assert.deepEqual(cache.lister.keys({ namespace: 'a' }).sort(), ['a/1', 'a/2', 'a/3']);
  });

  it('reject when the informer is stopped before they have all objects', async () => {
    const cache = new Cache();
    for (let i = 0; i < 100; i++) cache.put(thing(`a/${i}`));
    const ready = cache.add({ byNode: 'spec.nodeName' });
    cache.indexes.stop();

    await assert.rejects(ready, { name: 'StoppedError' });
    assert.throws(() => cache.lister.indexKeys('byNode', 'n1'), IndexNotReadyError);
  });
});
