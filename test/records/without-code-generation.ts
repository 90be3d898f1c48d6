/** Run with `--disallow-code-generation-from-strings`. Says whether records can be read nevertheless. */
import assert from 'node:assert/strict';
import { RecordDecoder } from '../../src/records/index.ts';
import { decode, encode, newRecords } from './harness.ts';

const text = '{"kind":"Pod","metadata":{"name":"a","labels":{"app":"b"}},"spec":{"list":[1,{"x":null}]}}';
const records = newRecords();
const decoder = new RecordDecoder(records.dictionaries);
let equal = 0;
for (let tag = 0; tag < 40; tag++) {
  assert.deepStrictEqual(decode(decoder, encode(records, text, tag)!), JSON.parse(text));
  equal++;
}
console.log(`${decoder.isCompiling ? 'compiling' : 'not compiling'}, ${equal} records are equal`);
