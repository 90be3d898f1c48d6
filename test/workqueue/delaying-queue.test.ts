import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DelayingQueue } from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { drain, settle, watch } from './helpers.ts';

const DAY = 24 * 60 * 60 * 1_000;

describe('DelayingQueue', () => {
  it('adds an item when its delay is over, and not before', () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 50);
    clock.advance(49);
    assert.equal(queue.len, 0);
    assert.equal(queue.waiting, 1);

    clock.advance(1);
    assert.deepEqual(drain(queue), ['a']);
    assert.equal(queue.waiting, 0);
    clock.advance(DAY);
    assert.equal(queue.len, 0);
  });

  it('wakes a consumer that waits', async () => {
    const { queue, clock } = setUp();
    const item = watch(queue.get());
    queue.addAfter('a', 50);
    await settle();
    assert.equal(item.outcome, 'waiting');

    clock.advance(50);
    await settle();
    assert.equal(item.outcome, 'a');
  });

  it('adds an item without a delay at once', () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 0);

    assert.equal(queue.len, 1);
    assert.equal(clock.pending, 0);
  });

  for (const [first, second] of [
    [50, 70],
    [70, 50],
  ] as const) {
    it(`adds an item once, at the earlier time, that was delayed by ${first} ms and then by ${second}`, () => {
      const { queue, clock } = setUp();
      queue.addAfter('a', first);
      queue.addAfter('a', second);
      clock.advance(50);
      assert.deepEqual(drain(queue), ['a']);

      clock.advance(DAY);
      assert.equal(queue.len, 0);
    });
  }

  it('lets a later item with a shorter delay come first', () => {
    const { queue, clock } = setUp();
    queue.addAfter('long', 1_000);
    queue.addAfter('short', 10);
    clock.advance(10);
    assert.deepEqual(drain(queue), ['short']);

    queue.addAfter('middle', 20);
    clock.advance(20);
    assert.deepEqual(drain(queue), ['middle']);
    clock.advance(970);
    assert.deepEqual(drain(queue), ['long']);
  });

  it('orders items by their times, however they were added', () => {
    const { queue, clock } = setUp();
    queue.addAfter('c', 3);
    queue.addAfter('b', 2);
    queue.addAfter('a', 1);
    clock.advance(3);

    assert.deepEqual(drain(queue), ['a', 'b', 'c']);
  });

  it('keeps the order of items whose delays end together', () => {
    const { queue, clock } = setUp();
    const names = Array.from({ length: 100 }, (_, i) => `item-${i}`);
    for (const name of names) queue.addAfter(name, 10);
    clock.advance(10);

    assert.deepEqual(drain(queue), names);
  });

  it('hands an item out twice that is added while it is delayed, as client-go does', () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 50);
    queue.add('a');
    assert.deepEqual(drain(queue), ['a']);

    clock.advance(50);
    assert.deepEqual(drain(queue), ['a']);
  });

  it('merges an item whose delay is over with one that is queued', () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 50);
    queue.add('a');
    clock.advance(50);

    assert.deepEqual(drain(queue), ['a']);
  });

  it('holds an item back whose delay ends while it is processed', () => {
    const { queue, clock } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.addAfter('a', 50);
    clock.advance(50);
    assert.equal(queue.len, 0);

    queue.done('a');
    assert.deepEqual(drain(queue), ['a']);
  });

  it('has one timer, and none when nothing is delayed', () => {
    const { queue, clock } = setUp();
    for (let i = 0; i < 1_000; i++) queue.addAfter(`item-${i}`, 1_000 - i);
    assert.equal(clock.pending, 1);

    clock.advance(1_000);
    assert.equal(queue.len, 1_000);
    assert.equal(clock.pending, 0);
  });

  it('hands over in slices what is due at once, and lets the event loop turn between them', () => {
    const { queue, clock } = setUp();
    for (let i = 0; i < 10_000; i++) queue.addAfter(`item-${i}`, 10);
    const lengths: number[] = [];
    const timers = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, callback) => {
      lengths.push(queue.len);
      return timers(delayMs, callback);
    };
    clock.advance(10);

    assert.deepEqual(lengths, [4096, 8192]);
    assert.equal(queue.len, 10_000);
  });

  it('can wait longer than a timer can', () => {
    const { queue, clock } = setUp();
    const longest: number[] = [];
    const timers = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, callback) => {
      longest.push(delayMs);
      return timers(delayMs, callback);
    };
    queue.addAfter('a', 100 * DAY);
    clock.advance(100 * DAY - 1);
    assert.equal(queue.len, 0);

    clock.advance(1);
    assert.equal(queue.len, 1);
    assert.ok(
      longest.every((delayMs) => delayMs <= 2 ** 31 - 1),
      String(longest),
    );
  });

  it('waits on when a timer comes too early', () => {
    const { queue, clock } = setUp();
    const timers = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, callback) => timers(delayMs > 1 ? delayMs - 0.5 : delayMs, callback);
    queue.addAfter('a', 50);
    clock.advance(49.9);
    assert.equal(queue.len, 0);

    clock.advance(0.1);
    assert.equal(queue.len, 1);
  });

  it('tells items apart by the key function', () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<{ key: string; age: number }>({ clock, keyFunction: ({ key }) => key });
    queue.addAfter({ key: 'a', age: 1 }, 50);
    queue.addAfter({ key: 'a', age: 2 }, 70);
    clock.advance(50);

    assert.deepEqual(drain(queue), [{ key: 'a', age: 2 }]);
    assert.equal(queue.waiting, 0);
  });

  it('keeps the process alive by its own clock as long as something is delayed', () => {
    const before = timeouts();
    const queue = new DelayingQueue();
    queue.addAfter('a', DAY);
    assert.equal(timeouts(), before + 1);

    queue.shutDown();
    assert.equal(timeouts(), before);
  });

  for (const delayMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses a delay of ${delayMs}`, () => {
      const { queue } = setUp();

      assert.throws(() => queue.addAfter('a', delayMs), {
        name: 'QueueArgumentError',
        code: 'KUBERING_QUEUE_ARGUMENT',
        argument: 'delayMs',
        message: /give milliseconds, 0 or more/,
      });
      assert.equal(queue.waiting, 0);
    });
  }
});

function setUp() {
  const clock = new FakeClock();
  return { clock, queue: new DelayingQueue({ clock }) };
}

function timeouts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
