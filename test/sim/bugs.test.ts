import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUGS, type Bug } from './bugs.ts';
import { type Outcome, shrink, simulate } from './index.ts';

const MAX_SEEDS = 500;

describe('the simulation', () => {
  for (const [name, bug] of Object.entries(BUGS)) {
    it(`finds ${name} within ${MAX_SEEDS} seeds`, async (t) => {
      const failed = await firstFailure(bug);
      assert.ok(failed, `${MAX_SEEDS} seeds did not see it`);
      t.diagnostic(`seed ${failed.seed}: ${failed.failure!.message}`);
    });
  }

  it('shrinks a seed that fails to a few of its steps, which fail again', async (t) => {
    const giveBack = BUGS['a lost tombstone']!();
    try {
      const failed = await firstFailureOf();
      const { outcome, runs } = await shrink(failed!);
      t.diagnostic(`${failed!.steps.length} steps, ${outcome.steps.length} after ${runs} runs`);
      const again = await simulate(failed!.seed, { only: outcome.steps });

      assert.ok(outcome.steps.length < failed!.steps.length / 2);
      assert.equal(again.failure!.message, outcome.failure!.message);
      assert.ok(outcome.trace.some((line) => line.includes('all is well from now on')));
    } finally {
      giveBack();
    }
  });
});

async function firstFailure(bug: Bug): Promise<Outcome | undefined> {
  const giveBack = bug();
  try {
    return await firstFailureOf();
  } finally {
    giveBack();
  }
}

async function firstFailureOf(): Promise<Outcome | undefined> {
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const outcome = await simulate(seed);
    if (outcome.failure !== undefined) return outcome;
  }
  return undefined;
}
