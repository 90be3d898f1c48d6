import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { ApiStatusError, digestOf, FakeApiServer, RemoteServerError } from '../../src/testing/index.ts';
import { call, configMap, type Json, spawnServer, startServer, WIDGETS, watch } from './helpers.ts';

for (const place of ['process', 'worker'] as const) {
  describe(`testing: a server in a ${place}`, () => {
    it('does what one in this process does', async (t) => {
      const server = await spawnServer(t, {
        in: place,
        resources: [WIDGETS],
        resourceVersion: 50,
      });
      const created: Json = await server.create('configmaps', configMap('a'));
      await server.update('configmaps', { ...created, data: { x: '1' } });
      await server.patch('configmaps', 'default/a', { data: { y: '2' } });
      const got: Json = await server.get('configmaps', 'default/a');
      assert.deepEqual(got.data, { x: '1', y: '2' });
      assert.equal(await server.get('configmaps', 'default/none'), undefined);
      await server.delete('configmaps', 'default/a');
      assert.equal(await server.count('configmaps'), 0);
      assert.equal(await server.resourceVersion(), '54');
      await server.generate({ resource: 'widgets', count: 3, template: { metadata: { name: 'w{i}' } } });
      assert.equal((await server.list('widgets')).length, 3);
      await server.compact();
      await server.skipTo(100);
      assert.equal((await call(server, '/api/v1/configmaps?watch=1&resourceVersion=51')).json.type, 'ERROR');
    });

    it('churns, sends events and ends watches', async (t) => {
      const server = await spawnServer(t, { in: place });
      assert.equal(await server.seedPods(30), 30);
      const events = await watch(server, '/api/v1/pods?watch=1');
      const { updated } = await server.churn({ rate: 5000, count: 100 });
      assert.equal(updated, 100);
      await events.take(130);
      assert.equal((await server.stats()).eventsSent, 130);
      assert.equal(await server.closeWatches(), 1);
      assert.equal(await events.line(), undefined);
      assert.ok((await server.usage()).cpu.user > 0);
      assert.equal((await server.requests())[0]!.verb, 'watch');
    });

    it('gives a snapshot of more than a page, with kind and apiVersion', async (t) => {
      const server = await spawnServer(t, { in: place, tls: true, tokens: ['t'] });
      await server.seedPods(2500);
      const { items, resourceVersion } = await server.snapshot('pods');
      assert.equal(items.length, 2500);
      assert.equal(resourceVersion, await server.resourceVersion());
      assert.deepEqual([items[0]!.kind, items[0]!.apiVersion], ['Pod', 'v1']);
      const states = items.map(({ metadata }) => {
        const { namespace, name, uid, resourceVersion: version } = metadata as Record<string, string>;
        return { key: `${namespace}/${name}`, uid: uid!, resourceVersion: version! };
      });
      assert.deepEqual(await server.states('pods'), states);
      assert.deepEqual(digestOf(states.reverse(), resourceVersion), await server.digest('pods'));
      await server.acceptTokens(['u']);
      assert.equal((await server.list('nodes')).length, 0);
    });

    it('takes faults, and throws what the server throws', async (t) => {
      const server = await spawnServer(t, { in: place });
      const id = await server.faults.add({ fault: 'status', code: 503, times: 1 });
      assert.equal((await call(server, '/api/v1/pods')).status, 503);
      assert.equal(await server.faults.hits(id), 1);
      await server.faults.clear();
      await server.create('configmaps', configMap('a'));
      await assert.rejects(server.create('configmaps', configMap('a')), (error: ApiStatusError) => {
        return error instanceof ApiStatusError && error.status.code === 409;
      });
      await assert.rejects(server.count('gadgets'), RemoteServerError);
    });

    it('can be stopped twice, and says that it has ended', async () => {
      const server = await FakeApiServer.spawn({ in: place });
      await server.stop();
      await server.stop();
      await assert.rejects(server.count('pods'), RemoteServerError);
      await assert.rejects(call(server, '/readyz'), /ECONNREFUSED/);
    });

    it('rejects when it can not start', async (t) => {
      const first = await startServer(t);
      await assert.rejects(FakeApiServer.spawn({ in: place, port: first.port }), /EADDRINUSE/);
    });
  });
}

describe('testing: a server in a process', () => {
  it('lets its parent end without having been stopped, and ends when its parent is killed', async () => {
    const index = new URL('../../src/testing/index.ts', import.meta.url);
    const script = `const { FakeApiServer } = await import(${JSON.stringify(index.href)});
      const server = await FakeApiServer.spawn();
      console.log(server.url);
      if (process.argv[1] === 'stay') setInterval(() => {}, 1000);`;
    for (const mode of ['leave', 'stay']) {
      const parent = spawn(process.execPath, ['--input-type=module', '-e', script, mode], { stdio: 'pipe' });
      const [url] = await once(parent.stdout, 'data');
      if (mode === 'stay') parent.kill('SIGKILL');
      await once(parent, 'exit');
      const server = { url: String(url).trim() };
      while (
        await call(server, '/readyz').then(
          () => true,
          () => false,
        )
      );
    }
  });
});
