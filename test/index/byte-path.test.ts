import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BytePath, bytePathOf, parseFieldPath } from '../../src/index/index.ts';
import { Generator } from '../scan/generator.ts';
import { Random, runSeed } from '../scan/random.ts';

const PATHS = [
  'metadata',
  'metadata.labels',
  "metadata.labels['app.kubernetes.io/name']",
  'metadata.ownerReferences[*].uid',
  'metadata.ownerReferences[0].uid',
  'spec.containers[1]',
  'spec.containers[*].name',
  'status.phase',
  "['ключ'].a",
  "['x\"y\\\\z']",
  'keys(metadata.labels)',
  'keys(spec)',
  "spec.containers[?(@.name=='web-0')].env",
];

const DOCUMENTS = 300;

describe('byte path', () => {
  const seed = runSeed('byte path');

  it(`finds in ${DOCUMENTS} random objects what is in them after parsing`, () => {
    for (let n = 0; n < DOCUMENTS; n++) {
      const { text, value } = new Generator(new Random(seed + n), false).object();
      const bytes = Buffer.from(`,${text},{"metadata":1}`);
      for (const path of PATHS) {
        const found = new BytePath(parseFieldPath(path)).texts(bytes, 1, 1 + Buffer.byteLength(text));
        const isKeys = path.startsWith('keys');
        const values = found.map((one) => JSON.parse(one) as unknown);

        const what = `${path} of object ${n} of seed ${seed}: ${text}`;
        assert.deepEqual(isKeys ? [...new Set(values)] : values, follow(value, parseFieldPath(path)), what);
      }
    }
  });

  it('gives the last value of a key that occurs twice, however it is written', () => {
    assert.deepEqual(texts('{"a":1,"a":{"b":2},"\\u0061":{"b":3,"b":4}}', 'a.b'), ['4']);
    assert.deepEqual(texts('{"a":{"b":2},"a":1}', 'a.b'), []);
  });

  it('does not take a longer or an escaped other key for the one it looks for', () => {
    assert.deepEqual(texts('{"ab":1,"a\\\\":2,"a":3,"\\u0062":4}', 'a'), ['3']);
  });

  it('gives numbers as they are written', () => {
    assert.deepEqual(texts('{"n":[9007199254740993,1.0,-0,1e400]}', 'n[*]'), [
      '9007199254740993',
      '1.0',
      '-0',
      '1e400',
    ]);
  });

  it('gives values of an index as the scanner does', () => {
    const path = new BytePath(parseFieldPath('n[*]'));
    const bytes = Buffer.from('{"n":[9007199254740993,1.0,1,true,null,{"a":1},[2],"\\u00e9","é",""]}');

    assert.deepEqual(path.indexValues(bytes, 0, bytes.length), ['9007199254740993', '1', 'true', 'é', '']);
  });

  for (const text of [
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a" 1}',
    '{"b":"x',
    '{"b":{"x":[}',
    '{a:1}',
    '{"b":}',
  ]) {
    it(`says that ${JSON.stringify(text)} is broken, whatever lies behind it`, () => {
      assert.throws(() => texts(text, 'a'), { name: 'JsonBytesError', message: /is broken at byte \d+/ });
    });
  }

  it('is compiled once for the same text', () => {
    assert.equal(bytePathOf('spec.nodeName'), bytePathOf('spec.nodeName'));
    for (let i = 0; i < 1100; i++) bytePathOf(`spec.f${i}`);
    assert.throws(() => bytePathOf('spec..nodeName'), { name: 'FieldPathError', position: 5 });
  });
});

function texts(text: string, path: string): string[] {
  const bytes = Buffer.from(`${text}"}]}}`);
  return new BytePath(parseFieldPath(path)).texts(bytes, 0, Buffer.byteLength(text));
}

function follow(value: unknown, steps: ReturnType<typeof parseFieldPath>): unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if ('keys' in step) return isMap ? Object.keys(value) : [];
  if ('key' in step) {
    return isMap && Object.hasOwn(value, step.key)
      ? follow((value as Record<string, unknown>)[step.key], rest)
      : [];
  }
  if (!Array.isArray(value)) return [];
  if ('at' in step) return step.at < value.length ? follow(value[step.at], rest) : [];
  const isWanted = (element: Record<string, unknown> | null) =>
    'each' in step || (element !== null && element[step.where] === step.is);
  return value.filter(isWanted).flatMap((element) => follow(element, rest));
}
