import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFieldPath } from '../../src/index/index.ts';
import { keptPaths } from '../../src/list-watch/kept-paths.ts';

describe('keptPaths', () => {
  const keptOf = (json: string, ...paths: string[]) =>
    JSON.stringify(
      keptPaths(
        JSON.parse(json) as object,
        paths.map((path) => parseFieldPath(path)),
      ),
    );

  // As the scanner does with bytes: test/scan/program.test.ts has the same cases.
  for (const [json, expected, ...paths] of [
    ['{"a":1,"k":2,"b":3}', '{"k":2}', 'k'],
    ['{"a":1,"b":3}', '{}', 'k'],
    ['{"o":{"a":1,"k":{"a":1},"b":2},"a":1}', '{"o":{"k":{"a":1}}}', 'o.k'],
    ['{"l":[{"x":1,"y":2},{"y":4},7,[{"y":5}]],"y":1}', '{"l":[{"x":1},{},7,[{"y":5}]]}', 'l[*].x'],
    ['{"l":{"x":1,"y":2}}', '{"l":{}}', 'l[*].x'],
    ['{"o":[{"k":1,"a":2}]}', '{"o":[{"k":1,"a":2}]}', 'o.k'],
    ['{"o":null,"p":7}', '{"o":null}', 'o.k', 'o.l'],
    ['{"o":{"a":1},"p":{"b":1}}', '{"o":{"a":1}}', 'o', 'o.k'],
    ['{"__proto__":{"x":1,"y":2}}', '{"__proto__":{"x":1}}', '__proto__.x'],
    ['{"a":1}', '{"a":1}'],
  ] as [string, string, ...string[]][]) {
    it(`keeps ${paths.join(', ') || 'all'} of ${json}`, () => {
      assert.equal(keptOf(json, ...paths), expected);
    });
  }

  it('leaves the object itself as it was, and shares what is kept whole', () => {
    const object = { a: { b: { c: 1 }, d: 2 } };
    const less = keptPaths(object, [parseFieldPath('a.b')]) as typeof object;

    assert.equal(less.a.b, object.a.b);
    assert.equal(object.a.d, 2);
  });
});
