import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { until } from '../until.ts';
import { SCENES, scenario } from './scene.ts';
import { textOf } from './story.ts';

const relists = { relists: true };

describe('410 and relists', { concurrency: SCENES }, () => {
  for (const tooOldAs of ['status', 'event'] as const) {
    scenario(
      `410 as ${tooOldAs}: one list tells what changed meanwhile (B10, B26, B27, B31)`,
      { ...relists, server: { tooOldAs }, existing: ['changed', 'gone', 'same'] },
      async (scene) => {
        await scene.start();
        const before = scene.told.length;
        scene.server.closeWatches();
        scene.update('changed');
        scene.update('changed');
        scene.delete('gone');
        scene.create('new');
        scene.server.compact();
        await scene.caughtUp();
        await scene.watchIsOpen();

        const told = scene.told.slice(before).map(({ type, key }) => `${type} ${key}`);
        assert.deepEqual(told.sort(), ['add default/new', 'delete default/gone', 'update default/changed']);
        scene.assertErrors(/without an event/, /the server says 410: /);
        scene.assertRequests({ lists: 2, watches: 3 });
      },
    );
  }

  scenario(
    '410 in an open watch: what came before it counts, the rest comes by a list (B27, B30)',
    relists,
    async (scene) => {
      scene.server.faults.add({ fault: 'error-event', code: 410, on: 'watch', afterItems: 2, times: 1 });
      await scene.factory.start();
      for (const name of ['a', 'b', 'c', 'd']) scene.create(name);
      await scene.caughtUp();
      await scene.watchIsOpen();

      scene.assertErrors(/the server says 410: injected fault 410; trying again now/);
      scene.assertRequests({ lists: 2, watches: 2 });
    },
  );

  scenario(
    '410 in each watch that was accepted: lists come less and less often (B30)',
    relists,
    async (scene) => {
      scene.server.faults.add({ fault: 'error-event', code: 410, on: 'watch', afterItems: 0, times: 2 });
      await scene.start();
      for (const count of [1, 2]) {
        scene.create(`n${count}`);
        await scene.failed(count);
        await until('the next watch is asked for', () => scene.requests('watch') === count + 1);
        await scene.watchIsOpen();
      }

      scene.assertDelaysGrow();
      scene.assertRequests({ lists: 3, watches: 3 });
    },
  );

  scenario(
    '410 for every resourceVersion: lists come less and less often, nothing grows (B25, B26)',
    { ...relists, existing: ['a', 'b'] },
    async (scene) => {
      scene.server.faults.add({ fault: 'status', code: 410, on: 'watch' });
      await scene.factory.start();
      const { sharedBytes } = scene.factory.stats;
      for (const count of [1, 2, 3]) await scene.failed(count);

      scene.assertDelaysGrow();
      assert.equal(scene.told.length, 2);
      assert.equal(scene.factory.stats.sharedBytes, sharedBytes);
      await until('it waits', () => scene.informer.stats.state === 'backingOff');
      scene.assertRequests({ lists: 3, watches: 3 });
      // The next try would come in 3 to 6 seconds; that tries come has been shown.
      scene.doNotConclude();
    },
  );

  scenario(
    '410 for a list at a version: it is read at the latest one (B25)',
    { existing: ['a'] },
    async (scene) => {
      scene.server.faults.add({ fault: 'status', code: 410, on: 'list', times: 1 });
      await scene.start();

      scene.assertErrors(/^list of .* the server says 410: .*; trying again now/);
      const [first, second] = scene.server.requests.map(
        ({ url }) => new URL(url, scene.server.url).searchParams,
      );
      assert.equal(first!.get('resourceVersion'), '0');
      assert.equal(second!.get('resourceVersion'), null);
    },
  );

  scenario(
    'a relist of what did not change tells nothing (B36, B37)',
    { ...relists, existing: ['a', 'b', 'c'] },
    async (scene) => {
      await scene.start();
      scene.server.closeWatches();
      scene.server.skipTo(5000);
      scene.server.compact();
      await scene.caughtUp();
      await scene.watchIsOpen();

      assert.equal(scene.told.length, 3);
      scene.assertRequests({ lists: 2, watches: 3 });
    },
  );

  const isRelisted = [
    ['a relist', true],
    ['the next watch', false],
  ] as const;
  for (const [how, mustRelist] of isRelisted) {
    scenario(
      `deleted while disconnected, shown by ${how}: told once, and the cache lets go of it (B10, B31, B38)`,
      { relists: mustRelist, existing: ['a', 'gone'] },
      async (scene) => {
        await scene.start();
        scene.server.closeWatches();
        scene.delete('gone');
        if (mustRelist) scene.server.compact();
        await scene.caughtUp();

        const { type, key, isFinalStateUnknown } = scene.told.at(-1)!;
        assert.deepEqual([type, key, isFinalStateUnknown], ['delete', 'default/gone', mustRelist]);
        assert.equal(scene.informer.stats.heldBytes, 0);
      },
    );

    scenario(
      `deleted and created again while disconnected, shown by ${how}: two objects`,
      { relists: mustRelist, existing: ['a'] },
      async (scene) => {
        await scene.start();
        scene.server.closeWatches();
        scene.delete('a');
        scene.create('a');
        if (mustRelist) scene.server.compact();
        await scene.caughtUp();

        const [before, deleted, added] = scene.told;
        assert.deepEqual([before!.type, deleted!.type, added!.type], ['add', 'delete', 'add']);
        assert.equal(deleted!.uid, before!.uid);
        assert.notEqual(added!.uid, before!.uid);
      },
    );
  }

  scenario(
    'a list that breaks twice in its middle is told as one',
    { ...relists, existing: ['a', 'b', 'c', 'd', 'e'] },
    async (scene) => {
      scene.server.faults.add({ fault: 'error-event', code: 410, on: 'watch', afterItems: 1, times: 1 });
      await scene.start();
      scene.server.faults.add({ fault: 'reset', on: 'list', afterItems: 2, times: 1 });
      scene.server.faults.add({ fault: 'cut', on: 'list', afterItems: 1, skip: 1, times: 1 });
      scene.update('d');
      scene.update('a');
      scene.delete('b');
      scene.update('e');
      await scene.failed(2);
      scene.update('a');
      scene.delete('c');
      await scene.failed(3);
      assert.equal(scene.told.length, 6);
      await scene.caughtUp();
      await scene.watchIsOpen();

      const told = scene.told.slice(6).map((event) => textOf(event).split('@')[0]);
      const lost = ['lost default/b', 'lost default/c'];
      assert.deepEqual(told.sort(), [...lost, 'update default/a', 'update default/a', 'update default/e']);
      scene.assertRequests({ lists: 4, watches: 2 });
    },
  );
});

describe('pages', { concurrency: SCENES }, () => {
  const names = Array.from({ length: 11 }, (_, i) => `n${String(i).padStart(2, '0')}`);
  const paged = { server: { pageAtZero: true }, informer: { pageLimit: 4 }, existing: names };

  scenario('are followed to the last (B54)', paged, async (scene) => {
    await scene.start();

    scene.assertErrors();
    scene.assertRequests({ lists: 3, watches: 1 });
  });

  scenario(
    'whose continue token has expired are given up for a whole list',
    { ...paged, relists: true },
    async (scene) => {
      scene.server.faults.add({ fault: 'delay', milliseconds: 200, on: 'list', skip: 1, times: 1 });
      const started = scene.factory.start();
      await until('the second page is asked for', () => scene.requests('list') === 2);
      scene.delete('n01');
      scene.create('n99');
      scene.server.compact();
      await started;
      await scene.watchIsOpen();

      scene.assertErrors(/^list of .* the server says 410: .*continue.*; trying again now/);
      scene.assertRequests({ lists: 3, watches: 1 });
      const last = scene.server.requests.filter(({ verb }) => verb === 'list').at(-1)!;
      assert.doesNotMatch(last.url, /limit|continue/);
    },
  );

  scenario(
    'with 410 for a token, and again for the whole list, end in a list of the latest',
    { ...paged, relists: true },
    async (scene) => {
      scene.server.faults.add({ fault: 'status', code: 410, on: 'list', skip: 1, times: 2 });
      await scene.start();

      scene.assertErrors(/410/, /410/);
      scene.assertRequests({ lists: 4, watches: 1 });
    },
  );
});
