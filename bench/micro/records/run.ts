/** All contenders in one process. Prints one JSON line. */
import { DictionaryTable, RecordDecoder, Transcoder } from '../../../src/records/index.ts';
import { makePod, Random } from '../../../src/testing/index.ts';

/** What one process has measured. */
export interface RecordFigures {
  readonly isCompiling: boolean;
  readonly jsonBytes: number;
  readonly recordBytes: number;
  readonly dictionary: { readonly strings: number; readonly shapes: number; readonly textBytes: number };
  /** CPU of the thread in microseconds for each Pod, of each round. */
  readonly cpuUs: Record<string, number[]>;
}

const SAMPLE_MS = 100;
const SEED = { lo: 1, hi: 2 };
const NODE_NAME = [{ key: 'spec' }, { key: 'nodeName' }];

const [pods, rounds] = process.argv.slice(2).map(Number) as [number, number];
const collect = (globalThis as { gc?: () => void }).gc!;

/** Bodies one behind the other in shared memory, as in an arena. */
class Shelf {
  readonly bytes: Buffer;
  readonly begins: number[] = [];
  #end = 0;

  constructor(bytes: number) {
    this.bytes = Buffer.from(new SharedArrayBuffer(bytes));
  }

  /** Where the next body goes. */
  add(lengthBytes: number): number {
    const begin = this.#end;
    this.begins.push(begin);
    this.#end += lengthBytes;
    return begin;
  }

  end(index: number): number {
    return this.begins[index + 1] ?? this.#end;
  }
}

const dictionaries = new DictionaryTable();
const transcoder = new Transcoder({
  worker: 0,
  seed: SEED,
  onEpoch: (_, memory) => dictionaries.add(memory),
});
const decoder = new RecordDecoder(dictionaries);
const texts = new Shelf(pods * 16_384);
const records = new Shelf(pods * 16_384);

fillTexts();
// The first pass teaches the dictionary: what is measured is a cache that runs for a while.
for (let i = 0; i < pods; i++) encode(i);
for (let i = 0; i < pods; i++) {
  const length = encode(i);
  if (length === 0) throw new Error(`Pod ${i} was refused: ${transcoder.refusal}`);
  transcoder.copyTo(records.bytes, records.add(length), length);
}

/** Keeps results alive, so that nothing is optimised away. */
let sink = 0;
const contenders: Record<string, (i: number) => unknown> = {
  'JSON.parse': (i) => JSON.parse(texts.bytes.toString('latin1', texts.begins[i]!, texts.end(i))),
  'decode a record': (i) => {
    load(i);
    return decoder.decode();
  },
  'read spec.nodeName of a record': (i) => {
    load(i);
    return decoder.valuesAt(NODE_NAME);
  },
  'encode a record': encode,
};
const cpuUs = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    collect();
    cpuUs[name]!.push(sample(run));
  }
}
if (sink === 0) throw new Error('nothing was run');
console.log(
  JSON.stringify({
    isCompiling: decoder.isCompiling,
    jsonBytes: texts.end(pods - 1) / pods,
    recordBytes: records.end(pods - 1) / pods,
    dictionary: transcoder.epochs.usage,
    cpuUs,
  } satisfies RecordFigures),
);

function fillTexts(): void {
  const random = new Random(20261130);
  for (let i = 0; i < pods; i++) {
    const pod = makePod(i, random);
    delete (pod.metadata as Record<string, unknown>).managedFields;
    const text = JSON.stringify(pod);
    texts.bytes.write(text, texts.add(text.length), 'latin1');
  }
}

function encode(i: number): number {
  return transcoder.encodeFrom(texts.bytes, texts.begins[i]!, texts.end(i), [], { tag: i });
}

function load(i: number): void {
  decoder.load(records.bytes, records.begins[i]!, records.end(i));
}

/** Microseconds for each Pod, over all Pods as often as a sample takes. */
function sample(run: (i: number) => unknown): number {
  const start = process.threadCpuUsage();
  const startMs = performance.now();
  let count = 0;
  do {
    for (let i = 0; i < pods; i++) if (run(i) !== undefined) sink++;
    count += pods;
  } while (performance.now() - startMs < SAMPLE_MS);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / count;
}
