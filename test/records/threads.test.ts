import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { makePod, Random } from '../../src/testing/index.ts';
import { newRecords, type Records } from './harness.ts';

const PODS = 4000;
const SLOT_BYTES = 8192;

describe('records on several threads', () => {
  it('can be read by another thread as soon as they are published, in every epoch', async () => {
    const shelf = new SharedArrayBuffer(PODS * SLOT_BYTES);
    /** How many are published; then the length of each. */
    const lengths = new Int32Array(new SharedArrayBuffer((PODS + 1) * 4));
    const reader = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData: { shelf, lengths, pods: PODS, slotBytes: SLOT_BYTES },
    });
    try {
      const sums = new Promise<number[]>((resolve, reject) => {
        reader.once('message', resolve);
        reader.once('error', reject);
      });
      const records = newRecords({
        onEpoch: (_, memory) => reader.postMessage(memory),
        recordsPerEpoch: 500,
      });
      const wanted = publishPods(records, Buffer.from(shelf), lengths);

      assert.deepEqual(await sums, wanted);
      assert.ok(records.transcoder.epochs.epoch % 65_536 > 2, 'there were several epochs');
    } finally {
      await reader.terminate();
    }
  });
});

/** What the reader has to find: a sum over the text of each Pod. */
function publishPods({ transcoder }: Records, shelf: Buffer, lengths: Int32Array): number[] {
  const random = new Random(5);
  const wanted: number[] = [];
  for (let i = 0; i < PODS; i++) {
    const pod = makePod(i, random);
    // Maps with many values, so that the dictionary is full soon.
    (pod.metadata as Record<string, unknown>).managedFields = Array.from(
      { length: 60 },
      (_, n) => `v${(i >> 1) * 60 + n}`,
    );
    const text = JSON.stringify(pod);
    const json = Buffer.from(text);
    const length = transcoder.encodeFrom(json, 0, json.length, [], { tag: i });
    transcoder.copyTo(shelf, i * SLOT_BYTES, length);
    transcoder.epochs.hold();
    lengths[i + 1] = length;
    Atomics.store(lengths, 0, i + 1);
    Atomics.notify(lengths, 0);
    wanted.push(sumOf(text));
  }
  return wanted;
}

function sumOf(text: string): number {
  let sum = text.length;
  for (let i = 0; i < text.length; i += 7) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return sum;
}
