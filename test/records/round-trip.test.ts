import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makePod, Random } from '../../src/testing/index.ts';
import { VALID } from './documents.ts';
import { checkRoundTrip, decode, encode, meaningOf, newRecords } from './harness.ts';

/** More than that many rounds: shapes are compiled on the sixteenth use. */
const ROUNDS = 20;
const PODS = 20_000;

describe('records: what comes out is what went in', () => {
  it('for documents that are hard to get right, while the dictionary learns them and when it knows them', () => {
    const records = newRecords();
    const wanted = VALID.map(meaningOf);
    for (let round = 0; round < ROUNDS; round++) {
      VALID.forEach((text, i) => {
        if (round < 3 || text.length < 2000) checkRoundTrip(records, text, round, wanted[i]);
      });
    }
  });

  it('for the same documents in a dictionary that can hold no more', () => {
    const records = newRecords();
    fillDictionary(records);
    for (let round = 0; round < 3; round++) {
      for (const text of VALID) checkRoundTrip(records, text, round);
    }
  });

  for (const name of wireBodies()) {
    it(`for the capture ${name}, its items and its events`, () => {
      const records = newRecords();
      const texts = textsOf(name);
      for (let round = 0; round < 3; round++) {
        for (const [i, text] of texts.entries()) checkRoundTrip(records, text, i);
      }
    });
  }

  it(`for ${PODS} generated Pods`, () => {
    const records = newRecords();
    const random = new Random(20261130);
    for (let i = 0; i < PODS; i++) {
      const pod = makePod(i, random);
      delete (pod.metadata as Record<string, unknown>).managedFields;
      const text = JSON.stringify(pod);
      const record = encode(records, text, i);
      assert.ok(record);
      for (const decoder of records.decoders) {
        const value = decode(decoder, record);
        // Comparing texts is ten times faster.
        assert.equal(JSON.stringify(value), text);
        if (i % 50 === 0) assert.deepStrictEqual(value, pod);
      }
    }
    const { inputBytes, recordBytes } = records.transcoder.stats;
    assert.ok(recordBytes * 3.5 < inputBytes, `${recordBytes / PODS} bytes a Pod`);
  });

  it('with the numbers as they were received, in the text of a record', () => {
    const records = newRecords();
    for (const text of [
      '{"a":9007199254740993,"b":[1.50,-0,1e400,1E5],"c":123456789012345678901234567890}',
    ]) {
      for (let round = 0; round < 3; round++) {
        const record = encode(records, text, round)!;
        for (const decoder of records.decoders) {
          decoder.load(record, 0, record.length);
          assert.equal(decoder.text(), text);
        }
      }
    }
  });

  it('as text, for every document: keys that occur twice stay twice', () => {
    const records = newRecords();
    for (let round = 0; round < 3; round++) {
      for (const text of VALID) {
        const record = encode(records, text, round)!;
        records.decoders[0]!.load(record, 0, record.length);
        const printed = records.decoders[0]!.text();
        assert.deepStrictEqual(meaningOf(printed), meaningOf(text));
        if (text === '{"a":1,"b":2,"a":3}') assert.equal(printed, text);
      }
    }
  });

  it('without what is cut out', () => {
    const records = newRecords();
    const source = Buffer.from('xx{"a":1,"cut":[1,2],"b":"é","cut":{}}yy');
    const cuts = ['"cut":[1,2],', ',"cut":{}'].flatMap((text) => {
      const at = source.indexOf(text);
      return [at, at + text.length];
    });
    const { transcoder, decoders } = records;
    const length = transcoder.encodeFrom(source, 2, source.length - 2, cuts, { tag: 1 });
    decoders[0]!.load(transcoder.bytes, transcoder.recordStart, transcoder.recordStart + length);
    assert.deepStrictEqual(decoders[0]!.decode(), { a: 1, b: 'é' });
  });
});

function fillDictionary(records: ReturnType<typeof newRecords>): void {
  for (let object = 0; records.transcoder.epochs.usage.strings < 16_384; object++) {
    const values = Array.from({ length: 1000 }, (_, i) => `value ${(object >> 1) * 1000 + i}`);
    assert.ok(encode(records, JSON.stringify(values), object));
  }
}

function wireBodies(): string[] {
  return readdirSync(new URL('../fixtures/wire/', import.meta.url)).filter(
    (name) => name.endsWith('.body') && !/protobuf|cbor/.test(name),
  );
}

/** Whole lists and their items, or the lines of a watch. */
function textsOf(name: string): string[] {
  const raw = readFileSync(new URL(`../fixtures/wire/${name}`, import.meta.url));
  const body = (name.includes('gzip') ? gunzipSync(raw) : raw).toString();
  if (name.startsWith('watch')) return body.split('\n').filter((line) => line !== '');
  if (!body.startsWith('{')) return [];
  const { items } = JSON.parse(body) as { items?: unknown[] };
  return [body, ...(items ?? []).map((item) => JSON.stringify(item))];
}
