import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { NotProcessingError, QueueArgumentError, WorkQueue } from '../../src/workqueue/index.ts';
import { drain, settle } from './helpers.ts';

describe('WorkQueue', () => {
  it('hands items out in the order in which they were added', () => {
    assert.deepEqual(drain(filled('c', 'a', 'b')), ['c', 'a', 'b']);
  });

  it('holds an item once that is added again while it is queued, at its first place', () => {
    const queue = filled('a', 'b', 'a', 'a');

    assert.equal(queue.len, 2);
    assert.deepEqual(drain(queue), ['a', 'b']);
    assert.equal(queue.len, 0);
  });

  it('counts what is ready and nothing else', () => {
    const queue = filled('a', 'b');
    assert.equal(queue.len, 2);
    queue.tryGet();
    assert.equal(queue.len, 1);

    queue.add('a');
    assert.equal(queue.len, 1);
    queue.done('a');
    assert.equal(queue.len, 2);
  });

  it('queues an item that was added while it was processed when it is done, at the end', () => {
    const queue = filled('a', 'b');
    queue.tryGet();
    queue.add('a');
    queue.add('c');
    queue.done('a');

    assert.deepEqual(drain(queue), ['b', 'c', 'a']);
  });

  it('queues it once, however often it was added while it was processed', () => {
    const queue = filled('a');
    queue.tryGet();
    queue.add('a');
    queue.add('a');
    queue.done('a');

    assert.deepEqual(drain(queue), ['a']);
  });

  it('gives an item that is processed to nobody else', () => {
    const queue = filled('a');
    queue.tryGet();
    queue.add('a');

    assert.equal(queue.tryGet(), undefined);
  });

  it('lets several consumers process each item twice that is added again while it is processed', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `item-${i}`);
    const queue = filled(...names);
    const turns = new Map<string, number>();
    const busy = new Set<string>();
    const consume = async () => {
      for await (const item of queue) {
        assert.ok(!busy.has(item), `${item} is processed once at a time`);
        busy.add(item);
        turns.set(item, (turns.get(item) ?? 0) + 1);
        if (turns.get(item) === 1) queue.add(item);
        await settle();
        busy.delete(item);
        if (turns.size === names.length && [...turns.values()].every((count) => count === 2))
          queue.shutDown();
      }
    };
    await Promise.all([consume(), consume(), consume()]);

    assert.deepEqual(Object.fromEntries(turns), Object.fromEntries(names.map((name) => [name, 2])));
  });

  it('holds an item no longer than it is processed', async () => {
    const queue = new WorkQueue<object>();
    const item = processForgotten(queue);

    await settle();
    collectGarbage();
    assert.equal(item.deref(), undefined);
    assert.equal(queue.len, 0);
  });

  describe('tells items apart', () => {
    it('by value when they are strings or numbers, by identity when they are objects', () => {
      const queue = new WorkQueue<string | number | object>();
      const object = {};
      for (const item of ['1', 1, object, {}, '1', 1, object]) queue.add(item);

      assert.equal(queue.len, 4);
    });

    it('by what the key function says, and hands out the newest of equal ones', () => {
      const queue = new WorkQueue<{ key: string; age: number }>({ keyFunction: ({ key }) => key });
      queue.add({ key: 'a', age: 1 });
      queue.add({ key: 'b', age: 1 });
      queue.add({ key: 'a', age: 2 });
      assert.deepEqual(queue.tryGet(), { key: 'a', age: 2 });

      queue.add({ key: 'a', age: 3 });
      queue.add({ key: 'a', age: 4 });
      queue.done({ key: 'a', age: 0 });
      assert.deepEqual(drain(queue), [
        { key: 'b', age: 1 },
        { key: 'a', age: 4 },
      ]);
    });

    it('by the key that an item had when it was added', () => {
      const queue = new WorkQueue<{ key: string }>({ keyFunction: ({ key }) => key });
      const item = { key: 'a' };
      queue.add(item);
      queue.tryGet();
      item.key = 'changed';
      queue.done({ key: 'a' });

      queue.add({ key: 'a' });
      assert.equal(queue.len, 1);
    });
  });

  describe('refuses', () => {
    it('done for an item that it did not hand out', () => {
      const queue = filled('a');

      for (const item of ['a', 'b']) {
        assert.throws(() => queue.done(item), {
          code: 'KUBERING_NOT_PROCESSING',
          message: new RegExp(`"${item}"`),
        });
      }
      assert.deepEqual(drain(queue), ['a']);
    });

    it('a second done for the same item', () => {
      const queue = filled('a');
      queue.tryGet();
      queue.done('a');

      assert.throws(() => queue.done('a'), NotProcessingError);
    });

    it('to show what is in an item that is an object', () => {
      const queue = new WorkQueue<object>();

      assert.throws(() => queue.done({ password: 'hidden' }), {
        message: /^the item is not being processed/,
      });
    });

    it('undefined as an item', () => {
      const queue = new WorkQueue<string | undefined>();

      assert.throws(() => queue.add(undefined), QueueArgumentError);
      assert.throws(() => queue.add(undefined), { code: 'KUBERING_QUEUE_ARGUMENT', argument: 'item' });
    });
  });
});

function filled(...items: string[]): WorkQueue {
  const queue = new WorkQueue();
  for (const item of items) queue.add(item);
  return queue;
}

/** In a function of its own, so that no variable of the caller holds the item. */
function processForgotten(queue: WorkQueue<object>): WeakRef<object> {
  const item = {};
  queue.add(item);
  queue.done(queue.tryGet()!);
  return new WeakRef(item);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
