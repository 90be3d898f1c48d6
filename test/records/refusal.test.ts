import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RECORD_MAX_DEPTH } from '../../src/layout/record.ts';
import { INVALID, INVALID_UTF8, VALID } from './documents.ts';
import { decode, encode, newRecords } from './harness.ts';

describe('records: what is refused', () => {
  it('is everything that is no JSON, and says so', () => {
    const records = newRecords();
    for (let round = 0; round < 3; round++) {
      for (const text of INVALID) {
        assert.throws(() => JSON.parse(text), SyntaxError);
        assert.equal(encode(records, text, round), undefined, JSON.stringify(text));
        assert.equal(records.transcoder.refusal, 'syntax', JSON.stringify(text));
      }
    }
    assert.equal(records.transcoder.stats.refused.syntax, INVALID.length * 3);
  });

  it('is every beginning of a document', () => {
    const records = newRecords();
    const texts = VALID.filter((text) => /^[[{"]/.test(text) && text.length < 3000);
    for (let round = 0; round < 2; round++) {
      for (const text of texts) {
        const json = Buffer.from(text);
        for (let length = 0; length < json.length; length++) {
          assert.equal(encode(records, json.subarray(0, length), round), undefined, text.slice(0, length));
        }
      }
    }
  });

  it('is what is not UTF-8, in values and in keys, with and without escapes', () => {
    const records = newRecords();
    for (const bytes of INVALID_UTF8) {
      for (const [before, after] of [
        ['"', '"'],
        ['["a\\n', 'b"]'],
        ['{"', '":1}'],
        ['{"\\n', '":1}'],
        ['"\\ud800', '"'],
      ]) {
        const json = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)]);
        assert.equal(encode(records, json, 1), undefined);
        assert.equal(records.transcoder.refusal, 'utf8', json.toString('hex'));
      }
    }
  });

  it('is raw text that only looks like a known string, which must be written with escapes', () => {
    const records = newRecords();
    for (const tag of [1, 2, 3]) encode(records, '{"a":"say \\"yes\\"","b":"two\\nlines"}', tag);
    assert.ok(records.transcoder.epochs.usage.strings >= 2);
    for (const text of ['{"a":"say "yes""}', '{"b":"two\nlines"}']) {
      assert.equal(encode(records, text, 4), undefined);
      assert.equal(records.transcoder.refusal, 'syntax');
    }
  });

  it('is what is deeper than a hundred levels', () => {
    const records = newRecords();
    for (const depth of [RECORD_MAX_DEPTH + 1, 5000, 1_000_000]) {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ]) {
        if (open!.length * depth > 3_000_000) continue;
        assert.equal(encode(records, open!.repeat(depth) + 1 + close!.repeat(depth), 1), undefined);
        assert.equal(records.transcoder.refusal, 'depth');
      }
    }
  });

  it('is what is longer than four MiB', () => {
    const records = newRecords();
    assert.ok(encode(records, JSON.stringify('x'.repeat(4_194_000)), 1));
    assert.equal(encode(records, JSON.stringify('x'.repeat(4_194_304)), 1), undefined);
    assert.equal(records.transcoder.refusal, 'size');
  });

  it('is a record that would be longer than four MiB', () => {
    const records = newRecords();
    const text = `[${'-0,'.repeat(1_390_000)}1]`;
    assert.ok(text.length < 4 << 20);
    assert.equal(encode(records, text, 1), undefined);
    assert.equal(records.transcoder.refusal, 'size');
  });

  it('does no harm to what comes before and after it', () => {
    const records = newRecords();
    const good = '{"kind":"Pod","metadata":{"name":"a"},"spec":{"nodeName":"node-1"}}';
    const before = encode(records, good, 1)!;
    for (let tag = 2; tag < 30; tag++)
      encode(records, '{"kind":"Pod","metadata":{"name":"a"},"spec":{"nodeName":]', tag);
    const after = encode(records, good, 30)!;
    for (const record of [before, after]) {
      for (const decoder of records.decoders)
        assert.deepStrictEqual(decode(decoder, record), JSON.parse(good));
    }
  });

  it('throws for more bytes than were reserved', () => {
    const { transcoder } = newRecords();
    assert.throws(() => transcoder.encode(1 << 20, { tag: 1 }), RangeError);
  });
});
