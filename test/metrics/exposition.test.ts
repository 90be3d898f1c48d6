import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePage } from './exposition.ts';

describe('the reader of pages that tests use', () => {
  it('reads names, labels with escapes, and values', () => {
    const page = '# HELP a_total what\n# TYPE a_total counter\na_total{x="q\\"\\\\\\n",y=""} 1.5e+3\n\n';

    assert.deepEqual(parsePage(page), [
      {
        name: 'a_total',
        help: 'what',
        type: 'counter',
        samples: [{ name: 'a_total', labels: { x: 'q"\\\n', y: '' }, value: 1500 }],
      },
    ]);
  });

  const gauge = '# HELP a what\n# TYPE a gauge\n';
  const histogram = '# HELP h what\n# TYPE h histogram\n';
  for (const [what, page] of [
    ['a page without an end', `${gauge}a 1`],
    ['a sample without a type', 'a 1\n'],
    ['a sample of another metric', `${gauge}b 1\n`],
    ['a sample twice', `${gauge}a{x="1"} 1\na{x="1"} 2\n`],
    ['a metric twice', `${gauge}a 1\n${gauge}a 1\n`],
    ['a label that is not closed', `${gauge}a{x="1} 1\n`],
    ['a label twice', `${gauge}a{x="1",x="2"} 1\n`],
    ['a value that is no number', `${gauge}a one\n`],
    ['a counter without _total', '# HELP a what\n# TYPE a counter\na 1\n'],
    ['a histogram without +Inf', `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
    [
      'a histogram whose buckets fall',
      `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    ],
    ['a histogram without a sum', `${histogram}h_bucket{le="+Inf"} 1\nh_count 1\n`],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parsePage(page));
    });
  }
});
