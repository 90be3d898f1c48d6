import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareResourceVersions, isComparable } from '../../src/reflector/index.ts';

describe('compareResourceVersions', () => {
  const inOrder = [
    '',
    '0',
    '1',
    '9',
    '10',
    '99',
    '9007199254740992',
    '9007199254740993',
    '18446744073709551616',
    '99999999999999999999999999999999999999',
    '100000000000000000000000000000000000000',
  ];
  it('orders decimal numbers of any length, without rounding', () => {
    for (const [i, a] of inOrder.entries()) {
      for (const [j, b] of inOrder.entries()) {
        assert.equal(Math.sign(compareResourceVersions(a, b)), Math.sign(i - j), `${a} against ${b}`);
      }
    }
  });

  it('does not count zeros at the front', () => {
    assert.equal(compareResourceVersions('007', '7'), 0);
    assert.equal(compareResourceVersions('000', '0'), 0);
    assert.ok(compareResourceVersions('0008', '7') > 0);
  });

  it('knows what can be compared', () => {
    assert.deepEqual(['12', '0', '', '-1', '1.5', 'abc', '1 '].map(isComparable), [
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
