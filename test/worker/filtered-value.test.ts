import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filteredValue } from '../../src/worker/filtered-value.ts';

const READY = { where: 'type', is: 'Ready', rest: [{ key: 'status' }] };

describe('value of a filtered element', () => {
  for (const [element, value] of [
    ['{"type":"Ready","status":"True"}', 'True'],
    ['{ "status" : "True" , "type" : "Ready" }', 'True'],
    ['{"type":"Ready","status":"a","type":"Other"}', undefined],
    ['{"type":"Other","status":"a","type":"Ready","status":"b"}', 'b'],
    ['{"t\\u0079pe":"R\\u0065ady","status":"\\u00e9"}', 'é'],
    ['{"type":"Ready","status":7.0}', '7'],
    ['{"type":"Ready","status":null}', undefined],
    ['{"type":"Ready","status":{}}', undefined],
    ['{"type":"Ready"}', undefined],
    ['{"type":["Ready"],"status":"True"}', undefined],
    ['{"status":"True"}', undefined],
    ['["Ready"]', undefined],
    ['', undefined],
    ['{"type":"Ready","status":}', undefined],
    ['{"type":"Ready","status":"Tr', undefined],
  ] as [string, string | undefined][]) {
    it(`is ${value ?? 'nothing'} for ${element}`, () => {
      assert.equal(filteredValue(Buffer.from(element), READY), value);
    });
  }

  it('compares numbers and truth values as such, not as text', () => {
    const of = (is: number | boolean) => ({ where: 'a', is, rest: [{ key: 'b' }] });

    assert.equal(filteredValue(Buffer.from('{"a":true,"b":1}'), of(true)), '1');
    assert.equal(filteredValue(Buffer.from('{"a":"true","b":1}'), of(true)), undefined);
    assert.equal(filteredValue(Buffer.from('{"a":1.0,"b":1}'), of(1)), '1');
    assert.equal(filteredValue(Buffer.from('{"a":"1","b":1}'), of(1)), undefined);
  });
});
