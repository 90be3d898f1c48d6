import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeaseSpec } from '../../src/controller/index.ts';
import { lease, setUp, specOf } from './leader-set-up.ts';

describe('LeaderElector', () => {
  describe('acquires', () => {
    it('a lease that does not exist, by creating it', async () => {
      const { leases, start, elector } = setUp();
      await start();

      assert.deepEqual(leases.requests, ['get', 'create']);
      assert.deepEqual(leases.lease, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'operator', namespace: 'shop', resourceVersion: '101' },
        spec: {
          holderIdentity: 'me',
          leaseDurationSeconds: 15,
          acquireTime: '2030-01-01T00:00:00.000000Z',
          renewTime: '2030-01-01T00:00:00.000000Z',
          leaseTransitions: 0,
        },
      });
      assert.equal(elector.isLeader(), true);
      assert.equal(elector.leader, 'me');
    });

    for (const [what, spec] of [
      ['has no spec', undefined],
      ['has no holder', { leaseTransitions: 3 }],
      ['was released', { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 3 }],
      ['was released in the last second', { holderIdentity: '', leaseDurationSeconds: 3600 }],
    ] as const) {
      it(`a lease that ${what}, at once, and counts a transition`, async () => {
        const { leases, start, elector } = setUp();
        leases.write(lease(spec));
        await start();

        assert.deepEqual(leases.requests, ['get', 'update']);
        assert.equal(
          specOf(leases).leaseTransitions,
          ((spec as LeaseSpec | undefined)?.leaseTransitions ?? 0) + 1,
        );
        assert.equal(elector.isLeader(), true);
      });
    }

    it('the lease of another when it saw it unchanged for its duration, and not before', async () => {
      const { leases, start, elector, clock } = setUp({ random: () => 0 });
      leases.write(lease({ holderIdentity: 'other', leaseDurationSeconds: 30 }));
      await start();
      await clock.advance(29_999);
      assert.equal(elector.isLeader(), false);

      await clock.advance(1);
      assert.equal(elector.isLeader(), true);
      assert.equal(specOf(leases).leaseTransitions, 1);
    });

    it('nothing as long as the other renews, whatever its clock says', async () => {
      const { leases, start, elector, clock } = setUp({ random: () => 0 });
      for (let renewal = 0; renewal < 20; renewal++) {
        // Years ago by its own clock.
        const renewTime = `1999-01-01T00:00:${String(renewal).padStart(2, '0')}.000000Z`;
        leases.write(lease({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime }));
        if (renewal === 0) await start();
        await clock.advance(10_000);
      }

      assert.equal(elector.isLeader(), false);
      assert.equal(elector.leader, 'other');
    });

    it('nothing when only labels of the lease change: that is no renewal', async () => {
      const { leases, start, elector, clock } = setUp({ random: () => 0 });
      const held = lease({ holderIdentity: 'other', leaseDurationSeconds: 15 });
      leases.write(held);
      await start();
      await clock.advance(10_000);
      leases.write({ ...held, metadata: { ...held.metadata, labels: { touched: 'yes' } } });
      await clock.advance(6_000);

      assert.equal(elector.isLeader(), true);
    });

    it('at once what bears its own name', async () => {
      const { leases, start, elector } = setUp();
      const acquireTime = '2029-12-31T23:00:00.123456Z';
      leases.write(
        lease({ holderIdentity: 'me', leaseDurationSeconds: 15, acquireTime, leaseTransitions: 7 }),
      );
      await start();

      assert.equal(elector.isLeader(), true);
      assert.equal(specOf(leases).acquireTime, acquireTime);
      assert.equal(specOf(leases).leaseTransitions, 7);
    });

    it('with tries from one to 2.2 periods apart', async () => {
      let random = 0;
      const { leases, start, clock } = setUp({ random: () => random });
      leases.write(lease({ holderIdentity: 'other', leaseDurationSeconds: 3600 }));
      await start();
      await clock.advance(1_999);
      assert.equal(leases.requests.length, 1);
      random = 0.999_999;
      await clock.advance(1);
      assert.equal(leases.requests.length, 2);

      await clock.advance(4_399);
      assert.equal(leases.requests.length, 2);
      await clock.advance(1);
      assert.equal(leases.requests.length, 3);
    });

    it('at the next try what somebody else took first', async () => {
      const { leases, start, elector, errors, clock } = setUp();
      leases.faults.push(undefined, 409);
      await start();
      assert.equal(elector.isLeader(), false);
      assert.equal(errors.length, 1);

      await clock.advance(4_400);
      assert.equal(elector.isLeader(), true);
    });

    it('at the next try what it got without an answer', async () => {
      const { leases, start, elector, clock } = setUp();
      leases.faults.push(undefined, 'lose-answer');
      await start();
      assert.equal(specOf(leases).holderIdentity, 'me');
      assert.equal(elector.isLeader(), false);

      await clock.advance(10_000);
      assert.equal(elector.isLeader(), true);
      assert.equal(specOf(leases).leaseTransitions, 0);
    });

    it('nothing of an answer that comes when the lease is as good as over', async () => {
      const { leases, start, elector, clock } = setUp();
      const create = leases.create.bind(leases);
      leases.create = async (lease) => {
        const created = await create(lease);
        // The process sleeps from the write to its answer.
        void clock.pause(12_000);
        return created;
      };
      await start();
      assert.equal(elector.isLeader(), false);

      await clock.advance(4_400);
      assert.equal(elector.isLeader(), true, 'and then renews what is still its own');
    });
  });
});
