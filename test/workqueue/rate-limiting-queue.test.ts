import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ItemExponentialFailureRateLimiter, RateLimitingQueue } from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { drain } from './helpers.ts';

describe('RateLimitingQueue', () => {
  it('adds an item after the delay that its limiter wants', () => {
    const { queue, clock } = setUp();
    queue.addRateLimited('a');
    queue.addRateLimited('b');
    clock.advance(1);
    assert.deepEqual(drain(queue), ['a', 'b']);

    queue.addRateLimited('a');
    clock.advance(1);
    assert.equal(queue.len, 0);
    clock.advance(1);
    assert.deepEqual(drain(queue), ['a']);
    assert.equal(queue.numRequeues('a'), 2);
    assert.equal(queue.numRequeues('b'), 1);
  });

  it('begins with short delays again for an item that was forgotten', () => {
    const { queue, clock } = setUp();
    for (let i = 0; i < 5; i++) queue.addRateLimited('a');
    queue.forget('a');
    assert.equal(queue.numRequeues('a'), 0);
    clock.advance(1);
    drain(queue);

    queue.addRateLimited('a');
    clock.advance(1);
    assert.deepEqual(drain(queue), ['a']);
  });

  it('does not take an item out of the queue when it is forgotten', () => {
    const { queue, clock } = setUp();
    queue.addRateLimited('a');
    queue.forget('a');
    clock.advance(1);

    assert.deepEqual(drain(queue), ['a']);
  });

  it('does nothing when an item is forgotten that it does not know', () => {
    const { queue } = setUp();
    queue.forget('a');

    assert.equal(queue.numRequeues('a'), 0);
  });

  it('counts no failures once it is shutting down', () => {
    const { queue } = setUp();
    queue.shutDown();
    queue.addRateLimited('a');

    assert.equal(queue.numRequeues('a'), 0);
  });

  it('limits as controllers do when nothing else is said, with its own key function', () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue<{ key: string }>({ clock, keyFunction: ({ key }) => key });
    queue.addRateLimited({ key: 'a' });
    queue.addRateLimited({ key: 'a' });
    assert.equal(queue.numRequeues({ key: 'a' }), 2);

    clock.advance(5);
    assert.deepEqual(drain(queue), [{ key: 'a' }]);
    queue.addRateLimited({ key: 'a' });
    clock.advance(19);
    assert.equal(queue.len, 0);
    clock.advance(1);
    assert.equal(queue.len, 1);
  });

  it('refuses what a broken limiter says', () => {
    const rateLimiter = { when: () => -1, forget() {}, numRequeues: () => 0 };
    const queue = new RateLimitingQueue({ rateLimiter });

    assert.throws(() => queue.addRateLimited('a'), { code: 'KUBERING_QUEUE_ARGUMENT' });
  });
});

function setUp() {
  const clock = new FakeClock();
  const rateLimiter = new ItemExponentialFailureRateLimiter({ baseDelayMs: 1, maxDelayMs: 1_000 });
  return { clock, queue: new RateLimitingQueue({ clock, rateLimiter }) };
}
