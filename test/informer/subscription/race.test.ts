import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Harness, thing } from '../harness.ts';
import { Subscriber } from './subscriber.ts';

/** Of changes. Enough to fill the small ring many times, few enough for every run. */
const ROUNDS = Number(process.env.SUBSCRIPTION_ROUNDS ?? 5_000);
const SEED = Number(process.env.KUBERING_SEED ?? 20_261_201);
const KEYS = ['a/one', 'a/two', 'a/three', 'b/one', 'b/two'];

describe('subscribers while objects change all the time', () => {
  it(`see each key's changes in order and whole, and end with what the store has (seed ${SEED})`, async () => {
    const harness = new Harness();
    const handle = harness.informer.handle();
    const random = generator(SEED);
    const subscribers = await Promise.all([
      Subscriber.start(handle),
      Subscriber.start(handle, { ringRecords: 64, backlogLimit: 1 }),
      Subscriber.start(handle, { ringRecords: 64, backlogLimit: 4 }),
    ]);
    harness.list([], '1');
    try {
      const live = new Map<string, number>();
      for (let version = 2; version < ROUNDS; version++) {
        const key = KEYS[random() % KEYS.length]!;
        const isDelete = live.has(key) && random() % 4 === 0;
        if (isDelete) harness.deleted(thing(key, version));
        else if (live.has(key)) harness.modified(thing(key, version));
        else harness.added(thing(key, version));
        if (isDelete) live.delete(key);
        else live.set(key, version);
        harness.work();
        if (random() % 16 === 0) await turn();
      }
      const last = [...live].map(([key, version]) => `${key} ${version}`).sort();
      for (const subscriber of subscribers) {
        const isThere = ({ model }: { model: readonly string[] }) => model.join() === last.join();
        const report = await subscriber.until('it has what the store has', isThere);
        assert.deepEqual(report.wrong, []);
      }
      assert.ok(harness.informer.stats.laps > 0, 'the small rings were never full: the race proves little');
    } finally {
      for (const subscriber of subscribers) await subscriber.terminate();
    }
    while (harness.informer.stats.handlers > 0) await turn();
    await turn();
    assert.equal(harness.informer.stats.heldBytes, 0);
    assert.equal(harness.live.size, harness.informer.lister.size);
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** xorshift32 */
function generator(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
