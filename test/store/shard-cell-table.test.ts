import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CellTable } from '../../src/store/cell-table.ts';
import { randomOf } from './indexer-support.ts';

const MAX_ROWS = 1 << 12;

describe('cell table', () => {
  it('finds every row of a hash and no other', () => {
    const table = filled([
      [7, 1],
      [7, 2],
      [8, 3],
      [7 + 16, 4],
    ]);

    assert.deepEqual(rowsOf(table, 7).sort(), [1, 2]);
    assert.deepEqual(rowsOf(table, 8), [3]);
    assert.deepEqual(rowsOf(table, 9), []);
  });

  it('takes negative hashes', () => {
    const table = filled([
      [-1, 1],
      [-2147483648, 2],
    ]);

    assert.deepEqual(rowsOf(table, -1), [1]);
    assert.deepEqual(rowsOf(table, -2147483648), [2]);
  });

  it('probes over its end and shifts back over it', () => {
    const table = filled([
      [15, 1],
      [15, 2],
      [14, 3],
      [0, 4],
    ]);

    table.removeAt(table.cellOf(15, 1));
    assert.deepEqual(rowsOf(table, 15), [2]);
    assert.deepEqual(rowsOf(table, 0), [4]);
    table.removeAt(table.cellOf(14, 3));
    assert.deepEqual(rowsOf(table, 15), [2]);
    assert.deepEqual(rowsOf(table, 0), [4]);
  });

  it('reserves memory without touching what readers see', () => {
    const table = filled([[5, 1]]);
    table.reserve(100);

    assert.equal(table.cells, 16);
    assert.deepEqual(rowsOf(table, 5), [1]);
    table.grow(100);
    assert.equal(table.cells, 256);
    assert.deepEqual(rowsOf(table, 5), [1]);
  });

  it('refuses to grow over its limit, and keeps what it has', () => {
    const table = filled([[5, 1]]);

    assert.throws(() => table.reserve(2 * MAX_ROWS), { name: 'IndexerFullError', code: 'INDEXER_FULL' });
    assert.deepEqual(rowsOf(table, 5), [1]);
  });

  for (const seed of [1, 2, 3]) {
    it(`stays like a map of sets through random changes with crowded hashes (seed ${seed})`, () => {
      const random = randomOf(seed);
      const table = new CellTable(MAX_ROWS, 'cells');
      const model = new Map<number, number>();
      for (let step = 0; step < 5000; step++) {
        const row = random(300);
        const hash = model.get(row);
        if (hash === undefined) {
          const fresh = (random(2) === 0 ? random(8) : random(64) << 4) | 0;
          insert(table, fresh, row);
          model.set(row, fresh);
        } else {
          table.removeAt(table.cellOf(hash, row));
          model.delete(row);
        }
      }

      for (const hash of new Set(model.values())) {
        const expected = [...model].filter(([, one]) => one === hash).map(([row]) => row);
        assert.deepEqual(rowsOf(table, hash).sort(), expected.sort());
      }
    });
  }
});

function insert(table: CellTable, hash: number, row: number): void {
  table.reserve(1);
  table.grow(1);
  table.insert(hash, row);
}

function filled(rows: [hash: number, row: number][]): CellTable {
  const table = new CellTable(MAX_ROWS, 'cells');
  for (const [hash, row] of rows) insert(table, hash, row);
  return table;
}

function rowsOf(table: CellTable, hash: number): number[] {
  const rows: number[] = [];
  for (let cell = table.first(hash); cell !== -1; cell = table.next(cell, hash)) rows.push(table.rowAt(cell));
  return rows;
}
