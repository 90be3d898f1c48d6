import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { microTime } from '../../src/controller/leader-election/micro-time.ts';

describe('microTime', () => {
  for (const [epochMs, text] of [
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.001000Z'],
    [Date.UTC(2030, 11, 31, 23, 59, 59, 999), '2030-12-31T23:59:59.999000Z'],
    [Date.UTC(2030, 0, 1) + 0.001, '2030-01-01T00:00:00.000001Z'],
    [Date.UTC(2030, 0, 1) + 0.25, '2030-01-01T00:00:00.000250Z'],
    [Date.UTC(2030, 0, 1) + 0.9999, '2030-01-01T00:00:00.001000Z'],
    [-0.001, '1969-12-31T23:59:59.999999Z'],
  ] as const) {
    it(`writes six digits: ${text}`, () => {
      assert.equal(microTime(epochMs), text);
    });
  }
});
