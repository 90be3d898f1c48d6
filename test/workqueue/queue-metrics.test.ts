import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DelayingQueue,
  PriorityQueue,
  QUEUE_METRICS,
  RateLimitingQueue,
  WorkQueue,
} from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { drain, FakeRegistry } from './helpers.ts';

describe('metrics of a queue', () => {
  it('have the names that client-go gives them, and the name of the queue as a label', () => {
    const { registry } = setUp(WorkQueue);

    assert.deepEqual(registry.specs.map(({ name }) => name).sort(), [
      'workqueue_adds_total',
      'workqueue_depth',
      'workqueue_longest_running_processor_seconds',
      'workqueue_queue_duration_seconds',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_work_duration_seconds',
    ]);
    assert.ok(registry.labels.every(({ name }) => name === 'pods'));
  });

  it('have buckets from 10 ns to 1,000 s, each ten times the one before', () => {
    for (const { buckets } of [QUEUE_METRICS.queueDuration, QUEUE_METRICS.workDuration]) {
      assert.equal(buckets.length, 12);
      for (const [i, bound] of buckets.entries()) assert.ok(Math.abs(bound / 10 ** (i - 8) - 1) < 1e-9);
    }
  });

  it('follow an item through the queue', () => {
    const { registry, clock, queue } = setUp(WorkQueue);
    queue.add('a');
    queue.add('a');
    assert.deepEqual(counts(registry), { adds: 1, depth: 1, retries: 0 });

    clock.advance(50);
    queue.tryGet();
    assert.deepEqual(counts(registry), { adds: 1, depth: 0, retries: 0 });
    assert.deepEqual(registry.observed.workqueue_queue_duration_seconds, [0.05]);

    clock.advance(25);
    queue.add('a');
    queue.add('a');
    assert.deepEqual(counts(registry), { adds: 2, depth: 1, retries: 0 });
    clock.advance(5);
    queue.done('a');
    assert.deepEqual(registry.observed.workqueue_work_duration_seconds, [0.03]);
    assert.deepEqual(counts(registry), { adds: 2, depth: 1, retries: 0 });

    clock.advance(15);
    queue.tryGet();
    queue.done('a');
    assert.deepEqual(registry.observed.workqueue_queue_duration_seconds, [0.05, 0.02]);
    assert.deepEqual(registry.observed.workqueue_work_duration_seconds, [0.03, 0]);
    assert.deepEqual(counts(registry), { adds: 2, depth: 0, retries: 0 });
  });

  it('measure an item that is handed straight to a consumer', async () => {
    const { registry, clock, queue } = setUp(WorkQueue);
    const item = queue.get();
    queue.add('a');
    clock.advance(10);
    queue.done((await item)!);

    assert.deepEqual(registry.observed.workqueue_queue_duration_seconds, [0]);
    assert.deepEqual(registry.observed.workqueue_work_duration_seconds, [0.01]);
    assert.deepEqual(counts(registry), { adds: 1, depth: 0, retries: 0 });
  });

  it('tell every half second how long what is unfinished has taken', () => {
    const { registry, clock, queue } = setUp(WorkQueue);
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    clock.advance(400);
    queue.tryGet();
    assert.deepEqual(unfinished(registry), { sum: 0, longest: 0 });

    clock.advance(100);
    assert.deepEqual(unfinished(registry), { sum: 0.6, longest: 0.5 });
    queue.done('a');
    clock.advance(500);
    assert.deepEqual(unfinished(registry), { sum: 0.6, longest: 0.6 });
    queue.done('b');
    clock.advance(500);
    assert.deepEqual(unfinished(registry), { sum: 0, longest: 0 });
  });

  it('count adds with a delay or a rate limit', () => {
    const { registry, clock, queue } = setUp(RateLimitingQueue);
    queue.addAfter('a', 1_000);
    queue.addRateLimited('b');
    queue.addAfter('c', 0);
    assert.deepEqual(counts(registry), { adds: 1, depth: 1, retries: 3 });

    clock.advance(1_000);
    assert.deepEqual(counts(registry), { adds: 3, depth: 3, retries: 3 });
  });

  it('count an item with a priority from when it is ready', () => {
    const { registry, clock, queue } = setUp(PriorityQueue);
    queue.add('a', { after: 100 });
    queue.add('a', { after: 50, priority: 1 });
    assert.deepEqual(counts(registry), { adds: 0, depth: 0, retries: 2 });

    clock.advance(50);
    queue.add('a', { priority: 2 });
    assert.deepEqual(counts(registry), { adds: 1, depth: 1, retries: 2 });
    clock.advance(10);
    drain(queue);
    assert.deepEqual(registry.observed.workqueue_queue_duration_seconds, [0.01]);
    assert.deepEqual(counts(registry), { adds: 1, depth: 0, retries: 2 });
  });

  for (const how of ['shutDown', 'shutDownWithDrain'] as const) {
    it(`have no timer any more after ${how}, and end at 0`, async () => {
      const { registry, clock, queue } = setUp(WorkQueue);
      queue.add('a');
      queue.tryGet();
      clock.advance(500);
      assert.equal(clock.pending, 1);
      const ended = queue[how]();
      assert.equal(clock.pending, 0);

      clock.advance(10_000);
      assert.deepEqual(unfinished(registry), { sum: 0.5, longest: 0.5 });
      queue.done('a');
      assert.deepEqual(unfinished(registry), { sum: 0, longest: 0 });
      await ended;
    });
  }

  it('do not keep the process alive', () => {
    const before = timeouts();
    const queue = new WorkQueue({ name: 'pods', metrics: new FakeRegistry() });

    assert.equal(timeouts(), before);
    queue.shutDown();
  });

  it('need no timer when there are none', () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue({ clock });
    queue.add('a');

    assert.equal(clock.pending, 0);
  });

  it('need the name of the queue', () => {
    assert.throws(() => new WorkQueue({ metrics: new FakeRegistry() }), {
      code: 'KUBERING_QUEUE_ARGUMENT',
      argument: 'name',
    });
  });
});

interface Options {
  readonly clock: FakeClock;
  readonly metrics: FakeRegistry;
  readonly name: string;
}

function setUp<Queue>(Queue: new (options: Options) => Queue) {
  const clock = new FakeClock();
  const registry = new FakeRegistry();
  return { clock, registry, queue: new Queue({ clock, metrics: registry, name: 'pods' }) };
}

function counts({ values }: FakeRegistry) {
  return {
    adds: values.workqueue_adds_total,
    depth: values.workqueue_depth,
    retries: values.workqueue_retries_total,
  };
}

function unfinished({ values }: FakeRegistry) {
  return {
    sum: values.workqueue_unfinished_work_seconds,
    longest: values.workqueue_longest_running_processor_seconds,
  };
}

function timeouts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
