import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { DELTA_WORDS, KIND, SOURCE } from '../../src/layout/ring.ts';
import { Consumer, createRing, openRing } from '../../src/ring/index.ts';

/** Small, so that the ring is full and empty all the time. */
const RECORDS = 64;
const COUNT = 300_000;

describe('ring between two threads', () => {
  it('loses, doubles and tears no record, and no side sleeps for ever, while it is full and empty in turns', async () => {
    const memory = createRing(RECORDS, DELTA_WORDS);
    const consumer = new Consumer(openRing(memory, DELTA_WORDS));
    const workerData = { memory, count: COUNT };
    const worker = new Worker(new URL('./ring-producer.ts', import.meta.url), { workerData });
    const ended = once(worker, 'exit');
    let expected = 0;
    let sleeps = 0;
    let tells = 0;

    await new Promise<void>((resolve, reject) => {
      const drain = () => {
        for (let word = consumer.next(); word !== -1; word = consumer.next()) {
          const { words } = consumer;
          if (words[word + KIND] !== expected || words[word + SOURCE] !== ~expected) {
            reject(new Error(`record ${expected} is ${words[word + KIND]} and ${words[word + SOURCE]}`));
            return;
          }
          expected++;
        }
        if (consumer.release()) {
          tells++;
          worker.postMessage('space');
        }
        if (expected === COUNT) resolve();
        else if (!consumer.fallAsleep()) setImmediate(drain);
        else sleeps++;
      };
      worker.on('message', drain);
      worker.on('error', reject);
      drain();
    });
    await ended;

    assert.equal(expected, COUNT);
    assert.ok(sleeps > 0, 'the consumer never slept: the race was not run');
    assert.ok(tells > 0, 'the producer never waited: the race was not run');
  });
});
