import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCases } from '../../bench/micro/parts/decode-cases.ts';
import { indexCases } from '../../bench/micro/parts/index-cases.ts';
import { ringCases } from '../../bench/micro/parts/ring-cases.ts';
import { scanCases } from '../../bench/micro/parts/scan-cases.ts';
import { shapes } from '../../bench/micro/parts/shapes.ts';
import type { Case } from '../../bench/micro/store/measure.ts';

const SHAPES = shapes();

describe('micro-benchmarks of parts', () => {
  it('are run on objects of different shapes, and on these in turn', () => {
    const names = SHAPES.map(({ name }) => name);

    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length >= 4);
    const keys = SHAPES.map(({ texts }) => Object.keys(JSON.parse(texts[0]!) as object).join());
    assert.ok(new Set(keys).size >= 3, keys.join(' '));
  });

  for (const [part, cases] of [
    ['scan', scanCases(SHAPES)],
    ['decode', decodeCases(SHAPES)],
  ] as const) {
    it(`of ${part} find every object, each time`, () => {
      for (const { row, contender, operations, run } of cases) {
        assert.equal(run(), operations, `${row}, ${contender}`);
        assert.equal(run(), operations, `${row}, ${contender}`);
      }
    });
  }

  it('of index values and of the ring get the same from all that are compared', () => {
    for (const cases of [indexCases(SHAPES), ringCases()]) {
      for (const [contender, compared] of Map.groupBy(cases, (one: Case) => one.contender)) {
        const answers = new Set(compared.map(({ run }) => run()));

        assert.equal(answers.size, 1, contender);
        assert.ok([...answers][0]! > 0, contender);
      }
    }
  });
});
