import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkGoals, type GoalResult, targetOf } from '../../../bench/report/goals.ts';
import { groupsOf } from '../../../bench/report/groups.ts';
import type { ResultLine } from '../../../bench/suite/results.ts';
import { HEADER, resultsOf, samples, someLines } from './fixtures.ts';

describe('benchmark goals', () => {
  it('are met or missed by the ratio of medians', () => {
    const results = resultOf(someLines());

    assert.deepEqual(brief(results, 'list', 'client-node', 'wallMs'), ['met', '7.00']);
    assert.deepEqual(brief(results, 'list', 'client-node', 'rssMb'), ['missed', '3.80']);
    assert.deepEqual(brief(results, 'events', 'client-node', 'eventsPerSecond'), ['met', '7.50']);
  });

  it('are met or missed by the figure itself, where nobody else has it', () => {
    const list = (stallMaxMs: number) =>
      samples('list', 'kubering', { objects: 100_000, figures: { stallMaxMs } });

    for (const [stallMs, state] of [
      [29, 'met'],
      [31, 'missed'],
    ] as const) {
      assert.deepEqual(brief(resultOf([HEADER, ...list(stallMs)]), 'list', undefined, 'stallMaxMs'), [
        state,
        `${stallMs}.0`,
      ]);
    }
  });

  it('say why they were not measured', () => {
    const results = resultOf(someLines());

    assert.match(said(results, 'list', 'client-go-typed', 'wallMs'), /wrong answer: objects in the cache/);
    assert.match(said(results, 'list', 'kube-rs', 'wallMs'), /kube-rs was skipped: cargo is not installed/);
    assert.match(said(results, 'list', undefined, 'stallMaxMs'), /no such samples/);
  });

  it('are not reached by a wrong answer of kubering', () => {
    const wrong = { right: false, problems: ['a key is missing'] };
    const results = resultOf([
      HEADER,
      ...samples('list', 'kubering', { figures: { wallMs: 1 }, answer: wrong }),
      ...samples('list', 'client-node', { figures: { wallMs: 100 } }),
    ]);

    assert.match(
      said(results, 'list', 'client-node', 'wallMs'),
      /kubering's answer is wrong: a key is missing/,
    );
  });

  it('are told with their rival and unit', () => {
    const targets = resultOf(someLines()).map(({ goal }) => targetOf(goal));

    for (const target of [
      'at least 6 times client-node',
      'at most 6 µs',
      'at most 30 ms',
      'at most 1/4 of client-node',
    ]) {
      assert.ok(targets.includes(target), target);
    }
  });
});

function resultOf(lines: readonly ResultLine[]): GoalResult[] {
  const results = resultsOf(lines);
  return checkGoals(groupsOf(results.samples), results);
}

function find(results: readonly GoalResult[], scenario: string, rival: string | undefined, figure: string) {
  return results.find(({ goal }) => {
    return goal.scenario === scenario && goal.rival === rival && goal.figure === figure;
  })!;
}

function brief(results: readonly GoalResult[], ...which: [string, string | undefined, string]): string[] {
  const { state, said } = find(results, ...which);
  return [state, said.split(' ')[0]!];
}

function said(results: readonly GoalResult[], ...which: [string, string | undefined, string]): string {
  const { state, said } = find(results, ...which);
  assert.equal(state, 'not measured');
  return said;
}
