import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LeaderElector, type LeadershipError } from '../../src/controller/index.ts';
import { FakeLeases } from './fake-leases.ts';
import { LEASE, lease, setUp, specOf } from './leader-set-up.ts';
import { settle } from './manual-clock.ts';

describe('LeaderElector', () => {
  describe('calls', () => {
    it('onNewLeader for each leader that it sees, itself and nobody included', async () => {
      const { leases, start, log, clock } = setUp({ random: () => 0 });
      leases.write(lease({ holderIdentity: 'a', leaseDurationSeconds: 15 }));
      await start();
      leases.write(lease({ holderIdentity: 'b', leaseDurationSeconds: 15 }));
      await clock.advance(2_000);
      await clock.advance(20_000);

      assert.deepEqual(log, ['leader a', 'leader b', 'leader me', 'started']);
    });

    it('onStoppedLeading last, and waits for it', async () => {
      const stopped = Promise.withResolvers<void>();
      const { leases, start, stop, run } = setUp({
        releaseOnCancel: true,
        onStoppedLeading: () => stopped.promise,
      });
      await start();
      stop();
      let isOver = false;
      void run().then(() => {
        isOver = true;
      });
      await settle();
      assert.equal(specOf(leases).holderIdentity, '');
      assert.equal(isOver, false);

      stopped.resolve();
      await settle();
      assert.equal(isOver, true);
    });

    for (const [how, onStartedLeading] of [
      [
        'throws',
        () => {
          throw new Error('broken work');
        },
      ],
      ['rejects', () => Promise.reject(new Error('broken work'))],
    ] as const) {
      it(`nothing any more when the work ${how}: it releases the lease and run rejects`, async () => {
        const { leases, start, elector, run, clock } = setUp({ releaseOnCancel: true, onStartedLeading });
        await start();
        await assert.rejects(run(), /broken work/);

        assert.equal((elector.signal.reason as LeadershipError).code, 'work-failed');
        assert.equal(specOf(leases).holderIdentity, '');
        assert.equal(clock.pending, 0);
      });
    }

    it('work failed when it failed to end, not when it ended as it was told', async () => {
      for (const [error, isFailure] of [
        [new Error('told to stop'), false],
        [new DOMException('aborted', 'AbortError'), false],
        [new Error('the disk is full'), true],
      ] as const) {
        const { start, stop, run } = setUp({
          onStartedLeading: (signal) =>
            new Promise((_, reject) =>
              signal.addEventListener('abort', () =>
                reject(error.message === 'told to stop' ? signal.reason : error),
              ),
            ),
        });
        await start();
        stop();
        if (isFailure) await assert.rejects(run(), error);
        else await run();
      }
    });

    it('nothing that can stop it by throwing', async () => {
      const { leases, start, elector, clock } = setUp({
        onNewLeader: () => {
          throw new Error('bad listener');
        },
        onError: () => {
          throw new Error('bad reporter');
        },
      });
      leases.faults.push(500);
      await start();
      await clock.advance(20_000);

      assert.equal(elector.isLeader(), true);
    });

    it('run once at a time', async () => {
      const { start, elector, stop, run } = setUp();
      await start();
      await assert.rejects(elector.run(), { name: 'UsageError', code: 'KUBERING_USAGE' });
      stop();
      await run();
    });
  });

  describe('is well', () => {
    it('until a lost lease is over for longer than is tolerated', async () => {
      const { leases, start, elector, clock, run } = setUp();
      assert.equal(elector.check(), undefined);
      await start();
      leases.faults.push(...Array(100).fill(500));
      await clock.advance(15_000);
      assert.equal(elector.check(), undefined);
      await clock.advance(5_000);

      assert.equal(elector.check(5_000), undefined);
      assert.equal(elector.check(4_999)?.code, 'overdue');
      assert.match(elector.check()!.message, /shop\/operator/);
      await run();
    });

    it('as long as others lead, and after it was stopped', async () => {
      const { leases, start, stop, elector, clock, run } = setUp();
      leases.write(lease({ holderIdentity: 'other', leaseDurationSeconds: 3600 }));
      await start();
      await clock.advance(60_000);
      assert.equal(elector.check(), undefined);
      leases.write(lease({ holderIdentity: '' }));
      await clock.advance(4_400);
      stop();
      await run();
      await clock.advance(60_000);

      assert.equal(elector.check(), undefined);
    });
  });

  describe('refuses', () => {
    for (const [durations, why] of [
      [{ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }, /leaseDurationMs .* above renewDeadlineMs/],
      [{ renewDeadlineMs: 2_400, retryPeriodMs: 2_000 }, /renewDeadlineMs .* above 1.2 times retryPeriodMs/],
      [{ leaseDurationMs: 0 }, /leaseDurationMs is a number of milliseconds above 0, not 0/],
      [{ renewDeadlineMs: -1 }, /renewDeadlineMs .* not -1/],
      [{ retryPeriodMs: Number.NaN }, /retryPeriodMs .* not NaN/],
      [{ leaseDurationMs: Number.POSITIVE_INFINITY }, /leaseDurationMs .* not Infinity/],
    ] as const) {
      it(`durations that contradict: ${JSON.stringify(durations)}`, () => {
        assert.throws(() => setUp(durations), { name: 'UsageError', code: 'KUBERING_USAGE', message: why });
      });
    }

    it('an empty identity, a lease without a name, and no work', () => {
      assert.throws(() => setUp({ identity: '' }), /identity is empty/);
      assert.throws(() => setUp({ lease: { namespace: 'shop', name: '' } }), /a namespace and a name/);
      assert.throws(() => setUp({ lease: { namespace: '', name: 'x' } }), /a namespace and a name/);
      assert.throws(() => setUp({ onStartedLeading: undefined as never }), /onStartedLeading/);
    });
  });

  it('has a name of its own when it is given none', () => {
    const options = { lease: LEASE, onStartedLeading() {} };
    const [a, b] = [
      new LeaderElector(new FakeLeases(), options),
      new LeaderElector(new FakeLeases(), options),
    ];

    assert.match(a.identity, /^.+_[0-9a-f-]{36}$/);
    assert.notEqual(a.identity, b.identity);
  });

  it('rounds the duration that it writes up, so that nobody takes over too early', async () => {
    const { leases, start } = setUp({ leaseDurationMs: 1_200, renewDeadlineMs: 900, retryPeriodMs: 100 });
    await start();

    assert.equal(specOf(leases).leaseDurationSeconds, 2);
  });
});
