import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const ROOT = new URL('../../', import.meta.url);
const PARITY = readFileSync(new URL('docs/parity.md', ROOT), 'utf8');

/** The items of client-go's tests, and of controller-runtime's, that the page is about. */
const ITEMS = numbers(1, 97);

describe('docs/parity.md', () => {
  it('names tests that exist', () => {
    const tests = [...PARITY.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)];
    assert.ok(tests.length > 50, `only ${tests.length} tests were found`);
    for (const [, file, name] of tests) {
      const source = sourceOf(file!);
      const isThere = ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`));
      assert.ok(isThere, `${file} has no test ${name}`);
    }
  });

  it('names code that exists', () => {
    const symbols = [...PARITY.matchAll(/`(src\/[^`]+\.ts)` `([^`]+)`/g)];
    assert.ok(symbols.length >= 8, `only ${symbols.length} symbols were found`);
    for (const [, file, symbol] of symbols) {
      assert.ok(sourceOf(file!).includes(symbol!), `${file} has no ${symbol}`);
    }
  });

  it('has a row for each item, with a test or a reason', () => {
    const rows = [...PARITY.matchAll(/^\| (\d+) \| (.+) \| (.+) \|$/gm)];
    assert.deepEqual([...new Set(rows.map(([, item]) => Number(item)))], ITEMS);
    for (const [row, , , shownBy] of rows) {
      assert.match(shownBy!, /^(`test\/|does not apply)/, row);
    }
  });

  it('names no test twice in a row', () => {
    for (const row of PARITY.split('\n')) {
      const names = [...row.matchAll(/` "([^"]+)"/g)].map(([, name]) => name);
      assert.equal(new Set(names).size, names.length, row);
    }
  });
});

function sourceOf(file: string): string {
  const url = new URL(file, ROOT);
  assert.ok(existsSync(url), `${file} does not exist`);
  return readFileSync(url, 'utf8');
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
