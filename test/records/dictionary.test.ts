import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DICTIONARY_BYTES,
  DICTIONARY_MAX_SHAPES,
  DICTIONARY_TEXT_BYTE,
} from '../../src/layout/record-dictionary.ts';
import { DictionaryTable, epochOf, isRecord, RecordDecoder, RecordError } from '../../src/records/index.ts';
import { decode, encode, newRecords, type Records } from './harness.ts';

describe('the dictionary of records', () => {
  it('takes a string when a second object has it', () => {
    const records = newRecords();
    encode(records, '{"a":"shared value"}', 1);
    assert.ok(!holds(records, 'shared value'));
    encode(records, '{"b":"shared value"}', 2);

    assert.ok(holds(records, 'shared value'));
  });

  it('takes no string that only one object has, however often', () => {
    const records = newRecords();
    for (let version = 0; version < 10; version++) encode(records, '{"a":"its own","b":"its own"}', 1);

    assert.ok(!holds(records, 'its own'));
    assert.equal(records.transcoder.epochs.usage.strings, 0);
  });

  it('takes no times, uids and digests', () => {
    const records = newRecords();
    const values = {
      time: '2026-11-30T09:14:03Z',
      microTime: '2026-11-30T09:14:03.123456Z',
      uid: '0f8fad5b-d9cb-469f-a165-70867728950e',
      container: `containerd://${'0123456789abcdef'.repeat(4)}`,
      image: `example.com/app@sha256:${'0123456789abcdef'.repeat(4)}`,
      digest: '0123456789ABCDEF'.repeat(2),
      word: 'a word',
    };
    for (let tag = 0; tag < 5; tag++) encode(records, JSON.stringify(values), tag);

    assert.deepEqual(
      Object.values(values).filter((value) => holds(records, value)),
      ['a word'],
    );
  });

  it('takes nothing of the values of secrets, but may name what it knows from elsewhere', () => {
    const records = newRecords();
    const secret = '{"kind":"Secret","data":{"password":"aHVudGVyMg=="},"type":"Opaque"}';
    for (let tag = 0; tag < 5; tag++) encode(records, secret, tag, false);
    assert.ok(!holds(records, 'aHVudGVyMg=='));
    assert.ok(!holds(records, 'Opaque'));
    assert.ok(holds(records, 'password'), 'keys are no secrets');

    for (let tag = 0; tag < 2; tag++) encode(records, '{"type":"Opaque"}', tag);
    assert.ok(holds(records, 'Opaque'));
    const record = encode(records, secret, 9, false)!;
    assert.ok(!holds(records, 'aHVudGVyMg=='));
    assert.deepStrictEqual(decode(records.decoders[0]!, record), JSON.parse(secret));
  });

  it('does not count the values of secrets as seen, so that no other object makes them known', () => {
    const records = newRecords();
    for (let tag = 0; tag < 3; tag++) encode(records, '{"data":{"password":"in a secret"}}', tag, false);
    encode(records, '{"leaked":"in a secret"}', 10);

    assert.ok(!holds(records, 'in a secret'));
  });

  it('keeps long values out', () => {
    const records = newRecords();
    const [fits, isTooLong] = ['x'.repeat(96), 'y'.repeat(97)];
    for (let tag = 0; tag < 3; tag++) encode(records, JSON.stringify([fits, isTooLong]), tag);

    assert.ok(holds(records, fits!));
    assert.ok(!holds(records, isTooLong!));
  });

  it('makes records small from the third object on, of which two had the same keys and values', () => {
    const records = newRecords();
    const text =
      '{"apiVersion":"example.com/v1","kind":"Widget","spec":{"size":"medium","color":"green","on":[{"of":1}]}}';
    const lengths = [1, 2, 3, 4].map((tag) => encode(records, text, tag)!.length);

    assert.ok(lengths[0]! > text.length * 0.7, `${lengths}`);
    assert.ok(lengths[2]! < 45, `${lengths}`);
    assert.equal(lengths[3], lengths[2]);
  });

  it('begins an epoch when one is full, and frees one when none of its records is held', () => {
    const freed: number[] = [];
    const records = newRecords({ recordsPerEpoch: 10, onEpochFree: (epoch) => freed.push(epoch) });
    const { epochs } = records.transcoder;
    const first = epochs.epoch;
    const record = encode(records, '{"a":1}', 1)!;
    assert.equal(epochOf(record, 0), first);
    epochs.hold();
    fill(records, 0);
    encode(records, '{"a":1}', 2);
    const second = epochs.epoch;
    assert.equal(second, first + 1);
    assert.equal(epochs.epochs, 2);

    epochs.release(first);
    assert.deepEqual(freed, [first]);
    assert.throws(() => epochs.release(first), /released twice/);

    fill(records, 1);
    encode(records, '{"a":1}', 3);
    assert.deepEqual(freed, [first, second]);
    assert.equal(epochs.epochs, 1);
  });

  it('opens no more epochs while a few records hold too many, and goes on when one is freed', () => {
    const records = newRecords({ recordsPerEpoch: 1 });
    const { epochs } = records.transcoder;
    const held: number[] = [];
    for (let epoch = 0; epoch < 12; epoch++) {
      encode(records, '{"a":1}', 1);
      epochs.hold();
      held.push(epochs.epoch);
      fill(records, epoch);
    }
    assert.equal(epochs.epochs, 8);
    assert.ok(encode(records, '{"written":"out"}', 1));
    assert.equal(epochs.hasSparse, true);
    assert.equal(epochs.isSparse(epochs.epoch - 1), false);
    assert.equal(epochs.isSparse(held[0]!), true);

    epochs.release(held[0]!);
    const full = epochs.epoch;
    encode(records, '{"a":1}', 1);
    assert.equal(epochs.epoch, full + 1);
    assert.equal(epochs.epochs, 8);
  });

  it('reads records of all epochs, in any order', () => {
    const records = newRecords({ recordsPerEpoch: 10 });
    const text = '{"kind":"Widget","metadata":{"name":"a"},"spec":{"color":"green"}}';
    const made: Buffer[] = [];
    for (let epoch = 0; epoch < 3; epoch++) {
      for (let tag = 0; tag < 30; tag++) {
        made.push(encode(records, text, tag)!);
        records.transcoder.epochs.hold();
      }
      fill(records, epoch);
    }
    assert.equal(new Set(made.map((record) => epochOf(record, 0))).size, 3);

    for (const decoder of records.decoders) {
      for (let i = 0; i < made.length; i++) {
        assert.deepStrictEqual(decode(decoder, made[(i * 37) % made.length]!), JSON.parse(text));
      }
    }
  });

  it('learns no more strings, and goes on, while it is full and its epoch is young', () => {
    const records = newRecords({ recordsPerEpoch: 1_000_000 });
    fill(records, 0);
    const { strings } = records.transcoder.epochs.usage;
    for (let tag = 0; tag < 5; tag++) assert.ok(encode(records, '{"new":"and unknown"}', tag));

    assert.equal(records.transcoder.epochs.usage.strings, strings);
    assert.ok(!holds(records, 'and unknown'));
    assert.equal(records.transcoder.epochs.epochs, 1);
  });

  it('can be filled with long keys and strings, and goes on with pairs and text', () => {
    const records = newRecords({ recordsPerEpoch: 1_000_000 });
    const capacityBytes = DICTIONARY_BYTES - DICTIONARY_TEXT_BYTE;
    for (let object = 0; object < 200; object++) {
      const keys = Array.from({ length: 50 }, (_, i) => `${object >> 1} ${i} ${'k'.repeat(380)}`);
      const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, key.slice(0, 96)])));
      const record = encode(records, text, object)!;
      for (const decoder of records.decoders) assert.equal(JSON.stringify(decode(decoder, record)), text);
    }
    const { textBytes } = records.transcoder.epochs.usage;
    assert.ok(textBytes > capacityBytes - 1000 && textBytes <= capacityBytes);
  });

  it('can be filled with shapes, and goes on with pairs', () => {
    const records = newRecords({ recordsPerEpoch: 1_000_000 });
    for (let object = 0; object < 400; object++) {
      const keys = Array.from({ length: 100 }, (_, i) => `k${object >> 1} ${i}`);
      const text = JSON.stringify(Object.fromEntries(keys.map((key, i) => [key, i])));
      const record = encode(records, text, object)!;
      for (const decoder of records.decoders) assert.equal(JSON.stringify(decode(decoder, record)), text);
    }
    assert.equal(records.transcoder.epochs.usage.shapes, DICTIONARY_MAX_SHAPES);
  });

  it('numbers epochs so that workers do not collide', () => {
    const a = newRecords({ worker: 1 });
    const b = newRecords({ worker: 2 });
    const table = new DictionaryTable();
    for (const { epochs } of [a, b]) for (const memory of epochs.values()) table.add(memory);
    const decoder = new RecordDecoder(table);
    const texts = ['{"of":"the first worker"}', '{"from":"the second one"}'];
    const records = [a, b].map(
      (worker, i) => [1, 2, 3].map((tag) => encode(worker, texts[i]!, tag)!).at(-1)!,
    );
    for (let i = 0; i < 4; i++)
      assert.deepStrictEqual(decode(decoder, records[i % 2]!), JSON.parse(texts[i % 2]!));

    for (const epoch of table.ofWorker(1)) table.delete(epoch);
    assert.throws(() => decode(decoder, records[0]!), RecordError);
    assert.deepStrictEqual(decode(decoder, records[1]!), JSON.parse(texts[1]!));
  });

  it('is not taken from memory that is none', () => {
    const table = new DictionaryTable();
    assert.throws(() => table.add(new SharedArrayBuffer(64)), { code: 'ERR_RECORD' });
    assert.throws(() => table.add(new SharedArrayBuffer(2 << 20)), { code: 'ERR_RECORD' });
  });

  it('tells records from JSON by their first byte', () => {
    const record = encode(newRecords(), '{}', 1)!;
    assert.ok(isRecord(record, 0));
    for (const text of ['{}', ' {}', '[]', '"', '1', '\n']) assert.ok(!isRecord(Buffer.from(text), 0));
  });
});

/** Whether any epoch has this text. */
function holds({ epochs }: Records, text: string): boolean {
  return [...epochs.values()].some((memory) => Buffer.from(memory).includes(text));
}

/** Fills the current epoch, of which no room is left behind. */
function fill(records: Records, salt: number): void {
  const { epochs } = records.transcoder;
  const { epoch } = epochs;
  for (let object = 0; epochs.epoch === epoch && epochs.usage.strings < 16_384; object++) {
    const values = Array.from({ length: 1000 }, (_, i) => `${salt} value ${(object >> 1) * 1000 + i}`);
    assert.ok(encode(records, JSON.stringify(values), object));
  }
  // One more than fits, so that it is known to be full.
  for (let tag = 0; tag < 2; tag++) encode(records, `["${salt} one more"]`, tag);
}
