import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { FakeApiServer } from '../../src/testing/index.ts';

describe('a worker as home thread', () => {
  it('syncs, follows and stops as the main thread does', async () => {
    const server = await FakeApiServer.start({ seed: 7 });
    try {
      await server.seedPods(100);
      const worker = new Worker(new URL('./worker-home.ts', import.meta.url), {
        workerData: { kubeConfig: server.kubeConfig().exportConfig() },
      });
      assert.deepEqual(await once(worker, 'message'), ['synced']);
      const mix = { create: 1, update: 2, delete: 1 };
      await server.churn({ resource: 'pods', rate: Number.POSITIVE_INFINITY, count: 300, mix, seed: 1 });
      worker.postMessage(server.resourceVersion);
      const [seen] = await once(worker, 'message');
      const [code] = await once(worker, 'exit');

      const expected = server.list('pods').map((pod) => {
        const { namespace, name } = pod.metadata as { namespace: string; name: string };
        return `${namespace}/${name}`;
      });
      assert.deepEqual(seen.cached, expected.sort());
      assert.deepEqual(seen.keys, expected);
      assert.ok(seen.byNode > 0);
      assert.equal(code, 0);
    } finally {
      await server.stop();
    }
  });
});
