import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyOf, planOf, type Step } from '../../bench/suite/plan.ts';
import { optionsOf, simpleContender } from './suite/fixtures.ts';

const KUBERING = simpleContender('kubering');
const OTHER = simpleContender('other');
const LIST = ['--scenario', 'list', '--objects', '100', '--samples', '2'];

describe('bench plan', () => {
  it('warms up each contender once, then takes the pair that differs in nothing', () => {
    const { steps } = planOf(optionsOf(...LIST).selection, [KUBERING, OTHER]);

    assert.deepEqual(
      steps.filter(({ warmup }) => warmup).map(({ cell }) => cell.contender),
      ['kubering', 'other'],
    );
    const pair = steps.slice(2, 8);
    assert.deepEqual(
      pair.map(({ cell }) => cell.aa),
      ['A', 'B', 'B', 'A', 'A', 'B'],
    );
    assert.ok(pair.every(({ cell }) => cell.contender === 'kubering' && cell.objects === 100));
  });

  it('takes contenders in turns, and backwards in every other round', () => {
    const { steps } = planOf(optionsOf(...LIST).selection, [KUBERING, OTHER]);

    assert.deepEqual(steps.filter(isCounted).map(nameOf), [
      'kubering keys 0',
      'kubering decode-all 0',
      'other keys 0',
      'other keys 1',
      'kubering decode-all 1',
      'kubering keys 1',
    ]);
  });

  it('compares with client-node in each way to read objects, and with the others in one', () => {
    const { selection } = optionsOf('--scenario', 'events', '--objects', '100', '--samples', '1');
    const { steps } = planOf(selection, [KUBERING, simpleContender('client-node'), OTHER]);

    assert.deepEqual(steps.filter(isCounted).map(nameOf), [
      'kubering keys 0',
      'kubering decode-all 0',
      'client-node keys 0',
      'client-node decode-all 0',
      'other keys 0',
    ]);
  });

  it('lists a million with kubering alone, and says so', () => {
    const { selection } = optionsOf('--scenario', 'list', '--objects', '1000k', '--samples', '1');
    const { steps, skipped } = planOf(selection, [KUBERING, OTHER]);

    assert.deepEqual(steps.filter(isCounted).map(nameOf), ['kubering keys 0']);
    assert.deepEqual(
      skipped.map(({ contender, reason }) => `${contender}: ${reason}`),
      ['other: more than 250000 objects are listed by kubering alone'],
    );
  });

  it('says which contender does not know a scenario', () => {
    const { selection } = optionsOf('--scenario', 'mixed', '--objects', '100');
    const { steps, skipped } = planOf(selection, [KUBERING, { ...OTHER, scenarios: ['list'] }]);

    assert.ok(steps.every(({ contender }) => contender === KUBERING));
    assert.deepEqual(skipped, [
      {
        kind: 'skipped',
        contender: 'other',
        scenario: 'mixed',
        objects: 100,
        reason: "other has no scenario 'mixed'",
      },
    ]);
  });

  it('gives each sample a key of its own, so that a resumed run knows which it has', () => {
    const { steps } = planOf(optionsOf('--full').selection, [KUBERING, OTHER]);
    const keys = steps.map(({ cell, sample, warmup }) => keyOf({ ...cell, sample, warmup }));

    assert.equal(new Set(keys).size, keys.length);
  });
});

function isCounted({ warmup, cell }: Step): boolean {
  return !warmup && cell.aa === undefined;
}

function nameOf({ cell, sample }: Step): string {
  return `${cell.contender} ${cell.mode} ${sample}`;
}
