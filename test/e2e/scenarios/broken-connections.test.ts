import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Fault } from '../../../src/testing/index.ts';
import { until } from '../until.ts';
import { SCENES, scenario } from './scene.ts';

/** Bytes of a stream in which the second of two events of a scene ends in its middle. */
const MID_SECOND_EVENT = 3500;

describe('connections that break', { concurrency: SCENES }, () => {
  const breaks: [string, Fault, RegExp][] = [
    [
      'reset in the middle of a line (B14, B17, B34)',
      { fault: 'reset', on: 'watch', afterBytes: MID_SECOND_EVENT, times: 1 },
      /the connection broke: .*(ECONNRESET|closed)/,
    ],
    [
      'reset between two lines (B14)',
      { fault: 'reset', on: 'watch', afterItems: 2, times: 1 },
      /the connection broke/,
    ],
    [
      'closed in the middle of a line (B4)',
      { fault: 'cut', on: 'watch', afterBytes: MID_SECOND_EVENT, times: 1 },
      /the connection broke: .*closed/,
    ],
    ['reset before it answered (B16)', { fault: 'reset', on: 'watch', times: 1 }, /the connection broke/],
  ];
  for (const [what, fault, message] of breaks) {
    scenario(`a watch ${what} goes on where it was`, { existing: ['a'] }, async (scene) => {
      const id = scene.server.faults.add(fault);
      await scene.factory.start();
      scene.create('b');
      scene.update('a');
      scene.create('c');
      scene.delete('b');
      await scene.caughtUp();

      assert.equal(scene.server.faults.hits(id), 1);
      scene.assertErrors(message);
      scene.assertRequests({ lists: 1, watches: 2 });
    });
  }

  scenario(
    'a watch that ends cleanly in the middle of a line gets that event again (B4, B8)',
    {},
    async (scene) => {
      await scene.start();
      scene.server.closeWatches();
      scene.create('b');
      scene.create('c');
      const [b, c] = scene.server
        .list('configmaps')
        .map((object) => JSON.stringify({ type: 'ADDED', object }));
      const body = `${b}\n${c!.slice(0, 600)}`;
      const contentType = 'application/json';
      scene.server.faults.add({ fault: 'status', code: 200, body, contentType, on: 'watch', times: 1 });
      await scene.caughtUp();

      scene.assertErrors(/without an event/, /the stream ends inside an event \(default\/c\)/);
      scene.assertRequests({ lists: 1, watches: 3 });
    },
  );

  scenario(
    'a watch that ends cleanly after some events, each time, is followed by another and no list (B8, B29)',
    {},
    async (scene) => {
      await scene.start();
      for (const name of ['a', 'b', 'c', 'd']) {
        scene.create(name);
        await scene.caughtUp();
        await scene.watchIsOpen();
        scene.server.closeWatches();
        scene.update(name);
      }
      await scene.caughtUp();

      scene.assertErrors();
      scene.assertRequests({ lists: 1, watches: 5 });
    },
  );

  scenario(
    'a watch that ends cleanly at once, again and again, is opened less and less often (B9, B20, B21)',
    {},
    async (scene) => {
      const contentType = 'application/json';
      scene.server.faults.add({ fault: 'status', code: 200, body: '', contentType, on: 'watch', times: 2 });
      await scene.factory.start();
      scene.create('a');
      for (const count of [1, 2]) await scene.failed(count);
      await scene.watchIsOpen();

      scene.assertDelaysGrow();
      for (const { message } of scene.errors)
        assert.match(message, /closed it after 0\.\d s without an event/);
      scene.assertRequests({ lists: 1, watches: 3 });
    },
  );

  scenario(
    'all connections reset at once, as when a server crashes, lose nothing (B2, B20)',
    { existing: ['a', 'b'] },
    async (scene) => {
      await scene.start();
      scene.server.dropConnections('reset');
      scene.update('a');
      scene.delete('b');
      await scene.caughtUp();

      scene.assertErrors(/the connection broke/);
      scene.assertRequests({ lists: 1, watches: 2 });
    },
  );

  scenario(
    'a watch that ends with nothing to tell is followed by no list and no event (B36, B37)',
    { existing: ['a', 'b'] },
    async (scene) => {
      await scene.start();
      scene.server.closeWatches();
      await scene.failed(1);
      await scene.watchIsOpen();

      assert.deepEqual(scene.told.length, 2);
      scene.assertRequests({ lists: 1, watches: 2 });
    },
  );

  scenario(
    'a server that can’t be reached at first is found when it comes up (B16, B22)',
    { relists: true },
    async (scene) => {
      await scene.server.stop();
      const started = scene.factory.start();
      await scene.failed(1);
      await scene.restartServer();
      scene.create('a');
      await started;
      await scene.watchIsOpen();

      scene.assertErrors(
        /no connection: connect ECONNREFUSED 127\.0\.0\.1:\d+; check that the server is up and its URL is right/,
      );
      scene.assertRequests({ lists: 1, watches: 1 });
    },
  );

  scenario(
    'a server that is replaced by another one with the same names is told as deletes and adds (B2, B17, B20, B22)',
    { existing: ['a', 'b'], relists: true },
    async (scene) => {
      await scene.start();
      await scene.restartServer({ resourceVersion: 5000, seed: 8 });
      scene.create('a');
      await until('the relist came', () => scene.informer.lister.size === 1);

      assert.equal(scene.told.length, 5);
      assert.ok(scene.errors.length >= 2);
      scene.assertRequestsAtMost({ lists: 2, watches: 4 });
    },
  );

  scenario(
    'a server that goes away keeps the cache readable (B22)',
    { existing: ['a', 'b'], relists: true },
    async (scene) => {
      await scene.start();
      await scene.server.stop();
      await scene.failed(1);
      assert.equal(scene.informer.lister.size, 2);
      await until('it waits', () => scene.informer.stats.state === 'backingOff');
      assert.equal(scene.informer.hasSynced, true);

      await scene.restartServer({ resourceVersion: 5000 });
      await until('the relist came', () => scene.informer.lister.size === 0);
    },
  );
});
