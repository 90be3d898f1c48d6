import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStructures, MsgpackDecoder, MsgpackEncoder } from '../../src/msgpack/index.ts';

describe('MessagePack bodies', () => {
  it('give back what JSON gives, of 1,000 shapes, to a decoder that was there before and to one that came later', () => {
    const memory = createStructures();
    const encoder = new MsgpackEncoder(memory);
    const early = new MsgpackDecoder(memory);
    const objects = Array.from({ length: 1000 }, (_, i) => shapeOf(i));
    const bodies = objects.map((object) => encoder.encode(object, JSON.stringify(object))!);
    const late = new MsgpackDecoder(memory);
    for (const round of [0, 1, 2, 3, 4]) {
      for (const [i, object] of objects.entries()) {
        assert.deepEqual(early.decode(bodies[i]!), object, `round ${round}`);
        assert.deepEqual(late.decode(bodies[999 - i]!), objects[999 - i]);
      }
    }
  });

  it('learn new shapes between old ones', () => {
    const memory = createStructures();
    const encoder = new MsgpackEncoder(memory);
    const decoder = new MsgpackDecoder(memory);
    for (let i = 0; i < 300; i++) {
      for (const object of [shapeOf(i), shapeOf(i >> 1), shapeOf(0)]) {
        assert.deepEqual(decoder.decode(encoder.encode(object, JSON.stringify(object))!), object);
      }
    }
  });

  it('carry their shapes themselves when there are more than can be numbered, or than there is room for', () => {
    for (const [keyLength, count] of [
      [5, 8500],
      [900, 1300],
    ] as const) {
      const memory = createStructures();
      const encoder = new MsgpackEncoder(memory);
      const decoder = new MsgpackDecoder(memory);
      for (let i = 0; i < count; i++) {
        const object = { [`k${i}`.padEnd(keyLength, '-')]: i, nested: { [`n${i % 50}`]: [i] } };
        assert.deepEqual(decoder.decode(encoder.encode(object, JSON.stringify(object))!), object);
      }
    }
  });

  it('are not made of what only JSON can hold', () => {
    const encoder = new MsgpackEncoder(createStructures());
    for (const json of [
      '{"n":9007199254740993}',
      '{"n":[1, -9007199254740993]}',
      '{"n":0.12345678901234567}',
      '{"n":1e400}',
      '{"n":-0}',
      '{"n":-0.0}',
      '{"__proto__":{"a":1}}',
      '{"\\u005f_proto__":{"a":1}}',
      '{"__keys__":1}',
      '{"s":"\\ud800"}',
    ]) {
      assert.equal(encoder.encode(JSON.parse(json) as object, json), undefined, json);
    }
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    assert.equal(encoder.encode(JSON.parse(deep) as object, deep), undefined);
  });

  it('hold every other value and key', () => {
    const memory = createStructures();
    const encoder = new MsgpackEncoder(memory);
    const decoder = new MsgpackDecoder(memory);
    const object = {
      '': '',
      0: 'zero',
      constructor: 1,
      toString: null,
      'a b': true,
      text: 'é😀'.repeat(100),
      long: 'x'.repeat(70_000),
      numbers: [0, -1, 1.5, 4_294_967_296, -2_147_483_649, 123_456_789_012_345, 1e21, 0.1],
      empty: [{}, [], ''],
    };
    const json = JSON.stringify(object);
    for (let i = 0; i < 5; i++)
      assert.equal(JSON.stringify(decoder.decode(encoder.encode(object, json)!)), json);
  });
});

/** No two of them have the same keys. */
function shapeOf(i: number): object {
  const metadata = { name: `o${i}`, labels: { [`label-${i}`]: 'x' } };
  return { kind: 'Thing', metadata, [`field${i}`]: { [`a${i % 7}`]: i, list: [{ [`b${i % 13}`]: null }] } };
}
