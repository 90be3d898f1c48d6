import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../until.ts';
import { IdleProxy } from './idle-proxy.ts';
import { SCENES, type Scene, scenario } from './scene.ts';

/** Bookmarks come often enough to keep a watch alive, unless the machine is very busy. */
const WATCH_IDLE_MS = 200;
const BOOKMARKS_MS = 40;
const idle = {
  server: { bookmarkIntervalMs: BOOKMARKS_MS },
  informer: { watchIdleMs: WATCH_IDLE_MS },
};

/** As load balancers do, scaled: theirs is a minute or more. */
const PROXY_IDLE_MS = 300;

const SILENT = /nothing came for 0\.2 s on an open connection/;

describe('silent connections', { concurrency: SCENES }, () => {
  scenario(
    'watches that go silent after some events are replaced, and nothing is lost (B1, B4, B5, B6)',
    { ...idle, existing: ['a'] },
    async (scene) => {
      scene.server.faults.add({ fault: 'silence', on: 'watch', afterItems: 3, times: 1 });
      await scene.factory.start();
      for (const name of ['b', 'c', 'd', 'e', 'f']) scene.create(name);
      scene.delete('a');
      await scene.caughtUp();

      assert.match(scene.errors[0]!.message, SILENT);
      scene.assertRequestsAtMost({ lists: 1, watches: 5 });
    },
  );

  scenario(
    'watches that go silent in the middle of a line are replaced, and that event comes once (B1)',
    idle,
    async (scene) => {
      scene.server.faults.add({ fault: 'silence', on: 'watch', afterBytes: 3000, times: 1 });
      await scene.factory.start();
      for (const name of ['a', 'b', 'c']) scene.create(name);
      await scene.caughtUp();

      assert.match(scene.errors[0]!.message, SILENT);
      scene.assertRequestsAtMost({ lists: 1, watches: 4 });
    },
  );

  scenario(
    'watches that go silent while objects are deleted show no ghosts (B10)',
    { ...idle, existing: ['a', 'b', 'c'] },
    async (scene) => {
      await scene.start();
      scene.server.silenceWatches();
      for (const name of ['a', 'b', 'c']) scene.delete(name);
      await until('all are gone', () => scene.informer.lister.size === 0);

      scene.assertRequestsAtMost({ lists: 1, watches: 4 });
    },
  );

  scenario(
    'watches that go silent before they brought anything are opened less and less often (B3, B21)',
    idle,
    async (scene) => {
      scene.server.faults.add({ fault: 'silence', on: 'watch', afterBytes: 0, times: 2 });
      await scene.factory.start();
      scene.create('a');
      for (const count of [1, 2]) await scene.failed(count);
      await scene.caughtUp();

      const [first, second] = scene.errors.map(({ retryInMs }) => retryInMs!);
      assert.ok(second! > first! / 2, `${first} ms, ${second} ms`);
      scene.assertRequestsAtMost({ lists: 1, watches: 5 });
    },
  );

  for (const part of [1, 2, 3, 4]) {
    scenario(
      `watches that go silent five times, while changes go on, lose and double nothing (B1 to B6; part ${part} of 4)`,
      { ...idle, existing: ['a'] },
      async (scene) => {
        const holes = digBlackHoles(scene, 5, part);
        await scene.factory.start();
        await writeUntil(scene, () => holes.every((id) => scene.server.faults.hits(id) === 1));
        await scene.caughtUp();

        assert.ok(scene.errors.filter(({ message }) => SILENT.test(message)).length >= holes.length);
        scene.assertRequestsAtMost({ lists: 1, watches: holes.length + 6 });
      },
    );
  }

  scenario(
    'watches behind a proxy that closes idle connections are replaced without a list (B3, B13)',
    { existing: ['a'] },
    async (scene) => {
      const proxy = await putBehindProxy(scene, 'closed');
      await scene.start();
      proxy.giveUpAfter(PROXY_IDLE_MS);
      for (const count of [1, 2]) {
        await scene.failed(count);
        scene.update('a');
        await scene.caughtUp();
      }
      proxy.giveUpAfter(0);

      assert.match(scene.errors[0]!.message, /the connection broke/);
      assert.ok(proxy.givenUp >= 2);
      scene.assertRequestsAtMost({ lists: 1, watches: 5 });
    },
  );

  scenario(
    'watches that go silent because a middlebox forgot them are found out and replaced (B1, B3, B4, B6)',
    { existing: ['a'], informer: { watchIdleMs: 2 * PROXY_IDLE_MS } },
    async (scene) => {
      const proxy = await putBehindProxy(scene, 'forgotten');
      await scene.start();
      proxy.giveUpAfter(PROXY_IDLE_MS);
      await until('the connection is forgotten', () => proxy.givenUp === 1);
      proxy.giveUpAfter(0);
      scene.update('a');
      await scene.caughtUp();

      assert.match(scene.errors[0]!.message, /nothing came for 0\.6 s on an open connection/);
      scene.assertRequestsAtMost({ lists: 1, watches: 4 });
    },
  );

  scenario(
    'watches that are silent only between bookmarks stay as they are, also behind a proxy (B2, B3)',
    { server: idle.server },
    async (scene) => {
      const proxy = await putBehindProxy(scene, 'closed');
      await scene.start();
      // Longer than the others', for here a machine that is busy for so long would look like an idle connection.
      const idleMs = 5 * PROXY_IDLE_MS;
      proxy.giveUpAfter(idleMs);
      const enough = (1.5 * idleMs) / BOOKMARKS_MS;
      await until('bookmarks came for longer', () => scene.server.stats.bookmarksSent >= enough);

      assert.equal(proxy.givenUp, 0);
      scene.assertErrors();
      scene.assertRequests({ lists: 1, watches: 1 });
    },
  );
});

async function putBehindProxy(scene: Scene, fate: 'closed' | 'forgotten'): Promise<IdleProxy> {
  const proxy = await IdleProxy.start(scene.server.port, fate);
  scene.atEnd(() => proxy.stop());
  scene.connectTo(proxy.kubeConfig());
  return proxy;
}

/** Watch number `i` falls silent when so many events went through it, 0 to 4. @returns ids of the faults */
function digBlackHoles(scene: Scene, count: number, offset: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    scene.server.faults.add({
      fault: 'silence',
      on: 'watch',
      afterItems: (i + offset) % 5,
      skip: i,
      times: 1,
    }),
  );
}

/** Creates, updates and deletes a few objects, again and again. */
async function writeUntil(scene: Scene, isDone: () => boolean): Promise<void> {
  for (let round = 0; !isDone(); round++) {
    const name = `n${round % 7}`;
    const exists = scene.server.get('configmaps', `default/${name}`) !== undefined;
    if (!exists) scene.create(name);
    else if (round % 3 === 0) scene.delete(name);
    else scene.update(name);
    await delay(10);
  }
}
