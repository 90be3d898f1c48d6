import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drop } from '../../src/index/index.ts';
import { extractList, resourceVersionOf } from '../../src/list-watch/index.ts';
import { ReleaseQueue } from '../../src/list-watch/release-queue.ts';
import { withoutPaths } from '../../src/list-watch/without-paths.ts';

describe('extractList and resourceVersionOf', () => {
  it('give the objects and the version of a list', () => {
    const items = [{ metadata: { name: 'a' } }];
    const list = { kind: 'PodList', metadata: { resourceVersion: '7' }, items };

    assert.equal(extractList(list), items);
    assert.equal(resourceVersionOf(list), '7');
    assert.equal(resourceVersionOf({ metadata: {} }), '');
  });

  it('refuse what is no list', () => {
    for (const value of [undefined, null, 5, 'x', [], {}, { items: 'x' }, { kind: 'Pod', items: [] }]) {
      assert.throws(() => extractList(value as never), { name: 'ListWatchError', code: 'not-a-list' });
    }
    for (const value of [undefined, [], {}, { metadata: 5 }, { metadata: { resourceVersion: 7 } }]) {
      assert.throws(() => resourceVersionOf(value as never), { code: 'not-a-list' });
    }
  });
});

describe('withoutPaths', () => {
  const dropped = (object: object, ...paths: string[]) => withoutPaths(object, drop(...paths).paths);

  it('leaves the object itself as it was, and shares what no path touches', () => {
    const object = { a: { b: 1, c: { d: 2 } }, e: { f: 3 } };
    const less = dropped(object, 'a.b') as typeof object;

    assert.deepEqual(less, { a: { c: { d: 2 } }, e: { f: 3 } });
    assert.equal(less.e, object.e);
    assert.equal(less.a.c, object.a.c);
    assert.equal(object.a.b, 1);
  });

  it('gives back the same object when there is nothing to leave out', () => {
    const object = { a: [{ b: 1 }, 5, null], c: 'text', d: null };

    assert.equal(dropped(object, 'x', 'a.b', 'a[*].x', 'c.d', 'd.e', 'c[*].x'), object);
  });

  it('goes through each element of an array', () => {
    const object = { list: [{ a: 1, b: [{ c: 1 }, { d: 2 }] }, 7, { b: 'x' }] };

    assert.deepEqual(dropped(object, 'list[*].b[*].c', 'list[*].a'), {
      list: [{ b: [{}, { d: 2 }] }, 7, { b: 'x' }],
    });
  });

  it('takes only own keys, whatever they are called', () => {
    const object = JSON.parse('{"a":{"__proto__":{"x":1,"y":2}},"b":{}}');
    const less = dropped(object, 'a.__proto__.x', 'b.toString');

    assert.equal(JSON.stringify(less), '{"a":{"__proto__":{"y":2}},"b":{}}');
  });
});

describe('the queue of released blocks', () => {
  it('gives blocks back only after they were published', () => {
    const queue = new ReleaseQueue();
    queue.push(1, 10);
    assert.equal(queue.next(), -1);
    queue.publish();
    queue.push(2, 20);

    assert.deepEqual(takeAll(queue), [[1, 10]]);
    queue.publish();
    assert.deepEqual(takeAll(queue), [[2, 20]]);
  });

  it('tells whoever waits, once', () => {
    const queue = new ReleaseQueue();
    assert.equal(queue.fallAsleep(), true);
    assert.equal(queue.publish(), false);
    queue.push(1, 10);
    assert.equal(queue.publish(), true);
    assert.equal(queue.publish(), false);
    assert.equal(queue.fallAsleep(), false);
  });
});

function takeAll(queue: ReleaseQueue): number[][] {
  const taken: number[][] = [];
  for (let word = queue.next(); word !== -1; word = queue.next())
    taken.push(queue.words.slice(word, word + 2));
  queue.release();
  return taken;
}
