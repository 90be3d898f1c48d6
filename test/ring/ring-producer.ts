/** The producer of the race test: fills the ring as fast as it can, and waits for space by messages. */
import { parentPort, workerData } from 'node:worker_threads';
import { DELTA_WORDS, KIND, SOURCE } from '../../src/layout/ring.ts';
import { openRing, Producer } from '../../src/ring/index.ts';

const producer = new Producer(openRing(workerData.memory, DELTA_WORDS));
let next = 0;

parentPort!.on('message', produce);
produce();

function produce(): void {
  while (next < workerData.count) {
    const word = producer.claim();
    if (word === -1) {
      flush();
      if (producer.waitForSpace()) return;
      continue;
    }
    producer.words[word + KIND] = next;
    producer.words[word + SOURCE] = ~next;
    next++;
    // Batches of changing length, so that sleeping and waiting meet at all positions.
    if (next % 7 === 0 || next % 31 === 0) flush();
  }
  flush();
  parentPort!.close();
}

function flush(): void {
  if (producer.publish()) parentPort!.postMessage('wake');
}
