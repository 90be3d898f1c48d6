/** A transcoder and the two decoders, and ways to send JSON through all of them. */
import assert from 'node:assert/strict';
import {
  DictionaryTable,
  RecordDecoder,
  Transcoder,
  type TranscoderOptions,
} from '../../src/records/index.ts';
import { parseJson } from '../scan/json.ts';

export const SEED = { lo: 0x12345678, hi: 0x9abcdef0 };

export interface Records {
  readonly transcoder: Transcoder;
  readonly dictionaries: DictionaryTable;
  /** One that makes code for shapes, and one that does not. */
  readonly decoders: readonly RecordDecoder[];
  /** Epochs that are in memory, by number. */
  readonly epochs: Map<number, SharedArrayBuffer>;
}

export function newRecords(options: Partial<TranscoderOptions> = {}): Records {
  const dictionaries = new DictionaryTable();
  const epochs = new Map<number, SharedArrayBuffer>();
  const transcoder = new Transcoder({
    worker: 3,
    seed: SEED,
    onEpoch(epoch, memory) {
      epochs.set(epoch, memory);
      dictionaries.add(memory);
    },
    onEpochFree(epoch) {
      epochs.delete(epoch);
      dictionaries.delete(epoch);
    },
    ...options,
  });
  const decoders = [true, false].map((compile) => new RecordDecoder(dictionaries, { compile }));
  return { transcoder, dictionaries, decoders, epochs };
}

/** The record of a text, or undefined when it is refused. */
export function encode(
  { transcoder }: Records,
  text: string | Buffer,
  tag: number,
  internValues = true,
): Buffer | undefined {
  const json = Buffer.from(text);
  const length = transcoder.encodeFrom(json, 0, json.length, [], { tag, internValues });
  if (length === 0) return undefined;
  const record = Buffer.alloc(length);
  transcoder.copyTo(record, 0, length);
  return record;
}

export function decode(decoder: RecordDecoder, record: Buffer): unknown {
  decoder.load(record, 0, record.length);
  return decoder.decode();
}

/** What a text means. JSON.parse can't be asked about escaped keys (nodejs/node#63785). */
export function meaningOf(text: string): unknown {
  return text.includes('\\') ? parseJson(text) : JSON.parse(text);
}

/** Sends a text through, and compares what comes out of both decoders with `wanted`, to the order of keys. */
export function checkRoundTrip(records: Records, text: string, tag: number, wanted = meaningOf(text)): void {
  const record = encode(records, text, tag);
  assert.ok(record, `refused: ${records.transcoder.refusal}: ${text.slice(0, 200)}`);
  const json = JSON.stringify(wanted);
  for (const decoder of records.decoders) {
    const value = decode(decoder, record);
    assert.deepStrictEqual(value, wanted);
    assert.equal(JSON.stringify(value), json);
  }
}
