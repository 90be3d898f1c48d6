import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Controller } from '../../src/controller/index.ts';
import { Random } from '../../src/testing/index.ts';
import { type Thing, thing } from '../informer/harness.ts';
import { makeThings } from './controller-set-up.ts';
import { ManualClock } from './manual-clock.ts';

const SEEDS = 30;
const KEYS = 8;
const CHANGES = 150;
const CONCURRENCY = 3;

describe('Controller', () => {
  it(`brings each object to its last state whatever fails, one at a time per key (seeds 1 to ${SEEDS})`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        await simulate(seed);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
});

/** Objects change while reconciles take their time, fail, and write; in the end each was seen in its last state. */
async function simulate(seed: number): Promise<void> {
  const random = new Random(seed);
  const clock = new ManualClock();
  const things = makeThings();
  /** The version that the last successful reconcile of a key saw; '' for an object that was gone. */
  const seen = new Map<string, string>();
  const inside = new Set<string>();
  /** Version of what a reconcile wrote last, by key. */
  const written = new Map<string, number>();
  let version = 200;

  /** What a reconcile throws would only have it called again. */
  const violations: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds) violations.push(what);
  };

  /** Changes that the server has and the cache has not yet: they come in order, after a while. */
  const onTheWay: (() => void)[] = [];
  const change = (kind: 'modified' | 'deleted', object: Thing) => {
    onTheWay.push(() => things[kind](object));
    clock.setTimer(random.below(200), () => {
      for (const arrive of onTheWay.splice(0)) arrive();
      things.work();
    });
  };

  const controller = new Controller<Thing>({
    for: things.informer,
    concurrency: CONCURRENCY,
    queue: seed % 2 === 0 ? 'priority' : 'fifo',
    reconcileTimeoutMs: 400,
    clock,
    reconcile: async ({ key }, { lister, signal, recordWrite, requeueAfter }) => {
      expect(!inside.has(key), `${key} is reconciled twice at a time`);
      expect(inside.size < CONCURRENCY, 'too many at a time');
      inside.add(key);
      try {
        const now = lister.get(key)?.metadata.resourceVersion ?? '';
        const own = written.get(key) ?? 0;
        expect(now === '' || Number(now) >= own, `${key} was read at ${now}, before its own write ${own}`);
        await new Promise<void>((resolve) => clock.setTimer(random.below(600), resolve));
        if (random.chance(0.2)) throw new Error('by chance');
        if (now !== '' && random.chance(0.2) && !signal.aborted) {
          const after = thing(key, ++version);
          written.set(key, version);
          recordWrite({ group: '', version: 'v1', resource: 'things' }, after);
          change('modified', after);
        }
        seen.set(key, now);
        return random.chance(0.1) ? requeueAfter(random.below(300)) : undefined;
      } finally {
        inside.delete(key);
      }
    },
  });
  controller.on('error', () => {});
  const stop = new AbortController();
  const running = controller.run({ signal: stop.signal });

  for (let i = 0; i < CHANGES; i++) {
    const key = `ns/${random.below(KEYS)}`;
    change(random.chance(0.1) ? 'deleted' : 'modified', thing(key, ++version));
    await clock.advance(random.below(80));
  }
  // The longest delay of a key that failed often.
  for (let i = 0; i < 100 && !isAtRest(); i++) await clock.advance(20_000);

  for (let i = 0; i < KEYS; i++) {
    const key = `ns/${i}`;
    const last = things.informer.lister.get(key)?.metadata.resourceVersion ?? '';
    assert.equal(seen.get(key) ?? '', last, key);
  }
  stop.abort();
  await running;
  assert.deepEqual(violations, []);
  assert.equal(inside.size, 0);

  function isAtRest(): boolean {
    const { active, queued, waitingForCache } = controller.stats;
    const isCurrent = [...seen].every(
      ([key, at]) => at === (things.informer.lister.get(key)?.metadata.resourceVersion ?? ''),
    );
    return active + queued + waitingForCache === 0 && isCurrent;
  }
}
