import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { WorkQueue } from '../../src/workqueue/index.ts';
import { settle, watch } from './helpers.ts';

describe('a consumer of a WorkQueue', () => {
  it('waits until there is an item', async () => {
    const queue = new WorkQueue();
    const first = watch(queue.get());
    await settle();
    assert.equal(first.outcome, 'waiting');

    queue.add('a');
    await settle();
    assert.equal(first.outcome, 'a');
    assert.equal(queue.len, 0);
  });

  it('is served before those who came later', async () => {
    const queue = new WorkQueue();
    const consumers = [watch(queue.get()), watch(queue.get()), watch(queue.get())];
    queue.add('a');
    queue.add('b');

    await settle();
    assert.deepEqual(outcomes(consumers), ['a', 'b', 'waiting']);
  });

  it('gets an item that another one is done with and that was added again', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.tryGet();
    const next = watch(queue.get());
    queue.add('a');
    await settle();
    assert.equal(next.outcome, 'waiting');

    queue.done('a');
    await settle();
    assert.equal(next.outcome, 'a');
  });

  it('gets nothing from tryGet when nothing is ready', () => {
    assert.equal(new WorkQueue().tryGet(), undefined);
  });

  it('gets falsy items too', async () => {
    const queue = new WorkQueue<string | number | null>();
    for (const item of ['', 0, null]) queue.add(item);

    assert.deepEqual([await queue.get(), queue.tryGet(), await queue.get()], ['', 0, null]);
  });

  describe('that aborts', () => {
    it('is told the reason, and takes no item', async () => {
      const queue = new WorkQueue();
      const controller = new AbortController();
      const aborted = queue.get({ signal: controller.signal });
      const next = watch(queue.get());
      controller.abort(new Error('enough'));

      await assert.rejects(aborted, /enough/);
      queue.add('a');
      await settle();
      assert.equal(next.outcome, 'a');
    });

    it('before it came takes no item that is ready', async () => {
      const queue = new WorkQueue();
      queue.add('a');

      await assert.rejects(queue.get({ signal: AbortSignal.abort() }), { name: 'AbortError' });
      assert.equal(queue.len, 1);
    });

    it('after it got an item keeps the item', async () => {
      const queue = new WorkQueue();
      const controller = new AbortController();
      const item = queue.get({ signal: controller.signal });
      queue.add('a');
      controller.abort();

      assert.equal(await item, 'a');
    });

    it('later than it got an item troubles nobody, and its signal holds nothing of the queue', async () => {
      const queue = new WorkQueue();
      const controller = new AbortController();
      for (let i = 0; i < 3; i++) {
        const item = queue.get({ signal: controller.signal });
        queue.add(`item-${i}`);
        await item;
      }
      const others = [watch(queue.get()), watch(queue.get())];
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      controller.abort();

      queue.add('a');
      queue.add('b');
      await settle();
      assert.deepEqual(outcomes(others), ['a', 'b']);
    });
  });

  describe('with take', () => {
    it('ends an item by disposing of it, once', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      const work = await queue.take();
      queue.add('a');
      assert.equal(work!.item, 'a');

      work![Symbol.dispose]();
      assert.equal(queue.len, 1);
      work!.done();
      assert.equal(queue.len, 1);
    });

    it('ends nothing of a later consumer of the same item', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      const first = await queue.take();
      queue.add('a');
      first!.done();
      assert.equal(queue.tryGet(), 'a');
      queue.add('a');

      first!.done();
      assert.equal(queue.len, 0);
      queue.done('a');
      assert.equal(queue.len, 1);
    });

    it('need not end what was ended by its name', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      const work = await queue.take();
      queue.done('a');

      work!.done();
    });

    it('waits, aborts and ends as with get', async () => {
      const queue = new WorkQueue();
      const work = watch(queue.take());
      await assert.rejects(queue.take({ signal: AbortSignal.abort() }), { name: 'AbortError' });
      await settle();
      assert.equal(work.outcome, 'waiting');

      queue.shutDown();
      await settle();
      assert.equal(work.outcome, undefined);
    });
  });

  describe('with for await', () => {
    it('gets items until the queue has shut down, and is done with each after the body', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      const seen: string[] = [];
      for await (const item of queue) {
        seen.push(item);
        if (seen.length < 3) queue.add(item);
        else queue.shutDown();
      }

      assert.deepEqual(seen, ['a', 'a', 'a']);
    });

    it('is done with an item whose body breaks', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      for await (const _ of queue) break;

      queue.add('a');
      assert.equal(queue.len, 1);
    });

    it('is done with an item whose body throws', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      const loop = async () => {
        for await (const item of queue) throw new Error(`can't do ${item}`);
      };

      await assert.rejects(loop(), /can't do a/);
      queue.add('a');
      assert.equal(queue.len, 1);
    });

    it('may be done with an item itself', async () => {
      const queue = new WorkQueue();
      queue.add('a');
      queue.add('b');
      queue.shutDown();
      const seen: string[] = [];
      for await (const item of queue) {
        queue.done(item);
        seen.push(item);
      }

      assert.deepEqual(seen, ['a', 'b']);
    });

    it('lets the event loop turn, though its body awaits nothing', async () => {
      const queue = new WorkQueue<number>();
      for (let i = 0; i < 1000; i++) queue.add(i);
      queue.shutDown();
      let turnedAt = Number.POSITIVE_INFINITY;
      let last = -1;
      setImmediate(() => {
        turnedAt = last;
      });
      for await (const item of queue) last = item;

      assert.equal(last, 999);
      assert.ok(turnedAt < 999, `the event loop turned after item ${turnedAt}`);
    });
  });
});

function outcomes<T>(watched: readonly { outcome: T }[]): T[] {
  return watched.map(({ outcome }) => outcome);
}
