import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  LOW_PRIORITY,
  PriorityQueue,
  type PriorityQueueOptions,
  type RateLimiter,
} from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { drain, settle, watch } from './helpers.ts';

describe('PriorityQueue', () => {
  it('hands out the highest priority first, and first in, first out among equals', () => {
    const { queue } = setUp();
    queue.add('low-1', { priority: LOW_PRIORITY });
    queue.add('plain-1');
    queue.add('low-2', { priority: LOW_PRIORITY });
    queue.add('urgent', { priority: 7 });
    queue.add('plain-2');

    assert.deepEqual(drain(queue), ['urgent', 'plain-1', 'plain-2', 'low-1', 'low-2']);
  });

  it('hands out high priorities before low ones, however they are mixed', () => {
    const { queue } = setUp();
    for (let i = 0; i < 1_000; i++) queue.add(`low-${i}`, { priority: i % 2 === 0 ? 1 : 0 });
    for (let i = 0; i < 1_000; i++) queue.add(`high-${i}`, { priority: 2 });
    const items = drain(queue);

    assert.equal(items.length, 2_000);
    assert.ok(items.slice(0, 1_000).every((item) => item.startsWith('high')));
    assert.deepEqual(
      items.slice(1_000).map((item) => Number(item.slice(4)) % 2),
      [...new Array(500).fill(0), ...new Array(500).fill(1)],
    );
  });

  it('holds an item once, however often it was added', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('a', { priority: -1 });
    queue.add('a');

    assert.equal(queue.len, 1);
    assert.deepEqual(drain(queue), ['a']);
  });

  it('raises an item to the higher priority, at the end of those that have it', () => {
    const { queue } = setUp();
    queue.add('a', { priority: 1 });
    queue.add('b', { priority: 2 });
    queue.add('c', { priority: 2 });
    queue.add('a', { priority: 2 });

    assert.deepEqual(drain(queue), ['b', 'c', 'a']);
  });

  it('never lowers a priority, and keeps the place', () => {
    const { queue } = setUp();
    queue.add('a', { priority: 2 });
    queue.add('b', { priority: 2 });
    queue.add('a', { priority: 1 });
    queue.add('c', { priority: 1 });

    assert.deepEqual(drain(queue), ['a', 'b', 'c']);
  });

  it('says with what priority an item was handed out', async () => {
    const { queue } = setUp();
    queue.add('a', { priority: 1 });
    queue.add('a', { priority: 3 });
    const work = await queue.take();

    assert.equal(work!.priority, 3);
    work!.done();
    queue.add('a');
    assert.equal((await queue.take())!.priority, 0);
  });

  it('serves consumers that wait, in the order in which they came', async () => {
    const { queue } = setUp();
    const consumers = [watch(queue.get()), watch(queue.get())];
    queue.add('a');
    queue.add('b', { priority: 1 });

    await settle();
    assert.deepEqual(
      consumers.map(({ outcome }) => outcome),
      ['a', 'b'],
    );
  });

  describe('with a delay', () => {
    it('hands an item out when it is over, and does not count it before', () => {
      const { queue, clock } = setUp();
      queue.add('a', { after: 50 });
      queue.addAfter('b', 60);
      queue.add('c');
      clock.advance(49);
      assert.equal(queue.len, 1);
      assert.equal(queue.waiting, 2);
      assert.deepEqual(drain(queue), ['c']);

      clock.advance(1);
      assert.deepEqual(drain(queue), ['a']);
      clock.advance(10);
      assert.deepEqual(drain(queue), ['b']);
      assert.equal(clock.pending, 0);
    });

    it('orders what is due by priority, then by time', () => {
      const { queue, clock } = setUp();
      queue.add('late', { after: 30 });
      queue.add('early', { after: 10 });
      queue.add('urgent', { after: 20, priority: 1 });
      clock.advance(30);

      assert.deepEqual(drain(queue), ['urgent', 'early', 'late']);
    });

    for (const [first, second] of [
      [50, 70],
      [70, 50],
    ] as const) {
      it(`keeps the earlier of two times (${first} ms, then ${second} ms) and the higher priority`, () => {
        const { queue, clock } = setUp();
        queue.add('a', { after: first, priority: 1 });
        queue.add('a', { after: second, priority: 2 });
        queue.add('b', { after: 50, priority: 1 });
        clock.advance(50);
        assert.deepEqual(drain(queue), ['a', 'b']);

        clock.advance(100);
        assert.equal(queue.len, 0);
      });
    }

    it('hands an item out once that is added without a delay meanwhile', () => {
      const { queue, clock } = setUp();
      queue.add('a', { after: 50 });
      queue.add('a');
      assert.deepEqual(drain(queue), ['a']);
      assert.equal(clock.pending, 0);

      clock.advance(50);
      assert.equal(queue.len, 0);
    });

    it('ignores the delay of an item that is ready', () => {
      const { queue } = setUp();
      queue.add('a');
      queue.add('a', { after: 50 });

      assert.equal(queue.waiting, 0);
      assert.deepEqual(drain(queue), ['a']);
    });
  });

  describe('with a rate limit', () => {
    it('hands an item out after the delay that its limiter wants', () => {
      const { queue, clock } = setUp();
      queue.addRateLimited('a');
      queue.add('b', { rateLimited: true });
      queue.add('b', { rateLimited: true });
      assert.equal(queue.numRequeues('b'), 2);
      clock.advance(5);
      assert.deepEqual(drain(queue), ['a', 'b']);

      queue.forget('b');
      assert.equal(queue.numRequeues('b'), 0);
    });

    it('lets no item pay for the failures of others', () => {
      const { queue, clock } = setUp();
      for (let i = 0; i < 1_000; i++) queue.addRateLimited(`item-${i}`);
      clock.advance(5);

      assert.equal(queue.len, 1_000);
    });

    it('takes the shorter of both delays', () => {
      const { queue, clock } = setUp();
      queue.add('a', { rateLimited: true, after: 1 });
      queue.add('b', { rateLimited: true, after: 1_000 });
      clock.advance(1);
      assert.deepEqual(drain(queue), ['a']);
      clock.advance(4);
      assert.deepEqual(drain(queue), ['b']);
    });

    it('hands out at once what the limiter does not delay', () => {
      const rateLimiter: RateLimiter = { when: () => 0, forget() {}, numRequeues: () => 0 };
      const { queue } = setUp({ rateLimiter });
      queue.addRateLimited('a');

      assert.deepEqual(drain(queue), ['a']);
    });
  });

  describe('of an item that is processed', () => {
    it('is handed out again when it is done, with the priority of the later add', () => {
      const { queue } = setUp();
      queue.add('a', { priority: 5 });
      queue.tryGet();
      queue.add('b', { priority: 1 });
      queue.add('a');
      queue.add('a', { priority: 2 });
      assert.equal(queue.len, 1);

      queue.done('a');
      assert.deepEqual(drain(queue), ['a', 'b']);
    });

    it('waits on after done when its delay is not over', () => {
      const { queue, clock } = setUp();
      queue.add('a');
      queue.tryGet();
      queue.add('a', { after: 50 });
      queue.done('a');
      assert.equal(queue.len, 0);

      clock.advance(50);
      assert.deepEqual(drain(queue), ['a']);
    });

    it('is held back until done when its delay ends before', () => {
      const { queue, clock } = setUp();
      queue.add('a');
      queue.tryGet();
      queue.add('a', { after: 50 });
      clock.advance(50);
      assert.equal(queue.tryGet(), undefined);

      queue.done('a');
      assert.deepEqual(drain(queue), ['a']);
    });
  });

  describe('ageing', () => {
    /** A low item and a flood of others, of which one comes each second and one is taken. */
    function flood(queue: PriorityQueue, clock: FakeClock, count: number): string[] {
      queue.add('low', { priority: LOW_PRIORITY });
      queue.add('first');
      const items: string[] = [];
      for (let i = 0; i < count; i++) {
        queue.add(`item-${i}`);
        clock.advance(1_000);
        const item = queue.tryGet()!;
        items.push(item);
        queue.done(item);
      }
      return items;
    }

    it('hands out what has been ready for ten seconds after seven others', () => {
      const { queue, clock } = setUp({ ageing: {} });

      // Aged at the tenth, passed over seven times.
      assert.equal(flood(queue, clock, 30).indexOf('low'), 16);
    });

    it('hands out every eighth of a backlog that grew old, the oldest first, and what is urgent in between', () => {
      const { queue, clock } = setUp({ ageing: { afterMs: 100, every: 4 } });
      for (let i = 0; i < 3; i++) queue.add(`low-${i}`, { priority: LOW_PRIORITY });
      clock.advance(100);
      for (let i = 0; i < 7; i++) queue.add(`new-${i}`);

      assert.deepEqual(drain(queue), [
        'new-0',
        'new-1',
        'new-2',
        'low-0',
        'new-3',
        'new-4',
        'new-5',
        'low-1',
        'new-6',
        'low-2',
      ]);
    });

    it('counts from when an item became ready, and a raise does not make it young again', () => {
      const { queue, clock } = setUp({ ageing: { afterMs: 100, every: 1 } });
      queue.add('raised', { priority: -2 });
      queue.add('delayed', { priority: -1, after: 100 });
      clock.advance(100);
      queue.add('raised', { priority: -1 });
      queue.add('new');

      assert.deepEqual(drain(queue), ['raised', 'new', 'delayed']);
    });

    it('can be switched off', () => {
      const { queue, clock } = setUp({ ageing: false });

      assert.ok(!flood(queue, clock, 1_000).includes('low'));
    });
  });

  it('tells items apart by the key function, and hands out the newest of equal ones', () => {
    const clock = new FakeClock();
    const keyFunction = ({ key }: { key: string }) => key;
    const queue = new PriorityQueue<{ key: string; age: number }>({ clock, keyFunction });
    queue.add({ key: 'a', age: 1 });
    queue.add({ key: 'a', age: 2 });
    queue.add({ key: 'b', age: 1 }, { rateLimited: true });
    queue.add({ key: 'b', age: 2 }, { rateLimited: true });
    assert.equal(queue.numRequeues({ key: 'b', age: 0 }), 2);
    clock.advance(5);

    assert.deepEqual(drain(queue), [
      { key: 'a', age: 2 },
      { key: 'b', age: 2 },
    ]);
  });

  it('refuses what is out of range', () => {
    const { queue } = setUp();
    for (const options of [
      { priority: 1.5 },
      { priority: Number.NaN },
      { after: -1 },
      { after: Number.NaN },
    ]) {
      assert.throws(
        () => queue.add('a', options),
        { code: 'KUBERING_QUEUE_ARGUMENT' },
        JSON.stringify(options),
      );
    }
    for (const ageing of [{ afterMs: -1 }, { every: 0 }, { every: 1.5 }]) {
      assert.throws(
        () => new PriorityQueue({ ageing }),
        { code: 'KUBERING_QUEUE_ARGUMENT' },
        JSON.stringify(ageing),
      );
    }
    assert.throws(() => queue.done('a'), { code: 'KUBERING_NOT_PROCESSING' });
    assert.equal(queue.len, 0);
  });

  it('refuses what a broken limiter says', () => {
    const { queue } = setUp({ rateLimiter: { when: () => Number.NaN, forget() {}, numRequeues: () => 0 } });

    assert.throws(() => queue.addRateLimited('a'), { message: /delay of the rate limiter is NaN/ });
  });
});

function setUp(options: PriorityQueueOptions<string> = {}) {
  const clock = new FakeClock();
  return { clock, queue: new PriorityQueue({ clock, ...options }) };
}
