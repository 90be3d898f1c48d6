/** Decoding of bodies: of JSON as the server sent it, and of records. */
import assert from 'node:assert/strict';
import { DictionaryTable, RecordDecoder, Transcoder } from '../../../src/records/index.ts';
import type { Case } from '../store/measure.ts';
import type { Shape } from './shapes.ts';

const HASH_SEED = { lo: 1, hi: 2 };

export function decodeCases(all: readonly Shape[]): Case[] {
  const dictionaries = new DictionaryTable();
  const transcoder = new Transcoder({
    worker: 0,
    seed: HASH_SEED,
    onEpoch: (_, memory) => dictionaries.add(memory),
  });
  const decoder = new RecordDecoder(dictionaries);
  return all.flatMap(({ name: contender, bodies }) => {
    const records = recordsOf(bodies, transcoder);
    const decode = (record: Buffer): unknown => {
      decoder.load(record, 0, record.length);
      return decoder.decode();
    };
    records.forEach((record, i) => {
      if (record !== undefined) assert.deepEqual(decode(record), JSON.parse(bodies[i]!.toString()));
    });
    const operations = bodies.length;
    const each = (decodeOne: (body: Buffer) => unknown, from: readonly Buffer[]) => () => {
      let count = 0;
      for (const body of from) if (decodeOne(body) !== undefined) count++;
      return count;
    };
    const parse = each((body) => JSON.parse(body.toString()), bodies);
    const cases: Case[] = [{ row: 'decode: JSON.parse of UTF-8', contender, operations, run: parse }];
    const whole = records.filter((record) => record !== undefined);
    if (whole.length < records.length) return cases;
    return [...cases, { row: 'decode: record', contender, operations, run: each(decode, whole) }];
  });
}

/** Twice: the first pass teaches the dictionary, as in a cache that runs for a while. Undefined where it refuses. */
function recordsOf(bodies: readonly Buffer[], transcoder: Transcoder): (Buffer | undefined)[] {
  const encode = (body: Buffer, tag: number) => transcoder.encodeFrom(body, 0, body.length, [], { tag });
  bodies.forEach(encode);
  return bodies.map((body, tag) => {
    const length = encode(body, tag);
    if (length === 0) return undefined;
    const record = Buffer.from(new SharedArrayBuffer(length));
    transcoder.copyTo(record, 0, length);
    return record;
  });
}
