import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinTimes } from '../../bench/suite/latency.ts';
import { describeNoise, noiseOf } from '../../bench/suite/noise.ts';
import type { ContenderAnswer } from '../../bench/suite/protocol.ts';
import type { SampleLine } from '../../bench/suite/results.ts';
import { type Expected, problemsOf } from '../../bench/suite/verdict.ts';

const CHURN = { adds: 3, updates: 10, deletes: 2, lastVersion: 1_000_000_035, wallMs: 5 };
const EXPECTED: Expected = {
  scenario: 'mixed',
  listed: 20,
  churn: CHURN,
  truth: { objects: 21, hash: '4711' },
};
const RIGHT: ContenderAnswer = {
  objects: 21,
  hash: '4711',
  adds: 23,
  updates: 10,
  deletes: 2,
  outOfOrder: 0,
  merged: 0,
  errors: [],
};

describe('bench verdict', () => {
  it('is that an answer is right when cache and calls are as the server knows them', () => {
    assert.deepEqual(problemsOf(RIGHT, EXPECTED), []);
  });

  it('does not ask a library to tell adds from updates', () => {
    assert.deepEqual(problemsOf({ ...RIGHT, adds: 0, updates: 33 }, EXPECTED), []);
  });

  for (const [what, flaw] of [
    ['objects in the cache: 20 instead of 21', { objects: 20 }],
    ['hash of keys and resourceVersions: 1 instead of 4711', { hash: '1' }],
    ['adds and updates: 32 instead of 33', { updates: 9 }],
    ['deletes: 3 instead of 2', { deletes: 3 }],
    ['merged events: 1 instead of 0', { merged: 1 }],
    ['events out of order: 1 instead of 0', { outOfOrder: 1 }],
    ['error: no route to host', { errors: ['no route to host'] }],
  ] as const) {
    it(`names what is wrong: ${what}`, () => {
      assert.deepEqual(problemsOf({ ...RIGHT, ...flaw }, EXPECTED), [what]);
    });
  }

  it('lets a slow handler be spared states, and a relist begin with an error and repeat objects', () => {
    const merged = { ...RIGHT, updates: 4, merged: 6 };
    assert.deepEqual(problemsOf(merged, { ...EXPECTED, scenario: 'slow-handler' }), []);
    const relisted = { ...RIGHT, updates: 30, errors: ['410 Gone'] };
    assert.deepEqual(problemsOf(relisted, { ...EXPECTED, scenario: 'relist' }), []);
  });
});

describe('bench latency', () => {
  /** Events 100 to 199, one each millisecond. */
  const sent = pairs(Array.from({ length: 100 }, (_, i) => [100 + i, 5000 + i]));

  it('is told by percentiles of the time between both sides', () => {
    const received = pairs(Array.from({ length: 100 }, (_, i) => [100 + i, 5000 + i + (i < 90 ? 1 : 20)]));
    const { figures, problems } = joinTimes(sent, received);

    assert.deepEqual(problems, []);
    assert.ok(isNear(figures!.p50, 1) && isNear(figures!.p90, 1), JSON.stringify(figures));
    assert.ok(isNear(figures!.p99, 20) && isNear(figures!.max, 20), JSON.stringify(figures));
  });

  it('does not care in which order events were handled, nor what came before them', () => {
    const received = pairs([[99, 1], ...Array.from({ length: 100 }, (_, i) => [199 - i, 5200] as const)]);
    assert.deepEqual(joinTimes(sent, received).problems, []);
  });

  it('is no figure to trust when events are missing, doubled, unknown or early', () => {
    const received = pairs([
      [100, 5001],
      [100, 5001],
      [101, 4000],
      [300, 6000],
    ]);
    assert.deepEqual(joinTimes(sent, received).problems, [
      '1 times are of events that the server did not send',
      '1 events were handled twice',
      '1 events were handled before they were sent: the clocks differ',
      '98 events have no time',
    ]);
  });
});

describe('bench noise', () => {
  it('is how far apart a program is from itself', () => {
    const noise = noiseOf([sampleOf('A', 100), sampleOf('B', 110), sampleOf('B', 130), sampleOf('A', 104)]);

    assert.match(
      describeNoise(noise!),
      /102 and 120 ms, 17.6 % apart; slowest sample 1.30 times the fastest/,
    );
  });

  it('is not known without the pair', () => {
    assert.equal(noiseOf([sampleOf('A', 100)]), undefined);
  });
});

function isNear(value: number, expected: number): boolean {
  // Three significant figures.
  return Math.abs(value / expected - 1) < 0.001;
}

function pairs(values: readonly (readonly [number, number])[]): Float64Array {
  return new Float64Array(values.flat());
}

function sampleOf(aa: 'A' | 'B', wallMs: number): SampleLine {
  return {
    kind: 'sample',
    scenario: 'list',
    contender: 'kubering',
    mode: 'keys',
    objects: 10,
    objectKind: 'pod',
    transport: 'http',
    aa,
    sample: 0,
    warmup: false,
    load: [0, 0],
    busy: false,
    figures: { wallMs, cpuMs: 1, rssMb: 1, rssPeakMb: 1, calls: 10, serverCpuMs: 1 },
    answer: { right: true, problems: [] },
  };
}
