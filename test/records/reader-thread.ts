/** Reads the records of threads.test.ts while they are written, and posts a sum over the JSON of each. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { DictionaryTable, epochOf, RecordDecoder } from '../../src/records/index.ts';

const { shelf, lengths, pods, slotBytes } = workerData as {
  shelf: SharedArrayBuffer;
  lengths: Int32Array;
  pods: number;
  slotBytes: number;
};
const port = parentPort!;
const bytes = Buffer.from(shelf);
const dictionaries = new DictionaryTable();
const decoder = new RecordDecoder(dictionaries);
const known = new Set<number>();
const sums: number[] = [];

for (let i = 0; i < pods; i++) {
  for (let published = Atomics.load(lengths, 0); published <= i; published = Atomics.load(lengths, 0)) {
    Atomics.wait(lengths, 0, published);
  }
  const begin = i * slotBytes;
  // An epoch is announced before a record that names it is published, so it must be there.
  if (!known.has(epochOf(bytes, begin))) takeEpochs();
  decoder.load(bytes, begin, begin + lengths[i + 1]!);
  sums.push(sumOf(JSON.stringify(decoder.decode())));
}
port.postMessage(sums);

function takeEpochs(): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const memory = next.message as SharedArrayBuffer;
    known.add(dictionaries.add(memory));
  }
}

function sumOf(text: string): number {
  let sum = text.length;
  for (let i = 0; i < text.length; i += 7) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return sum;
}
