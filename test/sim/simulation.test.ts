import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulate } from './index.ts';

/** Some of what `npm run sim` runs: these have to be quick. */
const SEEDS = 40;

describe('in a simulation', () => {
  it(`caches and handlers end with what the servers have, whatever went wrong on the way (seeds 1 to ${SEEDS})`, async () => {
    let events = 0;
    let requests = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = await simulate(seed);
      events += outcome.events;
      requests += outcome.requests;
      const { failure, trace } = outcome;
      assert.equal(
        failure,
        undefined,
        `npm run sim -- --seed ${seed}: ${failure?.stack}\n${trace.join('\n')}`,
      );
    }
    assert.ok(events > 20 * SEEDS && requests > 5 * SEEDS, `${events} events and ${requests} requests`);
  });

  it('a seed runs the same each time', async () => {
    const [first, second] = [await simulate(7), await simulate(7)];

    assert.deepEqual(second.trace, first.trace);
    assert.equal(second.tasks, first.tasks);
  });
});
