import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeApiServer } from '../../../src/testing/index.ts';
import { until } from '../until.ts';
import { assertStory, type Told } from './story.ts';

const WATCH_IDLE_MS = 300;

/** A laptop that sleeps for minutes, scaled as the idle limit is. */
const SUSPENDED_MS = 3 * WATCH_IDLE_MS;

describe('a process', { concurrency: true }, () => {
  for (const isCut of [false, true]) {
    const what = isCut ? 'whose connections were closed meanwhile' : 'whose connections survived';
    it(`that was suspended, ${what}, catches up with each change told once`, async (context) => {
      const server = await FakeApiServer.start({ seed: 7, bookmarkIntervalMs: WATCH_IDLE_MS / 4 });
      const child = fork(new URL('./suspended-home.ts', import.meta.url), {
        env: {
          ...process.env,
          TEST_KUBECONFIG: server.kubeConfigYaml(),
          TEST_WATCH_IDLE_MS: String(WATCH_IDLE_MS),
        },
      });
      context.after(async () => {
        child.kill('SIGKILL');
        await server.stop();
      });
      let changes = 0;
      const write = (name: string) => {
        server.create('configmaps', { metadata: { name, namespace: 'default' } });
        changes++;
      };
      write('first');
      assert.deepEqual((await once(child, 'message'))[0], 'synced');
      await until('the watch is open', () => server.stats.openWatches === 1);
      child.kill('SIGSTOP');
      for (let i = 0; i < 20; i++) write(`n${i}`);
      // Time passes: this is no waiting for something, it is the scenario.
      await delay(SUSPENDED_MS);
      if (isCut) server.dropConnections('cut');
      child.kill('SIGCONT');
      write('last');
      const [told] = (await once(child, 'message')) as [Told[]];

      assert.equal(told.length, changes);
      assertStory(told, server.states('configmaps'));
      const { lists, watches } = server.stats;
      assert.equal(lists, 1);
      assert.ok(watches <= 4, `${watches} watches`);
      child.send('end');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
      await until('all sockets are closed', () => server.stats.openSockets === 0);
    });
  }
});
