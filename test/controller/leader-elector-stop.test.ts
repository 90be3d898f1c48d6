import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeadershipError } from '../../src/controller/index.ts';
import { lease, setUp, specOf } from './leader-set-up.ts';

describe('LeaderElector', () => {
  describe('stops', () => {
    it('at once when it is stopped before it leads, and says that it does not lead', async () => {
      const { leases, start, stop, elector, clock, run, log } = setUp({ releaseOnCancel: true });
      leases.write(lease({ holderIdentity: 'other', leaseDurationSeconds: 15 }));
      await start();
      assert.equal((elector.signal.reason as LeadershipError).code, 'not-leading');
      stop();
      await run();

      assert.deepEqual(log, ['leader other', 'stopped']);
      assert.equal(specOf(leases).holderIdentity, 'other');
      assert.equal(clock.pending, 0);
    });

    it('without a request when its signal has aborted before', async () => {
      const { leases, start, stop, run, log } = setUp();
      stop();
      await start();
      await run();

      assert.deepEqual(leases.requests, []);
      assert.deepEqual(log, ['stopped']);
    });

    it('with the reason of its signal, and leaves the lease to expire', async () => {
      const { leases, start, stop, elector, clock, run } = setUp();
      await start();
      stop();
      await run();

      assert.equal((elector.signal.reason as Error).message, 'told to stop');
      assert.equal(specOf(leases).holderIdentity, 'me');
      assert.equal(elector.isLeader(), false);
      assert.equal(clock.pending, 0);
    });

    it('by releasing the lease when it may', async () => {
      const { leases, start, stop, clock, run } = setUp({ releaseOnCancel: true });
      leases.write(lease({ holderIdentity: '', leaseTransitions: 4, newField: 1 }));
      await start();
      await clock.advance(1_000);
      stop();
      await run();

      assert.deepEqual(specOf(leases), {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        acquireTime: '2030-01-01T00:00:01.000000Z',
        renewTime: '2030-01-01T00:00:01.000000Z',
        leaseTransitions: 5,
        newField: 1,
      });
      assert.equal(clock.pending, 0);
    });

    it('by renewing until its work has ended, and releasing the lease then', async () => {
      const work = Promise.withResolvers<void>();
      const { leases, start, stop, elector, clock, run } = setUp({
        releaseOnCancel: true,
        onStartedLeading: () => work.promise,
      });
      await start();
      stop();
      assert.equal(elector.signal.aborted, true);
      await clock.advance(60_000);
      assert.equal(elector.isLeader(), true);
      assert.equal(specOf(leases).renewTime, '2030-01-01T00:01:00.000000Z');

      work.resolve();
      await run();
      assert.equal(specOf(leases).holderIdentity, '');
      assert.equal(elector.isLeader(), false);
    });

    it('and breaks off a renewal that hangs', async () => {
      const { leases, start, stop, clock, run } = setUp({ releaseOnCancel: true });
      await start();
      leases.faults.push('hang');
      await clock.advance(2_000);
      stop();
      await run();

      assert.deepEqual(leases.requests.slice(2), ['update', 'get', 'update']);
      assert.equal(specOf(leases).holderIdentity, '');
    });

    it('and tries the release again when its last renewal came in between', async () => {
      const { leases, start, stop, run } = setUp({ releaseOnCancel: true });
      await start();
      leases.faults.push(undefined, 409, undefined, 409);
      stop();
      await run();

      assert.deepEqual(leases.requests.slice(2), ['get', 'update', 'get', 'update', 'get', 'update']);
      assert.equal(specOf(leases).holderIdentity, '');
    });

    it('and releases what it got without an answer', async () => {
      const { leases, start, stop, run, log } = setUp({ releaseOnCancel: true });
      leases.faults.push(undefined, 'lose-answer');
      await start();
      stop();
      await run();

      assert.equal(specOf(leases).holderIdentity, '');
      assert.deepEqual(log, ['stopped']);
    });

    it('and releases nothing that is not its own any more', async () => {
      const { leases, start, stop, run } = setUp({ releaseOnCancel: true });
      await start();
      leases.write(lease({ holderIdentity: 'other', leaseDurationSeconds: 15 }));
      stop();
      await run();

      assert.equal(specOf(leases).holderIdentity, 'other');
    });

    for (const [what, fault] of [
      ['can not be reached', 503],
      ['does not answer', 'hang'],
    ] as const) {
      it(`in bounded time when the server ${what} for the release, and reports it`, async () => {
        const { leases, start, stop, clock, run, errors } = setUp({ releaseOnCancel: true });
        await start();
        leases.faults.push(...Array(10).fill(fault));
        stop();
        await clock.advance(10_000);
        await run();

        assert.equal(errors.length, 1);
        assert.equal(clock.pending, 0);
      });
    }
  });
});
