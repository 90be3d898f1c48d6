import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Fault } from '../../../src/testing/index.ts';
import { until } from '../until.ts';
import { SCENES, type Scene, scenario } from './scene.ts';

describe('stop (B18, B20, B22)', { concurrency: SCENES }, () => {
  const lists: [string, Fault][] = [
    ['while a list is not answered', { fault: 'silence', on: 'list' }],
    ['in the middle of a list', { fault: 'silence', on: 'list', afterItems: 1 }],
    ['while a list is delayed', { fault: 'delay', milliseconds: 60_000, on: 'list' }],
  ];
  for (const [when, fault] of lists) {
    scenario(
      `${when} ends it: no watch, no error, no late event`,
      { existing: ['a', 'b'] },
      async (scene) => {
        scene.server.faults.add(fault);
        const started = startQuietly(scene);
        await until('the list is asked for', () => scene.requests('list') === 1);
        if ('afterItems' in fault) await until('an item came', () => scene.told.length === 1);

        await assertStops(scene);
        await assert.rejects(started, {
          name: 'StoppedError',
          message: /configmaps was stopped before it had synced/,
        });
        scene.assertRequests({ lists: 1, watches: 0 });
      },
    );
  }

  scenario('right after the start ends it, before there is a connection', {}, async (scene) => {
    const started = startQuietly(scene);

    await assertStops(scene);
    await assert.rejects(started, { name: 'StoppedError' });
    assert.equal(scene.server.stats.openSockets, 0);
  });

  scenario('before the start does no harm', {}, async (scene) => {
    await assertStops(scene);

    await assert.rejects(scene.factory.start(), { name: 'StoppedError' });
    scene.assertRequests({ lists: 0, watches: 0 });
  });

  scenario('while a watch connects ends it', { existing: ['a'] }, async (scene) => {
    scene.server.faults.add({ fault: 'silence', on: 'watch' });
    await scene.factory.start();
    await until('the watch is asked for', () => scene.requests('watch') === 1);

    await assertStops(scene);
    scene.assertRequests({ lists: 1, watches: 1 });
  });

  scenario('during the delay before the next list ends it', { existing: ['a'] }, async (scene) => {
    scene.server.faults.add({ fault: 'status', code: 503, on: 'list' });
    void startQuietly(scene);
    await scene.failed(1);

    await assertStops(scene);
    scene.assertRequests({ lists: 1, watches: 0 });
  });

  scenario('during the delay before the next watch ends it', { existing: ['a'] }, async (scene) => {
    await scene.start();
    scene.server.dropConnections('reset');
    await scene.failed(1);

    await assertStops(scene);
    scene.assertRequests({ lists: 1, watches: 1 });
  });

  scenario('in a stream of changes ends it between two of them', { existing: ['a'] }, async (scene) => {
    await scene.start();
    const end = new AbortController();
    scene.atEnd(() => end.abort());
    const churned = scene.server.churn({
      resource: 'configmaps',
      rate: 2000,
      seconds: 60,
      signal: end.signal,
    });
    await until('changes come', () => scene.told.length > 100);

    await assertStops(scene);
    end.abort();
    await churned;
    scene.assertRequests({ lists: 1, watches: 1 });
  });

  scenario('from within a handler ends it', { existing: ['a', 'b', 'c'] }, async (scene) => {
    let calls = 0;
    scene.informer.addEventHandler({
      onAdd() {
        calls++;
        void scene.factory.stop();
      },
    });
    await assert.rejects(scene.factory.start(), { name: 'StoppedError' });

    await assertStops(scene);
    assert.equal(calls, 1);
  });

  scenario('from within an error listener ends it', { existing: ['a'] }, async (scene) => {
    scene.server.faults.add({ fault: 'status', code: 503, on: 'list' });
    scene.informer.on('error', () => void scene.factory.stop());
    await assert.rejects(scene.factory.start(), { name: 'StoppedError' });

    await assertStops(scene);
    scene.assertErrors(/503/);
  });

  scenario(
    'of one informer, in its stream, leaves its neighbour alone',
    { existing: ['a'] },
    async (scene) => {
      const secrets = scene.factory.informerFor({ group: '', version: 'v1', resource: 'secrets' });
      await scene.factory.start();
      await until('both watches are open', () => scene.server.stats.openWatches === 2);
      await Promise.all([secrets.stop(), secrets.stop()]);
      await scene.watchIsOpen();
      scene.update('a');
      await scene.caughtUp();

      scene.assertErrors();
    },
  );
});

/** Its rejection is looked at later, or is of no interest. */
function startQuietly(scene: Scene): Promise<void> {
  const started = scene.factory.start();
  started.catch(() => {});
  return started;
}

/** Stops, twice at once and once more; afterwards there is nothing any more, and nothing comes. */
async function assertStops(scene: Scene): Promise<void> {
  const errors = scene.errors.length;
  await Promise.all([scene.factory.stop(), scene.factory.stop()]);
  await scene.factory.stop();
  const requests = scene.server.requests.length;
  const told = scene.told.length;
  await until('all sockets are closed', () => scene.server.stats.openSockets === 0);
  scene.create('late');

  assert.equal(scene.server.requests.length, requests);
  assert.equal(scene.errors.length, errors, scene.errors.map(({ message }) => message).join('\n'));
  assert.equal(scene.told.length, told);
  assert.equal(scene.informer.stats.state, 'stopped');
  scene.assertNoRejections();
  scene.doNotConclude();
}
