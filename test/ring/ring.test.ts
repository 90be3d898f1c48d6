import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DELTA_WORDS, HEAD_WORD, KIND, TAIL_WORD } from '../../src/layout/ring.ts';
import { Consumer, createRing, openRing, Producer } from '../../src/ring/index.ts';

describe('ring', () => {
  it('hands records over in the order in which they were published', () => {
    const { producer, consumer } = pair(64);
    put(producer, 10);
    producer.publish();

    assert.deepEqual(drainKinds(consumer), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('shows nothing of a record that was claimed but not published', () => {
    const { producer, consumer } = pair(64);
    put(producer, 1);

    assert.deepEqual(drainKinds(consumer), []);
  });

  it('refuses a claim when full, and accepts one again when the consumer gave a record back', () => {
    const { producer, consumer } = pair(64);
    put(producer, 64);
    assert.equal(producer.claim(), -1);

    producer.publish();
    consumer.next();
    assert.equal(producer.claim(), -1, 'a record is the consumer’s until it is released');
    consumer.release();
    assert.notEqual(producer.claim(), -1);
  });

  for (const start of [0x7fffffe0, -32]) {
    it(`goes on when positions wrap (starting at ${start})`, () => {
      const { producer, consumer } = pair(64, start);
      put(producer, 64);
      producer.publish();

      assert.equal(producer.claim(), -1);
      assert.equal(drainKinds(consumer).length, 64);
      put(producer, 3);
      producer.publish();
      assert.deepEqual(drainKinds(consumer), [0, 1, 2]);
    });
  }

  it('does not sleep through a record that was published while the flag went up', () => {
    const { producer, consumer } = pair(64);
    producer.claim();
    producer.publish();

    assert.equal(consumer.fallAsleep(), false);
  });

  it('asks for exactly one wake-up per sleep', () => {
    const { producer, consumer } = pair(64);
    assert.equal(consumer.fallAsleep(), true);
    producer.claim();

    assert.equal(producer.publish(), true);
    assert.equal(producer.publish(), false);
  });

  it('shows with a record that something was announced for it', () => {
    const { producer, consumer } = pair(64);
    assert.equal(consumer.news, 0);
    producer.announce();
    put(producer, 1);
    producer.publish();

    assert.deepEqual(drainKinds(consumer), [0]);
    assert.equal(consumer.news, 1);
  });

  it('does not let a producer wait for space that is there', () => {
    const { producer, consumer } = pair(64);
    put(producer, 64);
    producer.publish();
    assert.equal(producer.waitForSpace(), true);
    drainKinds(consumer);

    assert.equal(producer.waitForSpace(), false);
  });

  it('tells a waiting producer once, and only when half of the ring is free', () => {
    const { producer, consumer } = pair(64);
    put(producer, 64);
    producer.publish();
    assert.equal(producer.waitForSpace(), true);

    for (let i = 0; i < 31; i++) consumer.next();
    assert.equal(consumer.release(), false);
    consumer.next();
    assert.equal(consumer.release(), true);
    assert.equal(consumer.release(), false);
  });

  for (const records of [0, 63, 100, 1 << 21]) {
    it(`refuses a capacity of ${records} and says what is allowed`, () => {
      assert.throws(() => createRing(records, DELTA_WORDS), {
        name: 'RangeError',
        message: /power of two from 64 to 1048576/,
      });
    });
  }
});

function pair(records: number, position = 0) {
  const ring = openRing(createRing(records, DELTA_WORDS), DELTA_WORDS);
  ring.control[TAIL_WORD] = position;
  ring.control[HEAD_WORD] = position;
  return { producer: new Producer(ring), consumer: new Consumer(ring) };
}

function put(producer: Producer, count: number): void {
  for (let kind = 0; kind < count; kind++) producer.words[producer.claim() + KIND] = kind;
}

function drainKinds(consumer: Consumer): number[] {
  const kinds: number[] = [];
  for (let word = consumer.next(); word !== -1; word = consumer.next())
    kinds.push(consumer.words[word + KIND]!);
  consumer.release();
  return kinds;
}
