import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUFFERS_BYTE, OVERRUN_BYTES, RESULT_BYTE, RESULT_RECORD } from '../../src/layout/record-memory.ts';
import { newInstance, transcoderModule } from '../../src/records/module.ts';
import { Random } from '../scan/random.ts';
import { INVALID, VALID } from './documents.ts';

/** Between the buffers, and behind the last one. */
const GUARD_BYTES = 4096;
const HEAD_ROOM_BYTES = 80;
const LARGEST_BYTES = 20_000;

/** Many bytes of record for few of JSON, or much in one of the buffers. */
const WORST = [
  `[${'-0,'.repeat(3000)}-0]`,
  `[${'1e1,'.repeat(3000)}1]`,
  `[${'"\\ud800",'.repeat(1000)}1]`,
  `[${'[],{},'.repeat(1000)}1]`,
  `[${'"",'.repeat(3000)}1]`,
  `{${'"":-0,'.repeat(1000)}"":-0}`,
  `"${'x'.repeat(LARGEST_BYTES - 2)}"`,
  `"${'\\n'.repeat(LARGEST_BYTES / 2 - 1)}"`,
  `["${'x'.repeat(1024)}","${'y'.repeat(1024)}"]`,
  `${'['.repeat(100)}-0${']'.repeat(100)}`,
];

describe('bounds of the transcoder', () => {
  it('writes nowhere but in its regions, whatever it is given', () => {
    const bench = new GuardedTranscoder();
    for (let round = 0; round < 3; round++) {
      for (const text of [...WORST, ...VALID, ...INVALID]) bench.run(Buffer.from(text), round);
    }
  });

  it('writes nowhere else for beginnings and for random bytes', () => {
    const bench = new GuardedTranscoder();
    const random = new Random(20261130);
    for (const text of WORST) {
      for (let i = 0; i < 50; i++) bench.run(Buffer.from(text).subarray(0, random.below(text.length)), i);
    }
    for (let i = 0; i < 1000; i++) {
      const bytes = Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256)));
      bench.run(bytes, i);
      bench.run(Buffer.concat([Buffer.from('["\\'), bytes]), i);
      bench.run(Buffer.concat([Buffer.from('{"a":"'), bytes]), i);
    }
  });

  it('makes the same of the same bytes, whatever lies around them', () => {
    const texts = [...WORST, ...VALID, ...INVALID].map((text) => Buffer.from(text));
    const results = [0x22, 0x7d, 0x5c, 0x30].map((garbage) => {
      const bench = new GuardedTranscoder(garbage);
      return [0, 1, 2].flatMap((round) => texts.map((text) => bench.run(text, round)?.toString('base64')));
    });
    for (const other of results.slice(1)) assert.deepEqual(other, results[0]);
  });
});

/** A transcoder with buffers that fit the input exactly, and guards between them. */
class GuardedTranscoder {
  readonly #wasm = newInstance(transcoderModule());
  readonly #guard: Buffer;

  constructor(garbage = 0xa5) {
    this.#guard = Buffer.alloc(GUARD_BYTES, garbage);
    this.#wasm.memory.grow(20);
    this.#wasm.openEpoch(1);
  }

  /** The record, or undefined when the bytes are refused. Throws when a guard was touched. */
  run(json: Buffer, tag: number): Buffer | undefined {
    if (json.length > LARGEST_BYTES) return undefined;
    const memory = Buffer.from(this.#wasm.memory.buffer);
    memory.fill(this.#guard, BUFFERS_BYTE, BUFFERS_BYTE + 6 * json.length + 8 * GUARD_BYTES);
    const guards: number[] = [];
    let end = BUFFERS_BYTE;
    const place = (bytes: number): number => {
      guards.push(end);
      const start = end + GUARD_BYTES;
      end = start + bytes + OVERRUN_BYTES;
      return start;
    };
    const [input, pool, scratch] = [json.length, json.length, json.length].map(place) as [
      number,
      number,
      number,
    ];
    const structure = place(HEAD_ROOM_BYTES + json.length * 3) + HEAD_ROOM_BYTES;
    guards.push(end);
    json.copy(memory, input);

    const length = this.#wasm.transcode(input, json.length, pool, scratch, structure, tag, 1);

    for (const from of guards) {
      if (this.#guard.equals(memory.subarray(from, from + GUARD_BYTES))) continue;
      assert.fail(`the guard at ${from} was written for ${json.toString('latin1').slice(0, 200)}`);
    }
    assert.ok(json.equals(memory.subarray(input, input + json.length)), 'the input was changed');
    if (length === 0) return undefined;
    const record = memory.readUInt32LE(RESULT_BYTE + RESULT_RECORD * 4);
    assert.ok(record >= structure - HEAD_ROOM_BYTES && record + length <= structure + json.length * 3);
    return Buffer.from(memory.subarray(record, record + length));
  }
}
