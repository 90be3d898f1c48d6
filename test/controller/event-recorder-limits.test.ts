import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { named, setUp, WIDGET } from './event-set-up.ts';

describe('EventRecorder', () => {
  describe('counts', () => {
    it('the same event again, with a patch', async () => {
      const { recorder, client, clock } = setUp();
      for (let i = 0; i < 3; i++) {
        recorder.warning(WIDGET, 'Failed', 'no luck');
        await recorder.flush();
        await clock.advance(60_000);
      }

      const { name } = client.created[0]!.metadata;
      assert.equal(client.created.length, 1);
      assert.deepEqual(client.patched, [
        { name: `shop/${name}`, count: 2, lastTimestamp: '2030-01-01T00:01:00Z', message: 'no luck' },
        { name: `shop/${name}`, count: 3, lastTimestamp: '2030-01-01T00:02:00Z', message: 'no luck' },
      ]);
    });

    it('separately what differs in object, part, type, reason or message', async () => {
      const { recorder, client } = setUp();
      const details = { type: 'Normal', reason: 'R', message: 'm' } as const;
      recorder.record(WIDGET, details);
      recorder.record(WIDGET, { ...details, message: 'n' });
      recorder.record(WIDGET, { ...details, reason: 'S' });
      recorder.record(WIDGET, { ...details, type: 'Warning' });
      recorder.record(WIDGET, { ...details, fieldPath: 'spec.parts{a}' });
      recorder.record({ ...WIDGET, metadata: { ...WIDGET.metadata, uid: 'u2' } }, details);
      await recorder.flush();

      assert.equal(client.created.length, 6);
    });

    it('as one event what is the same but for the version of the object', async () => {
      const { recorder, client } = setUp();
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();
      recorder.normal({ ...WIDGET, metadata: { ...WIDGET.metadata, resourceVersion: '8' } }, 'R', 'm');
      await recorder.flush();

      assert.equal(client.created.length, 1);
      assert.equal(client.patched[0]!.count, 2);
    });

    it('on with a new event when the server has forgotten the old one', async () => {
      const { recorder, client } = setUp();
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();
      client.failures.push(404);
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();

      assert.deepEqual(
        client.created.map(({ count }) => count),
        [1, 2],
      );
    });
  });

  describe('combines', () => {
    it('events that differ in their message only, from the tenth different message on', async () => {
      const { recorder, client } = setUp();
      for (let i = 1; i <= 12; i++) recorder.normal(WIDGET, 'R', `message ${i}`);
      await recorder.flush();

      const messages = client.created.map(({ message }) => message);
      assert.deepEqual(messages, [
        ...Array.from({ length: 9 }, (_, i) => `message ${i + 1}`),
        // Merged while it waited.
        '(combined from similar events): message 12',
      ]);
      assert.equal(client.created[9]!.count, 3);
      recorder.normal(WIDGET, 'R', 'message 13');
      await recorder.flush();
      assert.equal(client.patched[0]!.message, '(combined from similar events): message 13');
      assert.equal(client.patched[0]!.count, 4);
    });

    it('nothing of other reasons, types or objects', async () => {
      const { recorder, client } = setUp();
      for (let i = 1; i <= 9; i++) recorder.normal(WIDGET, 'R', `message ${i}`);
      recorder.normal(WIDGET, 'S', 'x');
      recorder.warning(WIDGET, 'R', 'x');
      recorder.normal({ ...WIDGET, metadata: { ...WIDGET.metadata, name: 'v' } }, 'R', 'x');
      await recorder.flush();

      assert.equal(client.created.filter(({ message }) => message === 'x').length, 3);
    });

    it('no more when none came for ten minutes', async () => {
      const { recorder, client, clock } = setUp();
      for (let i = 1; i <= 9; i++) recorder.normal(WIDGET, 'R', `message ${i}`);
      await recorder.flush();
      await clock.advance(600_001);
      recorder.normal(WIDGET, 'R', 'message 10');
      await recorder.flush();

      assert.equal(client.created.at(-1)!.message, 'message 10');
    });
  });

  describe('limits', () => {
    it('what is written about one object to 25 at once and one each five minutes', async () => {
      const { recorder, client, clock } = setUp();
      const record = async () => {
        recorder.normal(WIDGET, 'R', 'm');
        await recorder.flush();
      };
      for (let i = 0; i < 30; i++) await record();
      assert.equal(client.requests, 25);
      assert.equal(recorder.stats().suppressed, 5);
      await clock.advance(299_999);
      await record();
      assert.equal(client.requests, 25);

      await clock.advance(1);
      await record();
      assert.equal(client.requests, 26);
      assert.equal(client.patched.at(-1)!.count, 32, 'what was not written was counted');
      await record();
      assert.equal(client.requests, 26);
    });

    it('each object, and normal events and warnings, for themselves', async () => {
      const { recorder, client } = setUp();
      for (let i = 0; i < 30; i++) recorder.normal(WIDGET, `R${i}`, '');
      recorder.warning(WIDGET, 'R', '');
      recorder.normal({ ...WIDGET, metadata: { ...WIDGET.metadata, uid: 'u2' } }, 'R', '');
      await recorder.flush();

      assert.equal(client.created.length, 27);
    });

    it('what it remembers: an object that was not heard of for 4,096 others is new again', async () => {
      const { recorder, client } = setUp();
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();
      for (let i = 0; i < 4096; i++) {
        recorder.normal({ ...WIDGET, metadata: { name: `w-${i}`, namespace: 'shop' } }, 'R', 'm');
        if (i % 500 === 0) await recorder.flush();
      }
      await recorder.flush();
      recorder.normal(WIDGET, 'R', 'm');
      await recorder.flush();

      assert.equal(client.created.length, 4098);
      assert.equal(client.patched.length, 0);
    });

    it('what waits to 1,000 different events, and reports what is lost', async () => {
      const { recorder, client, errors } = setUp();
      client.isHanging = true;
      // One is on its way, and does not wait.
      for (let i = 0; i < 1003; i++) recorder.normal(named(`w-${i}`), 'R', 'm');

      assert.equal(recorder.stats().waiting, 1000);
      assert.deepEqual(
        errors.map(({ code }) => code),
        ['too-many', 'too-many'],
      );
      assert.match(errors[0]!.message, /event R of Widget shop\/w-1001 is lost/);
      assert.equal(recorder.stats().failed, 2);
    });
  });
});
