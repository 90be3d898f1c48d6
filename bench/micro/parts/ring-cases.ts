/** A record through the ring, both ends on one thread, beside a message of the same size through a port. */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { DELTA_WORDS } from '../../../src/layout/ring.ts';
import { Consumer, createRing, openRing, Producer } from '../../../src/ring/index.ts';
import type { Case } from '../store/measure.ts';

const RECORDS = 1024;
const ROUNDS = 1024;
/** Records that are published together: a chunk from a socket has some. */
const BATCHES = [1, 8, 64];

/** There is one shape of record only: the columns are batches. */
export function ringCases(): Case[] {
  return BATCHES.flatMap((batch) => [
    { row: 'ring: record', contender: nameOf(batch), operations: ROUNDS, run: ringRun(batch) },
    {
      row: 'ring: message of the same size',
      contender: nameOf(batch),
      operations: ROUNDS,
      run: portRun(batch),
    },
  ]);
}

function nameOf(batch: number): string {
  return batch === 1 ? 'one by one' : `${batch} at a time`;
}

function ringRun(batch: number): () => number {
  const memory = createRing(RECORDS, DELTA_WORDS);
  const producer = new Producer(openRing(memory, DELTA_WORDS));
  const consumer = new Consumer(openRing(memory, DELTA_WORDS));
  return () => {
    let sum = 0;
    for (let done = 0; done < ROUNDS; done += batch) {
      for (let i = 0; i < batch; i++) {
        const word = producer.claim();
        for (let field = 0; field < DELTA_WORDS; field++) producer.words[word + field] = 1 + i + field;
      }
      producer.publish();
      for (let word = consumer.next(); word >= 0; word = consumer.next()) sum += consumer.words[word]!;
      consumer.release();
    }
    return sum;
  };
}

function portRun(batch: number): () => number {
  const { port1, port2 } = new MessageChannel();
  // Else the process would not end.
  for (const port of [port1, port2]) port.unref();
  return () => {
    let sum = 0;
    for (let done = 0; done < ROUNDS; done += batch) {
      for (let i = 0; i < batch; i++) {
        port1.postMessage(Int32Array.from({ length: DELTA_WORDS }, (_, field) => 1 + i + field));
      }
      for (let got = receiveMessageOnPort(port2); got !== undefined; got = receiveMessageOnPort(port2)) {
        sum += (got.message as Int32Array)[0]!;
      }
    }
    return sum;
  };
}
