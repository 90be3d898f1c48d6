import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DelayingQueue, PriorityQueue, RateLimitingQueue, WorkQueue } from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { drain, settle, watch } from './helpers.ts';

const QUEUES = [WorkQueue, DelayingQueue, RateLimitingQueue, PriorityQueue];

for (const Queue of QUEUES) {
  describe(`${Queue.name} at shut-down`, () => {
    it('takes no more items, and hands out those that it has', async () => {
      const queue = new Queue();
      queue.add('a');
      queue.shutDown();
      queue.add('b');

      assert.equal(queue.shuttingDown, true);
      assert.equal(await queue.get(), 'a');
      assert.equal(await queue.get(), undefined);
    });

    it('tells all consumers that wait', async () => {
      const queue = new Queue();
      const consumers = [queue.get(), queue.take(), queue.get()];
      queue.shutDown();

      assert.deepEqual(await Promise.all(consumers), [undefined, undefined, undefined]);
    });

    it('hands out again what was added while it was processed', () => {
      const queue = new Queue();
      queue.add('a');
      queue.tryGet();
      queue.add('a');
      queue.shutDown();
      queue.done('a');

      assert.deepEqual(drain(queue), ['a']);
    });

    it('does nothing the second time', () => {
      const queue = new Queue();
      queue.shutDown();
      queue.shutDown();

      assert.equal(queue.shuttingDown, true);
    });

    it('drains: waits until what is processed is done', async () => {
      const queue = new Queue();
      queue.add('a');
      queue.add('b');
      queue.tryGet();
      queue.tryGet();
      const drained = watch(queue.shutDownWithDrain());
      queue.done('b');
      await settle();
      assert.equal(drained.outcome, 'waiting');

      queue.done('a');
      await settle();
      assert.equal(drained.outcome, undefined);
    });

    it('drains: waits for what is queued, though nothing is processed', async () => {
      const queue = new Queue();
      queue.add('a');
      const drained = watch(queue.shutDownWithDrain());
      await settle();
      assert.equal(drained.outcome, 'waiting');

      drain(queue);
      await settle();
      assert.equal(drained.outcome, undefined);
    });

    it('drains: waits for the next turn of an item that was added while it was processed', async () => {
      const queue = new Queue();
      queue.add('a');
      queue.tryGet();
      queue.add('a');
      const drained = watch(queue.shutDownWithDrain());
      queue.done('a');
      await settle();
      assert.equal(drained.outcome, 'waiting');

      drain(queue);
      await settle();
      assert.equal(drained.outcome, undefined);
    });

    it('drains: an empty queue at once, as often as it is asked', async () => {
      const queue = new Queue();

      await queue.shutDownWithDrain();
      await queue.shutDownWithDrain();
    });

    it('drains: tells all who wait for it', async () => {
      const queue = new Queue();
      queue.add('a');
      const drained = Promise.all([queue.shutDownWithDrain(), queue.shutDownWithDrain()]);
      drain(queue);

      await drained;
    });

    it('drains: is not waited for any more after a shutDown', async () => {
      const queue = new Queue();
      queue.add('a');
      queue.tryGet();
      const drained = queue.shutDownWithDrain();
      queue.shutDown();

      await drained;
    });

    it('without drain waits for nobody', () => {
      const queue = new Queue();
      queue.add('a');
      queue.tryGet();
      queue.shutDown();

      queue.done('a');
      assert.equal(queue.len, 0);
    });
  });
}

for (const Queue of [DelayingQueue, RateLimitingQueue, PriorityQueue]) {
  for (const how of ['shutDown', 'shutDownWithDrain'] as const) {
    describe(`${Queue.name} at ${how}`, () => {
      it('drops what is delayed, and its timer', async () => {
        const clock = new FakeClock();
        const queue = new Queue({ clock });
        queue.add('b');
        queue.tryGet();
        queue.addAfter('a', 1_000);
        queue.addAfter('b', 1_000);
        const ended = queue[how]();
        assert.equal(queue.waiting, 0);
        assert.equal(clock.pending, 0);

        queue.done('b');
        await ended;
        assert.equal(queue.len, 0);
      });

      it('takes nothing with a delay any more', () => {
        const clock = new FakeClock();
        const queue = new Queue({ clock });
        queue[how]();
        queue.addAfter('a', 1_000);
        queue.addAfter('b', 0);
        if (!(queue instanceof DelayingQueue) || queue instanceof RateLimitingQueue)
          queue.addRateLimited('c');

        assert.equal(queue.waiting, 0);
        assert.equal(queue.len, 0);
      });
    });
  }
}
