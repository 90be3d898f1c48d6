import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  IDENTITY_KEY_AT,
  IDENTITY_KEY_HI,
  IDENTITY_KEY_LENGTH,
  IDENTITY_WORDS,
  IdentityRows,
  type IdentityTable,
} from '../../src/worker/identity-table.ts';

const SHARDS = 4;

describe('identity table', () => {
  it('sorts rows by shard, with their keys', () => {
    const rows = new IdentityRows();
    for (let i = 0; i < 5000; i++) rows.add(i, i * 7, i, i, `namespace-ü/${i}`);
    const table = rows.table(SHARDS);

    assert.deepEqual([...table.starts], [0, 1250, 2500, 3750, 5000]);
    for (let shard = 0; shard < SHARDS; shard++) {
      for (let row = table.starts[shard]!; row < table.starts[shard + 1]!; row++) {
        const at = row * IDENTITY_WORDS;
        assert.equal(table.rows[at + IDENTITY_KEY_HI]! & (SHARDS - 1), shard);
        assert.equal(keyAt(table, at), `namespace-ü/${table.rows[at]}`);
      }
    }
  });

  it('has digests that do not depend on the order, but on which version each key has', () => {
    const one = tableOf([
      [1, 4, 100, 101],
      [2, 8, 200, 201],
    ]);
    const reversed = tableOf([
      [2, 8, 200, 201],
      [1, 4, 100, 101],
    ]);
    const swapped = tableOf([
      [1, 4, 200, 201],
      [2, 8, 100, 101],
    ]);

    assert.deepEqual(one.digests, reversed.digests);
    assert.notDeepEqual(one.digests, swapped.digests);
  });

  it('is empty without objects', () => {
    const { starts, rows, keys, digests } = new IdentityRows().table(2);
    assert.deepEqual([[...starts], rows.length, keys.length, [...digests]], [[0, 0, 0], 0, 0, [0, 0, 0, 0]]);
  });
});

function tableOf(rows: readonly (readonly [number, number, number, number])[]): IdentityTable {
  const collected = new IdentityRows();
  for (const row of rows) collected.add(...row, 'key');
  return collected.table(SHARDS);
}

function keyAt({ rows, keys }: IdentityTable, at: number): string {
  const begin = rows[at + IDENTITY_KEY_AT]!;
  return Buffer.from(keys.subarray(begin, begin + rows[at + IDENTITY_KEY_LENGTH]!)).toString();
}
