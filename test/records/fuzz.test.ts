import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, it } from 'node:test';
import { RECORD_MAX_DEPTH } from '../../src/layout/record.ts';
import { RecordError } from '../../src/records/index.ts';
import { Generator } from '../scan/generator.ts';
import { Random } from '../scan/random.ts';
import { VALID } from './documents.ts';
import { decode, encode, meaningOf, newRecords, type Records } from './harness.ts';

const seed = Number(process.env.RECORDS_SEED ?? 20261130);
const bodies = Number(process.env.RECORDS_BODIES ?? 100_000);

/** Bytes that mean something. */
const TOKENS = Buffer.from('{}[]",:\\u0 1-.eE+tfn\n\0\x7f\x80\xc3\xed\xff/', 'latin1');
const SMALL_TEXTS = VALID.filter((text) => text.length < 300);

describe('records of fuzzed bodies', () => {
  it(`equal what JSON means, or are refused because it means nothing (${bodies} bodies)`, () => {
    console.log(`records fuzz: RECORDS_SEED=${seed} RECORDS_BODIES=${bodies}`);
    const random = new Random(seed);
    let records = newRecords();
    for (let i = 0; i < bodies; i++) {
      // A young dictionary learns other things than an old one.
      if (i % 20_000 === 0) records = newRecords();
      checkBody(records, newBody(random), random.below(1000));
    }
  });

  it('are decoded or found broken when their bytes are changed, and nothing else happens', () => {
    const random = new Random(seed);
    const records = newRecords();
    const good = VALID.filter((text) => text.length < 2000).flatMap((text) =>
      [1, 2, 3].map((tag) => encode(records, text, tag)!),
    );
    for (let i = 0; i < 20_000; i++) {
      const record = Buffer.from(random.pick(good));
      for (let n = random.below(4); n >= 0; n--) record[random.below(record.length)] = random.below(256);
      for (const decoder of records.decoders) {
        decoder.load(record, 0, record.length);
        for (const read of [
          () => decoder.decode(),
          () => decoder.text(),
          () => decoder.valuesAt([{ key: 'a' }]),
        ]) {
          try {
            read();
          } catch (error) {
            if (!(error instanceof RecordError)) throw error;
          }
        }
      }
    }
  });
});

function newBody(random: Random): Buffer {
  const generator = new Generator(random, false, random.chance(20));
  const text = random.chance(30) ? random.pick(SMALL_TEXTS) : generator.value(1 + random.below(3)).text;
  let body: Buffer = Buffer.from(text);
  if (random.chance(50)) return body;
  for (let n = random.below(3); n >= 0; n--) body = changed(body, random);
  return body;
}

function changed(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length + 1);
  const rest = body.subarray(at);
  const token = Buffer.of(random.pick([...TOKENS]));
  switch (random.below(4)) {
    case 0:
      return Buffer.concat([body.subarray(0, at), token, rest]);
    case 1:
      return Buffer.concat([body.subarray(0, at), token, rest.subarray(1)]);
    case 2:
      return Buffer.concat([body.subarray(0, at), rest.subarray(1 + random.below(3))]);
    default:
      return Buffer.concat([body.subarray(0, at), rest.subarray(0, random.below(20)), rest]);
  }
}

function checkBody(records: Records, body: Buffer, tag: number): void {
  const text = body.toString();
  const record = encode(records, body, tag);
  if (records.transcoder.refusal === 'depth') {
    assert.ok(text.split(/[[{]/).length > RECORD_MAX_DEPTH, text);
    return;
  }
  let wanted: unknown;
  let isJson = isUtf8(body);
  try {
    wanted = isJson ? meaningOf(text) : undefined;
  } catch {
    isJson = false;
  }
  if (isJson !== (record !== undefined)) {
    assert.fail(
      `${isJson ? 'refused' : 'taken'}: ${records.transcoder.refusal}: ${JSON.stringify(body.toString('latin1'))}`,
    );
  }
  if (record === undefined) return;
  const json = JSON.stringify(wanted);
  for (const decoder of records.decoders) {
    const value = decode(decoder, record);
    if (JSON.stringify(value) !== json) assert.deepStrictEqual(value, wanted, text);
  }
}
