import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Random } from '../../src/testing/random.ts';
import { Harness, thing } from './harness.ts';

const OBJECTS = 20_000;
const ROUNDS = 20;
const CHANGES = 2000;

describe('a handler that waits for a gate, on 20,000 objects under churn', () => {
  for (const concurrency of ['serial', 'per-key'] as const) {
    it(`${concurrency} - has a bounded backlog, delays nobody, and ends with the last state of each`, async () => {
      const random = new Random(7);
      const harness = new Harness();
      const versions = new Map<string, number>();
      let version = 1;
      const gate = gateAt(harness, 60_000);
      const gated = new Map<string, number>();
      const registration = harness.informer.addEventHandler(
        {
          async onEvent(event) {
            await gate;
            keep(gated, event);
          },
        },
        { concurrency },
      );
      const prompt = new Map<string, number>();
      harness.informer.addEventHandler({ onEvent: (event) => keep(prompt, event) });
      harness.list(
        Array.from({ length: OBJECTS }, (_, i) => {
          versions.set(`a/n${i}`, 1);
          return thing(`a/n${i}`, 1);
        }),
        '1',
      );
      harness.work();

      let deleted = 0;
      let most = 0;
      for (let round = 0; round < ROUNDS; round++) {
        for (let i = 0; i < CHANGES; i++) {
          const key = `a/n${random.below(OBJECTS + 500)}`;
          const changed = thing(key, ++version);
          if (!versions.has(key)) harness.added(changed);
          else if (random.chance(0.1)) {
            harness.deleted(changed);
            versions.delete(key);
            deleted++;
            continue;
          } else harness.modified(changed);
          versions.set(key, version);
        }
        harness.work();
        harness.clock.advance(1000);
        assertSame(prompt, versions);
        most = Math.max(most, registration.backlog);
      }
      assert.ok(deleted > 500);
      assert.equal(gated.size, 0, 'the gate is still closed');
      // One event for each key, and two where an object was deleted and another one came.
      assert.ok(most <= 2 * (OBJECTS + 500), `${most} events waited`);
      assert.ok(registration.laps > 10_000, `${registration.laps} were merged`);
      assert.equal(harness.informer.stats.backlog, registration.backlog);
      assert.ok(harness.live.size <= 3 * (OBJECTS + 500), `${harness.live.size} blocks`);

      harness.clock.advance(60_000);
      while (registration.backlog > 0) await turn();
      for (let i = 0; i < 5; i++) await turn();
      assertSame(gated, versions);
      assert.equal(registration.errors, 0);
      assert.equal(harness.live.size, versions.size);
      assert.equal(harness.informer.stats.heldBytes, 0);
    });
  }
});

/** Opens when the test's clock says so. */
function gateAt(harness: Harness, ms: number): Promise<void> {
  return new Promise((resolve) => {
    harness.clock.setTimer(ms, resolve);
  });
}

function keep(
  states: Map<string, number>,
  event: { type: string; key: string; resourceVersion: string },
): void {
  if (event.type === 'delete') {
    assert.ok(states.delete(event.key), `${event.key} was deleted, and never seen`);
  } else {
    assert.equal(states.has(event.key), event.type === 'update', `${event.type} of ${event.key}`);
    states.set(event.key, Number(event.resourceVersion));
  }
}

function assertSame(states: ReadonlyMap<string, number>, versions: ReadonlyMap<string, number>): void {
  assert.equal(states.size, versions.size);
  for (const [key, version] of versions) {
    if (states.get(key) !== version) assert.fail(`${key} is at ${states.get(key)}, not ${version}`);
  }
}
