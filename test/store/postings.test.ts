import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Indexer } from '../../src/store/indexer.ts';
import { keyOf, remove, SEED, TestArena, upsert } from './indexer-support.ts';

const NODE = 0;
const OWNER = 4;

describe('postings', () => {
  it('find the objects that have a value', () => {
    const { put, indexer } = make();
    put('a', [NODE, 'node-1']);
    put('b', [NODE, 'node-1']);
    put('c', [NODE, 'node-2']);

    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-1'), ['ns/a', 'ns/b']);
    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-2'), ['ns/c']);
    assert.deepEqual(indexer.indexes.valuesOf('byNode').sort(), ['node-1', 'node-2']);
  });

  it('find nothing for a value that no object has', () => {
    const { put, indexer } = make();
    put('a', [NODE, 'node-1']);

    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-2'), []);
    assert.deepEqual(indexer.indexes.keysOf('byNode', ''), []);
    assert.deepEqual(indexer.indexes.keysOf('byNode', '\ud800'), []);
    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'node-1'), []);
  });

  it('keep equal values of different indexes apart', () => {
    const { put, indexer } = make();
    put('a', [NODE, 'x']);
    put('b', [OWNER, 'x']);

    assert.deepEqual(indexer.indexes.keysOf('byNode', 'x'), ['ns/a']);
    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'x'), ['ns/b']);
    assert.deepEqual(indexer.indexes.valuesOf('byOwner'), ['x']);
  });

  it('count a value once that an object has twice', () => {
    const { put, indexer } = make();
    put('a', [OWNER, 'x'], [OWNER, 'x'], [OWNER, 'y'], [OWNER, 'x']);

    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'x'), ['ns/a']);
    put('a', [OWNER, 'y'], [OWNER, 'y']);
    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'x'), []);
    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'y'), ['ns/a']);
  });

  it('follow an object whose value changes, and forget values that nobody has', () => {
    const { put, indexer } = make();
    put('a', [NODE, 'node-1'], [OWNER, 'x'], [OWNER, 'y']);
    put('a', [NODE, 'node-2'], [OWNER, 'y'], [OWNER, 'z']);

    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-1'), []);
    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-2'), ['ns/a']);
    assert.deepEqual(indexer.indexes.valuesOf('byNode'), ['node-2']);
    assert.deepEqual(indexer.indexes.valuesOf('byOwner').sort(), ['y', 'z']);
  });

  it('hold the same objects when the values come in another order', () => {
    const { put, indexer } = make();
    put('a', [OWNER, 'x'], [OWNER, 'y'], [NODE, 'n']);
    put('a', [NODE, 'n'], [OWNER, 'y'], [OWNER, 'x']);

    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'x'), ['ns/a']);
    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'y'), ['ns/a']);
    assert.deepEqual(indexer.indexes.keysOf('byNode', 'n'), ['ns/a']);
  });

  it('do nothing for fields that are only columns', () => {
    const { put, indexer } = make();
    put('a', [9, 'Running'], [NODE, 'node-1']);
    put('a', [9, 'Pending'], [9, 'again'], [NODE, 'node-1']);

    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-1'), ['ns/a']);
    assert.deepEqual(indexer.indexes.valuesOf('byNode'), ['node-1']);
  });

  it('lose a removed object and its values', () => {
    const { put, indexer } = make();
    const a = put('a', [NODE, 'node-1'], [OWNER, 'x']);
    put('b', [NODE, 'node-1']);
    remove(indexer, a);

    assert.deepEqual(indexer.indexes.keysOf('byNode', 'node-1'), ['ns/b']);
    assert.deepEqual(indexer.indexes.valuesOf('byOwner'), []);
  });

  for (const value of [
    '',
    'größe',
    '日本',
    '\u{1f600}',
    'v'.repeat(16),
    'v'.repeat(1024),
    'v'.repeat(100_000),
  ]) {
    it(`take the value ${value.slice(0, 8)} of ${value.length} characters`, () => {
      const { put, indexer } = make();
      put('a', [NODE, value]);
      put('b', [NODE, value]);

      assert.deepEqual(indexer.indexes.keysOf('byNode', value), ['ns/a', 'ns/b']);
      assert.deepEqual(indexer.indexes.keysOf('byNode', `${value}v`), []);
      assert.deepEqual(indexer.indexes.valuesOf('byNode'), [value]);
    });
  }

  it('take thousands of values of one object', () => {
    const { put, indexer } = make();
    const values = Array.from({ length: 4096 }, (_, i): [number, string] => [OWNER, `uid-${i}`]);
    put('a', ...values);
    put('a', ...values.slice(1000));

    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'uid-999'), []);
    assert.deepEqual(indexer.indexes.keysOf('byOwner', 'uid-4095'), ['ns/a']);
    assert.equal(indexer.indexes.valuesOf('byOwner').length, 3096);
  });

  it('use the memory of forgotten values again', () => {
    const { put, indexer } = make(1);
    const fill = (round: number) => {
      for (let i = 0; i < 200; i++)
        put(`name-${i}`, [OWNER, `uid-${round}-${i}`], [NODE, 'n'.repeat(round % 2000)]);
    };
    for (let round = 1000; round < 1002; round++) fill(round);
    const before = indexer.memoryBytes;
    for (let round = 1002; round < 1010; round++) fill(round);

    assert.equal(indexer.memoryBytes, before);
  });

  it('say when there is no index of a name', () => {
    const { indexer } = make();
    const error = { name: 'UnknownFieldError', message: /no index 'byZone'; it has 'byNode', 'byOwner'/ };

    assert.throws(() => indexer.indexes.conditions({ byZone: 'x' }), error);
    assert.throws(() => indexer.indexes.keysOf('byZone', 'x'), error);
    assert.throws(() => indexer.indexes.valuesOf('byZone'), error);
    assert.equal(indexer.indexes.has('byZone'), false);
    assert.equal(indexer.indexes.has('byNode'), true);
  });

  it('can be looked up by a visitor that looks up something else', () => {
    const { put, indexer } = make();
    for (let i = 0; i < 40; i++) put(`name-${i}`, [NODE, 'node-1'], [OWNER, `uid-${i % 2}`]);
    let visited = 0;
    indexer.indexes.visit(indexer.indexes.conditions({ byNode: 'node-1' }), (slot) => {
      visited +=
        indexer.find(indexer.keyOf(slot)) === slot ? indexer.indexes.keysOf('byOwner', 'uid-1').length : 0;
    });

    assert.equal(visited, 40 * 20);
  });
});

function make(shards = 16) {
  const arena = new TestArena(1 << 22);
  const indexer = new Indexer({
    segments: arena.segments,
    seed: SEED,
    shards,
    indexes: [
      { name: 'byNode', fieldId: NODE },
      { name: 'byOwner', fieldId: OWNER },
    ],
  });
  const put = (name: string, ...fields: [id: number, value: string][]) => {
    const content = { namespace: 'ns', name, fields: fields.map(([id, value]) => ({ id, value })) };
    const placed = arena.put(content);
    upsert(indexer, placed);
    assert.notEqual(indexer.find(keyOf(content)), -1);
    return placed;
  };
  return { put, indexer };
}
