import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BytePath, parseFieldPath } from '../../src/index/index.ts';
import { RecordDecoder, RecordError } from '../../src/records/index.ts';
import { makePod, Random } from '../../src/testing/index.ts';
import { VALID } from './documents.ts';
import { decode, encode, meaningOf, newRecords } from './harness.ts';

const PATHS = [
  'metadata.name',
  'metadata.labels',
  "metadata.labels['app.kubernetes.io/name']",
  'keys(metadata.labels)',
  'keys(spec)',
  'metadata.ownerReferences[*].uid',
  'metadata.ownerReferences[?(@.controller==true)].name',
  "spec.containers[?(@.name=='istio-proxy')].image",
  'spec.containers[*].ports[*].containerPort',
  'spec.containers[1].env[0]',
  'spec.nodeName',
  'spec.priority',
  'status.conditions[*].lastProbeTime',
  'status.phase',
  'nothing.of[*].that',
];

describe('RecordDecoder', () => {
  it('reads what a path leads to as the same path does in the JSON', () => {
    const records = newRecords();
    const random = new Random(7);
    for (let i = 0; i < 200; i++) {
      const text = JSON.stringify(makePod(i, random));
      const json = Buffer.from(text);
      const record = encode(records, text, i)!;
      for (const decoder of records.decoders) {
        decoder.load(record, 0, record.length);
        for (const path of PATHS) {
          const steps = parseFieldPath(path);
          const reference = new BytePath(steps);
          const texts = reference.texts(json, 0, json.length);
          assert.deepEqual(decoder.textsAt(steps), texts, path);
          assert.deepEqual(decoder.valuesAt(steps), texts.map(meaningOf), path);
          assert.deepEqual(decoder.indexValuesAt(steps), reference.indexValues(json, 0, json.length), path);
        }
      }
    }
  });

  it('reads the last value of a key that occurs twice, in objects with a shape, with pairs, and with both', () => {
    const records = newRecords();
    const texts = [
      '{"a":{"x":1,"y":[1,2],"x":2}}',
      `{"a":{"x":1,"x":2,${Array.from({ length: 300 }, (_, i) => `"k${i}":"v${i} of many"`).join()}}}`,
      `{"a":{${Array.from({ length: 300 }, (_, i) => `"k${i}":${i}`).join()},"x":{"in":"pairs"},"x":2}}`,
    ];
    for (let round = 0; round < 4; round++) {
      for (const text of texts) {
        const record = encode(records, text, round)!;
        for (const decoder of records.decoders) {
          decoder.load(record, 0, record.length);
          assert.deepEqual(decoder.valuesAt([{ key: 'a' }, { key: 'x' }]), [2]);
          assert.deepEqual(decoder.valuesAt([{ key: 'a' }, { key: 'none' }]), []);
          assert.deepEqual(decoder.valuesAt([{ key: 'x' }]), []);
        }
      }
    }
  });

  it('follows paths through every document', () => {
    const records = newRecords();
    const paths = [
      'a',
      'a[*]',
      'a[3]',
      'metadata.uid',
      'k2999',
      '__proto__',
      'a.__proto__',
      "['']",
      'keys(a)',
    ].map(parseFieldPath);
    for (let round = 0; round < 3; round++) {
      for (const text of VALID.filter((text) => text.startsWith('{'))) {
        const record = encode(records, text, round)!;
        const json = Buffer.from(text);
        const decoder = records.decoders[round % 2]!;
        decoder.load(record, 0, record.length);
        for (const steps of paths) {
          const wanted = new BytePath(steps).texts(json, 0, json.length).map(meaningOf);
          const isKeys = steps.some((step) => 'keys' in step);
          assert.deepEqual(
            decoder.valuesAt(steps),
            isKeys ? [...new Set(wanted)] : wanted,
            text.slice(0, 200),
          );
        }
      }
    }
  });

  it('gives everyone an object of his own', () => {
    const records = newRecords();
    const record = encode(records, '{"a":{"b":[1]}}', 1)!;
    const [one, other] = [decode(records.decoders[0]!, record), decode(records.decoders[0]!, record)] as {
      a: { b: number[] };
    }[];
    one!.a.b.push(2);

    assert.deepEqual(other, { a: { b: [1] } });
  });

  it('works on its copy: what happens to the bytes after `load` does not matter', () => {
    const records = newRecords();
    const record = encode(records, '{"a":"some text that lies in the pool"}', 1)!;
    const decoder = records.decoders[0]!;
    decoder.load(record, 0, record.length);
    record.fill(0xff);

    assert.deepEqual(decoder.decode(), { a: 'some text that lies in the pool' });
  });

  it('throws a RecordError for what is no record, and goes on', () => {
    const records = newRecords();
    const good = encode(records, '{"a":"b"}', 1)!;
    const decoder = records.decoders[0]!;
    const unknownEpoch = Buffer.from(good);
    unknownEpoch.writeUInt32LE(77, 4);
    for (const bad of [
      Buffer.alloc(0),
      Buffer.from('{"a":1,"b":[1,2,3]}'),
      Buffer.alloc(100, 1),
      unknownEpoch,
    ]) {
      assert.throws(() => decode(decoder, bad), { name: 'RecordError', code: 'ERR_RECORD' });
    }
    for (let length = 0; length < good.length; length++) {
      assert.throws(() => decode(decoder, good.subarray(0, length)), RecordError);
    }
    assert.deepEqual(decode(decoder, good), { a: 'b' });
  });

  it('keeps the other strings of its object for none of those of metadata', () => {
    const records = newRecords();
    const decoder = records.decoders[0]!;
    const kept: string[] = [];
    const before = usedHeap();
    for (let i = 0; i < 1000; i++) {
      const uid = `${String(i).padStart(8, '0')}-d9cb-469f-a165-70867728950e`;
      const values = Array.from({ length: 20 }, (_, n) => `${i} ${n} ${'x'.repeat(990)}`);
      const text = JSON.stringify({
        kind: 'Widget',
        metadata: { name: `widget-number-${i}`, uid },
        spec: values,
      });
      const { metadata } = decode(decoder, encode(records, text, i)!) as { metadata: { uid: string } };
      kept.push(metadata.uid);
    }
    const keptBytes = usedHeap() - before;

    assert.equal(kept.length, 1000);
    // With their pools it would be 20 MB.
    assert.ok(keptBytes < 4_000_000, `${keptBytes} bytes are kept for 1000 uids`);
  });

  it('needs no code generation, where there is none', () => {
    const script = fileURLToPath(new URL('./without-code-generation.ts', import.meta.url));
    const output = execFileSync(process.execPath, ['--disallow-code-generation-from-strings', script], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.equal(output.trim(), 'not compiling, 40 records are equal');
  });

  it('makes code where that is allowed', () => {
    assert.equal(new RecordDecoder(newRecords().dictionaries).isCompiling, true);
  });
});

/** Bytes of the heap that are in use after a collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
  return process.memoryUsage().heapUsed;
}
