import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeadershipError } from '../../src/controller/index.ts';
import { setUp, specOf } from './leader-set-up.ts';
import { settle } from './manual-clock.ts';

describe('LeaderElector', () => {
  describe('renews', () => {
    it('each period, without reading the lease first', async () => {
      const { leases, start, elector, clock } = setUp();
      await start();
      await clock.advance(20_000);

      assert.deepEqual(leases.requests, ['get', 'create', ...Array(10).fill('update')]);
      assert.equal(elector.slowPaths, 0);
      assert.equal(specOf(leases).acquireTime, '2030-01-01T00:00:00.000000Z');
      assert.equal(specOf(leases).renewTime, '2030-01-01T00:00:20.000000Z');
    });

    it('after reading when somebody else changed the lease, and keeps what they wrote', async () => {
      const { leases, start, elector, clock } = setUp();
      await start();
      const before = leases.lease!;
      const written = {
        ...before,
        metadata: { ...before.metadata, annotations: { note: 'kept' }, newField: { deep: [1] } },
        spec: { ...before.spec, strategy: 'OldestEmulationVersion', newNumber: 12 },
        newSection: true,
      };
      leases.write(written);
      await clock.advance(2_000);

      assert.deepEqual(leases.requests.slice(2), ['update', 'get', 'update']);
      assert.equal(elector.slowPaths, 1);
      const { metadata, spec, ...rest } = leases.lease!;
      assert.deepEqual(rest, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', newSection: true });
      assert.deepEqual(metadata.annotations, { note: 'kept' });
      assert.deepEqual(metadata.newField, { deep: [1] });
      assert.equal(spec?.strategy, 'OldestEmulationVersion');
      assert.equal(spec?.newNumber, 12);
    });

    it('each time that others wrote to the microsecond, also with more or fewer digits', async () => {
      const { leases, start, clock } = setUp();
      await start();
      for (const acquireTime of ['2029-05-05T05:05:05.123456Z', '2029-05-05T05:05:05.123456789+02:00']) {
        leases.write({ ...leases.lease!, spec: { ...leases.lease!.spec, acquireTime } });
        await clock.advance(2_000);
        assert.equal(specOf(leases).acquireTime, acquireTime);
        assert.match(specOf(leases).renewTime!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      }
    });

    it('a lease that was deleted, by creating it again', async () => {
      const { leases, start, elector, clock } = setUp();
      await start();
      leases.lease = undefined;
      await clock.advance(2_000);

      assert.deepEqual(leases.requests.slice(2), ['update', 'get', 'create']);
      assert.equal(elector.isLeader(), true);
    });

    it('through failures that are shorter than the deadline, and reports them', async () => {
      const { leases, start, elector, errors, clock } = setUp();
      await start();
      leases.faults.push(503, 503, 500, 500, 429, 429);
      await clock.advance(8_000);

      assert.equal(elector.isLeader(), true);
      assert.equal(elector.signal.aborted, false);
      assert.equal(errors.length, 3);
      await clock.advance(20_000);
      assert.equal(elector.isLeader(), true);
    });

    it('in spite of one request that hangs', async () => {
      const { leases, start, elector, clock } = setUp();
      await start();
      leases.faults.push('hang');
      await clock.advance(9_999);

      assert.deepEqual(leases.requests.slice(2, 5), ['update', 'get', 'update']);
      await clock.advance(10_000);
      assert.equal(elector.isLeader(), true);
    });

    it('when its last renewal was made without an answer', async () => {
      const { leases, start, elector, clock } = setUp();
      await start();
      leases.faults.push('lose-answer');
      await clock.advance(30_000);

      assert.equal(elector.isLeader(), true);
      assert.equal(specOf(leases).leaseTransitions, 0);
    });
  });

  describe('loses leadership', () => {
    it('at its deadline, counted from the start of the last renewal that succeeded', async () => {
      const { leases, start, elector, clock, run, log } = setUp();
      await start();
      await clock.advance(4_000);
      const { signal } = elector;
      leases.faults.push(...Array(100).fill(500));
      await clock.advance(9_999);
      assert.equal(elector.isLeader(), true);
      await clock.advance(1);

      assert.equal(elector.isLeader(), false);
      assert.equal((signal.reason as LeadershipError).code, 'overdue');
      assert.equal(elector.signal, signal);
      await run();
      assert.deepEqual(log, ['leader me', 'started', 'stopped']);
      assert.equal(clock.pending, 0);
    });

    it('by the clock when timers are late, before anything else in the process goes on', async () => {
      const { start, elector, clock, run } = setUp();
      await start();
      const answers: boolean[] = [];
      clock.setTimer(0, () => answers.push(elector.isLeader()));
      await clock.pause(10_000);

      assert.deepEqual(answers, [false]);
      assert.equal((elector.signal.reason as LeadershipError).code, 'overdue');
      await run();
    });

    it('as soon as it sees another holder, without waiting for its deadline', async () => {
      const { leases, start, elector, clock, run } = setUp();
      await start();
      leases.write({ ...leases.lease!, spec: { ...leases.lease!.spec, holderIdentity: 'other' } });
      await clock.advance(2_000);

      assert.equal((elector.signal.reason as LeadershipError).code, 'taken');
      assert.match((elector.signal.reason as LeadershipError).message, /held by other/);
      assert.equal(elector.leader, 'other');
      assert.equal(specOf(leases).holderIdentity, 'other');
      await run();
    });

    it('when somebody took its name out of the lease: another may have led meanwhile', async () => {
      const { leases, start, elector, clock, run } = setUp();
      await start();
      leases.write({ ...leases.lease!, spec: { ...leases.lease!.spec, holderIdentity: '' } });
      await clock.advance(2_000);

      assert.equal((elector.signal.reason as LeadershipError).code, 'taken');
      assert.equal(specOf(leases).holderIdentity, '');
      await run();
    });

    it('without releasing the lease: its work may still be at it', async () => {
      const { leases, start, clock, run } = setUp({ releaseOnCancel: true });
      await start();
      leases.faults.push(...Array(20).fill(500));
      await clock.advance(60_000);
      await run();

      assert.equal(specOf(leases).holderIdentity, 'me');
    });

    it('without waiting for work that does not end, and reports how that ends', async () => {
      const work = Promise.withResolvers<void>();
      const { leases, start, clock, run, errors } = setUp({ onStartedLeading: () => work.promise });
      await start();
      leases.faults.push(...Array(100).fill('hang'));
      await clock.advance(10_000);
      await run();
      errors.length = 0;
      work.reject(new Error('too late'));
      await settle();

      assert.deepEqual(
        errors.map((error) => (error as Error).message),
        ['too late'],
      );
    });

    it('and can stand again afterwards', async () => {
      const { leases, start, elector, clock, run, log } = setUp();
      await start();
      leases.faults.push(...Array(30).fill(500));
      await clock.advance(10_000);
      await run();
      leases.faults.length = 0;
      await start();

      assert.equal(elector.isLeader(), true);
      assert.equal(elector.signal.aborted, false);
      assert.deepEqual(log, ['leader me', 'started', 'stopped', 'started']);
    });
  });
});
