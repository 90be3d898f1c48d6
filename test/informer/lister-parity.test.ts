/** What client-go's tests of its thread-safe store and listers say, asked of ours (items 53 to 62 of docs/parity.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IndexFunction } from '../../src/index/index.ts';
import { Cache, type Thing, thing } from './lister-support.ts';

const byUser: IndexFunction<Thing> = ({ spec }) => (spec?.users as string | undefined)?.split(',');

describe('lister as in client-go', () => {
  it('keeps an index over several values right through updates and deletes', () => {
    const cache = new Cache({ indexers: { byUser } });
    const usersOf = (name: string) => cache.lister.indexKeys('byUser', name);
    cache.put(thing('one', { users: 'ernie,bert' }));
    cache.put(thing('two', { users: 'bert,oscar' }));
    cache.put(thing('tre', { users: 'ernie,elmo' }));
    assert.deepEqual(['ernie', 'bert', 'elmo', 'oscar', 'elmo1'].map(usersOf), [
      ['one', 'tre'],
      ['one', 'two'],
      ['tre'],
      ['two'],
      [],
    ]);

    cache.remove('tre');
    cache.put(thing('two', { users: 'bert,oscar' }));
    assert.deepEqual(['ernie', 'bert', 'elmo', 'oscar'].map(usersOf), [['one'], ['one', 'two'], [], ['two']]);

    cache.put(thing('one', { users: 'elmo' }));
    assert.deepEqual(['ernie', 'bert', 'elmo', 'oscar'].map(usersOf), [[], ['two'], ['one'], ['two']]);
  });

  it('moves an object between values when some stay, some go and some come', () => {
    const cache = new Cache({ indexers: { byUser } });
    const values = () => cache.lister.indexValues('byUser').sort();
    for (const [users, expected] of [
      ['a', ['a']],
      ['a,b', ['a', 'b']],
      ['b,a', ['a', 'b']],
      ['b,c,d', ['b', 'c', 'd']],
      ['d', ['d']],
      ['d,d,d', ['d']],
      ['e,f', ['e', 'f']],
      [undefined, []],
      ['a', ['a']],
    ] as const) {
      cache.put(thing('x', { users }));
      assert.deepEqual(values(), expected);
      for (const value of expected) assert.deepEqual(cache.lister.indexKeys('byUser', value), ['x']);
    }
  });

  it('forgets a value with its last object, and not before', () => {
    const cache = new Cache({ indexers: { byUser } });
    cache.put(thing('x', { users: 'a' }));
    cache.put(thing('y', { users: 'a,b' }));
    cache.remove('x');
    assert.deepEqual(cache.lister.indexValues('byUser').sort(), ['a', 'b']);

    cache.remove('y');
    assert.deepEqual(cache.lister.indexValues('byUser'), []);
    const { postings } = cache.indexer.shards[0]!;
    const { memoryBytes } = postings!;
    for (let i = 0; i < 2000; i++) {
      cache.put(thing('x', { users: `user-${i}` }));
      cache.remove('x');
    }
    assert.equal(cache.indexer.shards[0]!.postings!.memoryBytes, memoryBytes, 'nothing of it is left');
  });

  it('puts in what it can when an index function fails for some of many objects', () => {
    const cache = new Cache({
      indexers: {
        byUser: (object) => {
          if (object.metadata.name.startsWith('bad')) throw new Error('no');
          return byUser(object);
        },
      },
    });
    for (const name of ['good-1', 'bad-1', 'good-2', 'bad-2']) cache.put(thing(name, { users: 'a' }));

    assert.deepEqual(cache.lister.keys().sort(), ['bad-1', 'bad-2', 'good-1', 'good-2']);
    assert.deepEqual(cache.lister.indexKeys('byUser', 'a'), ['good-1', 'good-2']);
    assert.equal(cache.failures.length, 2);
  });

  it('says that a key is none, and does not take part of it', () => {
    const { lister } = new Cache();

    assert.throws(() => lister.get('a/b/c'), {
      name: 'KeyError',
      code: 'KEY',
      message:
        '"a/b/c" is no key of an object: allowed are namespace/name, and name for an object without namespace',
    });
  });
});
