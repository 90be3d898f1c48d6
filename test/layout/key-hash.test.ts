import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashBytes, hashKey, type KeyHash } from '../../src/layout/key-hash.ts';

const SEED = { lo: 0x03020100, hi: 0x07060504 };

describe('key hash', () => {
  it('gives the results of HalfSipHash-1-3 that another implementation gives', () => {
    // Computed with a separate 64-bit-result HalfSipHash-1-3 in Python, for the key 00 01 … 07.
    for (const [key, lo, hi] of KNOWN) assert.deepEqual(hash(key), { lo, hi }, JSON.stringify(key));
  });

  it('is the same for a string and for its UTF-8 bytes, whatever the length', () => {
    for (const key of ['', 'a', 'ab', 'abc', 'abcd', 'default/web-0', 'ns/naïve-名前', 'x'.repeat(300)]) {
      const bytes = Buffer.from(`__${key}__`);
      const out = { lo: 0, hi: 0 };
      hashBytes(bytes, 2, bytes.length - 2, SEED, out);

      assert.deepEqual(out, hash(key), key);
    }
  });

  it('depends on the seed', () => {
    const other = { lo: 0, hi: 0 };
    hashKey('default/web-0', { lo: 1, hi: 2 }, other);

    assert.notDeepEqual(other, hash('default/web-0'));
  });
});

function hash(key: string): KeyHash {
  const out = { lo: 0, hi: 0 };
  hashKey(key, SEED, out);
  return out;
}

const KNOWN: [string, number, number][] = [
  ['', 0x21d0a576, 0x2af72023],
  ['a', 0x137d5e4a, 0xbef33530],
  ['abc', 0x5696a191, 0x0672223d],
  ['abcd', 0x228dd8e8, 0xbed663d3],
  ['default/web-0', 0x707812ed, 0x6d2fbda9],
  ['ns/naïve-名前', 0xdf38e3c6, 0x4c8e93a7],
];
