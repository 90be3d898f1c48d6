import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../src/controller/index.ts';
import { named, setUp, WIDGET } from './event-set-up.ts';
import { FakeApiException } from './fake-leases.ts';

describe('EventRecorder', () => {
  describe('when the server is in trouble', () => {
    it('merges what happens again while it waits', async () => {
      const { recorder, client, clock } = setUp();
      client.failures.push(503);
      recorder.normal(named('first'), 'R', 'm');
      for (let i = 0; i < 20; i++) recorder.normal(WIDGET, 'R', 'm');
      assert.equal(recorder.stats().waiting, 1);
      await clock.advance(10_000);
      await recorder.flush();

      assert.deepEqual(
        client.created.map(({ count }) => count),
        [1, 20],
      );
      assert.equal(client.patched.length, 0);
    });

    it('tries twelve times, first after a random time, then each ten seconds', async () => {
      const { recorder, client, clock, errors } = setUp({ random: () => 0.3 });
      client.failures.push(...Array(12).fill(500));
      recorder.normal(WIDGET, 'R', 'm');
      const times: number[] = [];
      client.onRequest = () => times.push(clock.now());
      await clock.advance(300_000);

      assert.deepEqual(
        times,
        Array.from({ length: 11 }, (_, i) => 3_000 + i * 10_000),
      );
      assert.equal(client.requests, 12);
      assert.equal(errors[0]!.code, 'not-written');
      assert.ok(errors[0]!.cause instanceof FakeApiException);
      recorder.normal(WIDGET, 'R', 'next');
      await recorder.flush();
      assert.equal(client.created.at(-1)!.message, 'next');
    });

    it('waits as long as the server asks for', async () => {
      const { recorder, client, clock } = setUp();
      client.failures.push(
        new ApiError('busy', { code: 'too-many-requests', status: 429, retryAfterMs: 60_000 }),
      );
      recorder.normal(WIDGET, 'R', 'm');
      await clock.advance(59_999);
      assert.equal(client.created.length, 0);
      await clock.advance(1);
      assert.equal(client.created.length, 1);
    });

    it('gives up at once what the server refuses', async () => {
      for (const status of [400, 403, 404, 422]) {
        const { recorder, client, errors } = setUp();
        client.failures.push(status);
        recorder.normal(WIDGET, 'R', 'm');
        await recorder.flush();

        assert.equal(client.requests, 1);
        assert.equal(errors[0]!.code, 'not-written');
        assert.match(errors[0]!.message, /event R of Widget shop\/w was not written: HTTP/);
      }
    });

    it('says that a namespace is being deleted', async () => {
      const { recorder, client, errors } = setUp();
      const causes = ['NamespaceTerminating'];
      client.failures.push(new ApiError('forbidden', { code: 'forbidden', status: 403, causes }));
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();

      assert.match(errors[0]!.message, /its namespace is being deleted/);
    });

    it('takes an event that is there already to be its own, whose answer was lost', async () => {
      const { recorder, client, errors } = setUp();
      client.failures.push(409);
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();

      assert.deepEqual(errors, []);
      assert.equal(recorder.stats().written, 1);
    });

    it('goes on after a request that hangs', async () => {
      const { recorder, client, clock } = setUp();
      client.isHanging = true;
      recorder.normal(WIDGET, 'R', 'm');
      await clock.advance(30_000);
      client.isHanging = false;
      await clock.advance(10_000);

      assert.equal(client.created.length, 1);
      assert.equal(clock.pending, 0);
    });
  });
});
