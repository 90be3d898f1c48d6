import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SharedInformerFactory } from '../../../src/index.ts';
import { FakeApiServer } from '../../../src/testing/index.ts';
import { until } from '../until.ts';
import { failedRejections } from './rejections.ts';
import { CONFIG_MAPS, type ConfigMap, SCENES, scenario } from './scene.ts';
import { assertStory, type Told } from './story.ts';

describe('handlers', { concurrency: SCENES }, () => {
  const failures: [string, () => void | Promise<void>][] = [
    [
      'throws',
      () => {
        throw new Error('out of paper');
      },
    ],
    ['rejects', () => Promise.reject(new Error('out of paper'))],
    [
      'rejects later',
      async () => {
        await turn();
        throw new Error('out of paper');
      },
    ],
  ];
  for (const [what, fail] of failures) {
    scenario(
      `one that ${what} gets the next event, and its neighbours all (B15, B16)`,
      { existing: ['a', 'b'] },
      async (scene) => {
        const calls: string[] = [];
        const registration = scene.informer.addEventHandler({
          onEvent(event) {
            calls.push(`${event.type} ${event.name}`);
            return fail();
          },
        });
        await scene.start();
        scene.create('c');
        scene.update('a');
        scene.delete('b');
        await scene.caughtUp();
        await scene.failed(5);
        registration.remove();

        assert.deepEqual(calls, ['add a', 'add b', 'add c', 'update a', 'delete b']);
        assert.match(scene.errors[0]!.message, /failed on the add of default\/a: out of paper$/);
        assert.equal((scene.errors[0]!.cause as Error).message, 'out of paper');
        assert.equal(scene.informer.stats.handlerErrors, 5);
        scene.assertRequests({ lists: 1, watches: 1 });
      },
    );
  }

  scenario(
    'one that throws, without anybody who listens for errors, ends nothing (B16)',
    { existing: ['a'] },
    async (scene) => {
      scene.informer.removeAllListeners('error');
      scene.informer.addEventHandler({
        onAdd() {
          throw new Error('out of paper');
        },
      });
      await scene.start();

      assert.equal(scene.informer.stats.handlerErrors, 1);
    },
  );

  scenario(
    'a slow one gets all changes, in order, one at a time, however they come in chunks',
    {},
    async (scene) => {
      const seen: string[] = [];
      let running = 0;
      let most = 0;
      scene.informer.addEventHandler({
        async onEvent({ type, key, resourceVersion }) {
          most = Math.max(most, ++running);
          // Slow on the first of each ten, as a handler that talks to others now and then.
          if (seen.length % 10 === 0) for (let i = 0; i < 20; i++) await turn();
          seen.push(`${type} ${key}@${resourceVersion}`);
          running--;
        },
      });
      await scene.start();
      scene.create('a');
      for (let i = 0; i < 200; i++) {
        scene.update('a');
        if (i % 7 === 0) await turn();
      }
      scene.delete('a');
      await until('the slow one is done', () => seen.length === scene.changes.length);

      assert.deepEqual(seen, scene.changes);
      assert.equal(most, 1);
    },
  );

  scenario('one that never ends holds up nobody else, and stop does not wait for it', {}, async (scene) => {
    const registration = scene.informer.addEventHandler({ onEvent: () => new Promise(() => {}) });
    await scene.start();
    for (const name of ['a', 'b', 'c']) scene.create(name);
    await scene.caughtUp();

    assert.equal(registration.backlog, 2);
    assert.equal(scene.told.length, 3);
  });

  it('a home thread that is busy for a second converges, with each change told once', async () => {
    const server = await FakeApiServer.spawn({ in: 'process', seed: 7, bookmarkIntervalMs: 100 });
    // The ring fills while nobody reads it; that the socket is paused then is no silence of the server.
    const factory = new SharedInformerFactory(server.kubeConfig(), { ringRecords: 256 });
    const template = { metadata: { name: 'n{i}' } };
    await server.generate({ resource: 'configmaps', count: 200, template });
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS, { watchIdleMs: 400 });
    const told: Told[] = [];
    const errors: string[] = [];
    informer.on('error', ({ message }) => errors.push(message));
    informer.addEventHandler({
      onEvent: ({ type, key, uid, resourceVersion, isFinalStateUnknown }) =>
        void told.push({ type, key, uid, resourceVersion, isFinalStateUnknown }),
    });
    await factory.start();
    const mix = { create: 1, update: 8, delete: 1 };
    const churned = server.churn({ resource: 'configmaps', rate: 2000, seconds: 1.5, mix, seed: 3 });
    await until('changes come', () => told.length > 250);
    stayBusy(1000);
    const { created, updated, deleted, resourceVersion } = await churned;
    await until('it caught up', () => informer.lister.resourceVersion === resourceVersion);

    assert.equal(told.length, 200 + created + updated + deleted);
    assertStory(told, await server.states('configmaps'));
    const { items } = await server.snapshot('configmaps');
    for (const item of items as unknown as ConfigMap[]) {
      // An item of a list does not say its type.
      const expected = { ...item, kind: 'ConfigMap', apiVersion: 'v1' };
      assert.deepEqual(informer.lister.get(`default/${item.metadata.name}`), expected);
    }
    assert.deepEqual(errors, []);
    assert.deepEqual(failedRejections(), []);
    await factory.stop();
    assert.ok((await server.stats()).openSockets <= 1);
    await server.stop();
  });
});

function stayBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
