import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  ApiClient,
  LeaderElector,
  type LeaderElectorOptions,
  type LeadershipError,
  leaseClient,
} from '../../src/controller/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const LEASE = { namespace: 'shop', name: 'operator' };
const KEY = 'shop/operator';

/** So long that no leader of a test loses its lease because the machine is busy. */
const LONG = { leaseDurationMs: 600_000, renewDeadlineMs: 300_000, retryPeriodMs: 50 };

describe('LeaderElector on an API server', () => {
  let server: FakeApiServer;
  const clients: ApiClient[] = [];
  const stops: AbortController[] = [];
  const runs: Promise<void>[] = [];

  beforeEach(async () => {
    server = await FakeApiServer.start();
  });

  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await Promise.all(runs.splice(0));
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await server.stop();
  });

  it('hands over at once when the leader releases the lease, and both never lead at once', async () => {
    const log: string[] = [];
    const a = stand('a', { ...LONG, ...logged('a', log), releaseOnCancel: true });
    await until('a leads', () => a.elector.isLeader());
    const b = stand('b', { ...LONG, ...logged('b', log), releaseOnCancel: true });
    await until('b has seen a', () => b.elector.leader === 'a');
    await a.stop();
    await until('b leads', () => b.elector.isLeader());

    assert.deepEqual(log, ['a starts', 'a ends', 'b starts']);
    assert.equal(specOf().holderIdentity, 'b');
    assert.equal(specOf().leaseTransitions, 1);
  });

  it('takes over when the lease of a leader that vanished has run out', async () => {
    const durations = { leaseDurationMs: 3_000, renewDeadlineMs: 2_500, retryPeriodMs: 50 };
    const a = stand('a', durations);
    await until('a leads', () => a.elector.isLeader());
    const b = stand('b', durations);
    await until('b has seen a', () => b.elector.leader === 'a');
    await a.stop();
    assert.equal(specOf().holderIdentity, 'a', 'the lease was not released');

    await until('b leads', () => b.elector.isLeader());
    assert.equal(specOf().leaseTransitions, 1);
  });

  it('gives up in time when the server refuses renewals', async () => {
    const a = stand('a', { leaseDurationMs: 600_000, renewDeadlineMs: 500, retryPeriodMs: 50 });
    await until('a leads', () => codeOf(a.elector) !== 'not-leading');
    server.faults.add({ fault: 'status', code: 503, resource: 'leases' });
    await until('a gave up', () => a.elector.signal.aborted);

    assert.equal(a.elector.isLeader(), false);
    assert.equal(codeOf(a.elector), 'overdue');
  });

  it('goes on leading when a connection hangs for a while', async () => {
    const a = stand('a', { leaseDurationMs: 600_000, renewDeadlineMs: 5_000, retryPeriodMs: 50 });
    await until('a leads', () => a.elector.isLeader());
    const fault = server.faults.add({ fault: 'silence', resource: 'leases', times: 1 });
    await until('a renewal hangs', () => server.faults.hits(fault) === 1);
    const { renewTime } = specOf();
    await until('the next one was made', () => specOf().renewTime !== renewTime);

    assert.equal(a.elector.isLeader(), true);
    assert.equal(a.elector.signal.aborted, false);
  });

  it('writes times to the microsecond and keeps all that others wrote', async () => {
    server.create('leases', {
      metadata: { ...LEASE, annotations: { note: 'x' }, labels: { tier: 'y' } },
      spec: {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        leaseTransitions: 41,
        strategy: 'OldestEmulationVersion',
        fieldOfTomorrow: { list: [1, 'a', null] },
      },
    });
    const a = stand('a', LONG);
    await until('a leads', () => a.elector.isLeader());
    const { acquireTime, renewTime } = specOf();
    await until('a renewed', () => specOf().renewTime !== renewTime);

    assert.match(String(acquireTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { renewTime: renewed, ...spec } = specOf();
    assert.match(String(renewed), /\.\d{6}Z$/);
    assert.deepEqual(spec, {
      holderIdentity: 'a',
      leaseDurationSeconds: 600,
      acquireTime,
      leaseTransitions: 42,
      strategy: 'OldestEmulationVersion',
      fieldOfTomorrow: { list: [1, 'a', null] },
    });
    const { annotations, labels } = metadataOf();
    assert.deepEqual({ annotations, labels }, { annotations: { note: 'x' }, labels: { tier: 'y' } });
  });

  function stand(identity: string, options: Partial<LeaderElectorOptions>) {
    const client = new ApiClient(server.kubeConfig());
    clients.push(client);
    const controller = new AbortController();
    stops.push(controller);
    const elector = new LeaderElector(leaseClient(client), {
      lease: LEASE,
      identity,
      onStartedLeading() {},
      ...options,
    });
    const run = elector.run({ signal: controller.signal });
    runs.push(run);
    return {
      elector,
      async stop() {
        controller.abort();
        await run;
      },
    };
  }

  function specOf(): Record<string, unknown> {
    return server.get('leases', KEY)?.spec as Record<string, unknown>;
  }

  function metadataOf(): Record<string, unknown> {
    return server.get('leases', KEY)?.metadata as Record<string, unknown>;
  }
});

function codeOf({ signal }: LeaderElector): string | undefined {
  return (signal.reason as LeadershipError | undefined)?.code;
}

/** Work that takes a moment to end. */
function logged(name: string, log: string[]): Pick<LeaderElectorOptions, 'onStartedLeading'> {
  return {
    async onStartedLeading(signal) {
      log.push(`${name} starts`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise(setImmediate);
      log.push(`${name} ends`);
    },
  };
}
