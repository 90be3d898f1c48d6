import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApiClient,
  type CoreEvent,
  type EventError,
  EventRecorder,
  eventClient,
} from '../../src/controller/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { setUp, WIDGET } from './event-set-up.ts';
import { FakeApiException } from './fake-leases.ts';
import { settle } from './manual-clock.ts';

describe('EventRecorder', () => {
  it('writes an event of the core group about an object', async () => {
    const { recorder, client } = setUp({ host: 'pod-1' });
    const annotations = { note: 'x' };
    recorder.record(WIDGET, { type: 'Normal', reason: 'Created', message: 'made it', annotations });
    await recorder.flush();

    assert.deepEqual(client.created, [
      {
        apiVersion: 'v1',
        kind: 'Event',
        // 2030-01-01 in nanoseconds.
        metadata: { name: 'w.1a46e83335d50000', namespace: 'shop', annotations },
        involvedObject: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          name: 'w',
          namespace: 'shop',
          uid: 'u1',
          resourceVersion: '7',
        },
        type: 'Normal',
        reason: 'Created',
        message: 'made it',
        count: 1,
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:00:00Z',
        source: { component: 'operator', host: 'pod-1' },
        reportingComponent: 'operator',
        reportingInstance: 'pod-1',
      },
    ]);
  });

  it('writes events about objects in no namespace to the default one', async () => {
    const { recorder, client } = setUp();
    recorder.normal({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }, 'Seen', '');
    await recorder.flush();

    assert.equal(client.created[0]!.metadata.namespace, 'default');
    assert.equal('namespace' in client.created[0]!.involvedObject, false);
  });

  it('gives different events different names, also within a millisecond', async () => {
    const { recorder, client } = setUp();
    for (const reason of ['A', 'B', 'C']) recorder.normal(WIDGET, reason, '');
    await recorder.flush();

    assert.equal(new Set(client.created.map(({ metadata }) => metadata.name)).size, 3);
  });

  it('makes a name of its own where the object has one that no event may have', async () => {
    const { recorder, client } = setUp();
    for (const name of ['system:node', 'A', 'a'.repeat(253)]) {
      recorder.normal({ ...WIDGET, metadata: { name } }, 'Seen', '');
    }
    await recorder.flush();

    for (const { metadata } of client.created) assert.match(metadata.name, /^[0-9a-f-]{36}$/);
  });

  it('cuts messages that are too long, and no character in two', async () => {
    const { recorder, client } = setUp();
    recorder.normal(WIDGET, 'Long', `${'x'.repeat(1022)}😀${'y'.repeat(100)}`);
    await recorder.flush();

    const { message } = client.created[0]!;
    assert.equal(message.length, 1024);
    assert.ok(message.isWellFormed());
    assert.match(message, /x\ufffd…$/);
  });

  describe('never throws', () => {
    for (const [what, object, details] of [
      ['no object', undefined, { type: 'Normal', reason: 'R', message: 'm' }],
      ['an object without a name', { apiVersion: 'v1', kind: 'Pod' }, { type: 'Normal', reason: 'R' }],
      [
        'an object without a kind',
        { apiVersion: 'v1', metadata: { name: 'a' } },
        { type: 'Normal', reason: 'R' },
      ],
      ['an unknown type', WIDGET, { type: 'Error', reason: 'R', message: 'm' }],
      ['no reason', WIDGET, { type: 'Normal', reason: '', message: 'm' }],
      ['no message', WIDGET, { type: 'Normal', reason: 'R' }],
      ['no details', WIDGET, undefined],
    ] as const) {
      it(`for ${what}, and reports it`, () => {
        const { recorder, client, errors } = setUp();
        recorder.record(object as never, details as never);

        assert.equal(errors[0]!.code, 'bad-event');
        assert.equal(recorder.stats().failed, 1);
        assert.equal(client.requests, 0);
      });
    }

    it('for somebody who throws when told of an error, or a client that throws at once', async () => {
      const { recorder, client } = setUp({
        onError: () => {
          throw new Error('bad reporter');
        },
      });
      recorder.record(undefined as never, undefined as never);
      client.create = () => {
        throw new FakeApiException(400);
      };
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();

      assert.equal(recorder.stats().failed, 2);
    });

    it('but for a recorder without a name', () => {
      assert.throws(() => setUp({ component: '' }), TypeError);
    });
  });

  describe('flushes', () => {
    it('at once when nothing waits', async () => {
      await setUp().recorder.flush();
    });

    it('what was recorded before, and not what comes later', async () => {
      const { recorder, client } = setUp();
      recorder.normal(WIDGET, 'A', '');
      const flushed = recorder.flush();
      client.onRequest = () => {
        client.isHanging = true;
      };
      recorder.normal(WIDGET, 'B', '');
      await flushed;

      assert.deepEqual(
        client.created.map(({ reason }) => reason),
        ['A'],
      );
    });
  });

  describe('closes', () => {
    it('when what waits is written, and records nothing more', async () => {
      const { recorder, client, errors, clock } = setUp();
      recorder.normal(WIDGET, 'A', '');
      recorder.normal(WIDGET, 'B', '');
      await recorder.close();
      recorder.normal(WIDGET, 'C', '');

      assert.equal(client.created.length, 2);
      assert.equal(errors[0]!.code, 'closed');
      assert.equal(clock.pending, 0);
    });

    it('after one more try of each, without waiting in between', async () => {
      const { recorder, client, errors, clock } = setUp();
      client.failures.push(500, 500, 500, 500);
      recorder.normal(WIDGET, 'A', '');
      recorder.normal(WIDGET, 'B', '');
      await settle();
      await recorder.close();

      assert.equal(client.requests, 3);
      assert.equal(errors.length, 2);
      assert.equal(clock.pending, 0);
    });

    it('in five seconds when the server does not answer', async () => {
      const { recorder, client, errors, clock } = setUp();
      client.isHanging = true;
      for (let i = 0; i < 10; i++) recorder.normal(WIDGET, `R${i}`, '');
      const closed = recorder.close();
      await clock.advance(5_000);
      await closed;

      assert.equal(errors.length, 10);
      assert.equal(clock.pending, 0);
    });
  });

  it('works on an API server', async () => {
    const server = await FakeApiServer.start();
    const api = new ApiClient(server.kubeConfig());
    const errors: EventError[] = [];
    const recorder = new EventRecorder(eventClient(api), {
      component: 'operator',
      onError: (error) => errors.push(error),
    });
    try {
      recorder.warning(WIDGET, 'Failed', 'no luck');
      await recorder.flush();
      recorder.warning(WIDGET, 'Failed', 'no luck');
      await recorder.close();

      assert.deepEqual(errors, []);
      const [event, ...others] = server.list('events') as unknown as CoreEvent[];
      assert.equal(others.length, 0);
      assert.equal(event!.count, 2);
      assert.equal(event!.involvedObject.name, 'w');
      assert.deepEqual(
        server.requests.map(({ method, status }) => `${method} ${status}`),
        ['POST 201', 'PATCH 200'],
      );
    } finally {
      await api.close();
      await server.stop();
    }
  });
});
