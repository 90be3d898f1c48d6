import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ControllerOptions, LeadershipError } from '../../src/controller/index.ts';
import { type Harness, type Thing, thing } from '../informer/harness.ts';
import { Gate, makeThings, Recorder, Scene } from './controller-set-up.ts';
import { FakeLeases } from './fake-leases.ts';

const LEASE = { namespace: 'shop', name: 'operator' };

describe('a controller that stands for election', () => {
  let leases: FakeLeases;
  let things: Harness;
  let scene: Scene;

  beforeEach(() => {
    leases = new FakeLeases();
    things = makeThings([thing('ns/a', 1)]);
  });

  afterEach(async () => {
    leases.faults.length = 0;
    await scene.stop();
  });

  async function run(reconcile: Gate['reconcile'] | Recorder['reconcile'], more: object = {}): Promise<void> {
    const options: ControllerOptions<Thing> = { for: things.informer, reconcile, ...more };
    scene = new Scene({
      ...options,
      leaderElection: {
        client: leases,
        lease: LEASE,
        identity: 'me',
        random: () => 0,
        clock: {
          now: () => scene.clock.now(),
          epochMs: () => scene.clock.epochMs(),
          setTimer: (...timer) => scene.clock.setTimer(...timer),
        },
        releaseOnCancel: true,
      },
    });
    await scene.start();
  }

  const holder = () => leases.lease?.spec?.holderIdentity;

  function takenBy(identity: string): void {
    const spec = { ...leases.lease?.spec, holderIdentity: identity, leaseDurationSeconds: 15 };
    leases.write({ ...leases.lease, metadata: LEASE, spec });
  }

  it('reconciles once it leads, and releases the lease when it has stopped', async () => {
    const gate = new Gate();
    await run(gate.reconcile);
    assert.equal(holder(), 'me');
    assert.equal(scene.controller.elector?.isLeader(), true);
    assert.deepEqual(gate.inside, ['ns/a']);
    await scene.stop();
    assert.equal(holder(), 'me', 'a reconcile still runs');

    gate.end('ns/a');
    await scene.rest();
    assert.equal(scene.outcome, 'resolved');
    assert.equal(holder(), '');
    assert.equal(scene.clock.pending, 0);
  });

  it('does nothing while another one leads, not even queue keys, and takes over', async () => {
    takenBy('other');
    const recorder = new Recorder();
    await run(recorder.reconcile);
    await scene.advance(14_000);
    assert.deepEqual(recorder.keys, []);
    assert.equal(things.informer.stats.handlers, 0);
    assert.equal(scene.controller.enqueue('ns/a'), false);

    await scene.advance(4_000);
    assert.deepEqual(recorder.keys, ['ns/a']);
    assert.equal(holder(), 'me');
  });

  it('ends while another one leads', async () => {
    takenBy('other');
    await run(() => assert.fail());
    await scene.stop();

    assert.equal(scene.outcome, 'resolved');
    assert.equal(holder(), 'other');
  });

  for (const code of ['taken', 'overdue'] as const) {
    it(`tells reconciles to end when leadership is lost (${code}), and fails when they have`, async () => {
      const gate = new Gate();
      await run(gate.reconcile);
      if (code === 'taken') takenBy('other');
      else leases.faults.push(...Array.from({ length: 20 }, () => 503));
      await scene.advance(11_000);
      const { signal } = { signal: gate.signals.get('ns/a')! };
      assert.equal((signal.reason as LeadershipError).code, code);
      assert.equal(scene.outcome, undefined, 'one still runs');
      things.added(thing('ns/b', 101));
      things.work();
      await scene.rest();
      assert.deepEqual(gate.begun, ['ns/a'], 'none begins');

      gate.end('ns/a');
      await scene.rest();
      assert.equal(scene.failure, signal.reason);
    });
  }

  it('fails when leadership was lost and a reconcile goes on, when its time is up', async () => {
    const gate = new Gate();
    await run(gate.reconcile, { drainTimeoutMs: 3000 });
    takenBy('other');
    await scene.advance(4900);
    assert.equal(scene.outcome, undefined);

    await scene.advance(200);
    assert.equal(scene.failure.code, 'taken');
  });

  it('keeps the lease when a reconcile goes on after a stop, for as long as it does', async () => {
    const gate = new Gate();
    await run(gate.reconcile, { drainTimeoutMs: 3000 });
    await scene.stop();
    await scene.advance(60_000);
    assert.equal(scene.failure.code, 'KUBERING_DRAIN_TIMEOUT');
    assert.equal(holder(), 'me');

    gate.end('ns/a');
    await scene.rest();
    assert.equal(holder(), '');
  });

  it('tells of requests that fail', async () => {
    leases.faults.push(503);
    await run(new Recorder().reconcile);

    assert.deepEqual(
      scene.errors.map(({ code, key }) => [code, key]),
      [['election-failed', undefined]],
    );
  });
});
