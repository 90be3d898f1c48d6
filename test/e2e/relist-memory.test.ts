import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from './until.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

/** Enough that a segment of 8 MiB is less than a tenth of the bodies. */
const COUNT = 10_000;

const PATIENCE_MS = 60_000;

describe('a relist in which few objects changed', () => {
  it('takes no tenth more memory: what did not change is not copied, and what did is given back', async () => {
    const server = await FakeApiServer.start({ seed: 11 });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      await server.seedPods(COUNT);
      const pods = factory.informerFor(PODS);
      await factory.start();
      const keys = pods.lister.keys().sort();
      const before = factory.stats;
      let most = 0;
      let updates = 0;
      pods.addEventHandler({
        onEvent({ type }) {
          if (type === 'update') updates++;
          most = Math.max(most, factory.stats.sharedBytes);
        },
      });
      await until('the watch is open', () => server.stats.openWatches === 1);

      // In one turn, so that the next watch is too late for all of it.
      server.closeWatches();
      for (let i = 0; i < COUNT; i += 20)
        server.patch('pods', keys[i]!, { metadata: { labels: { round: '2' } } });
      server.compact();
      await until('the changes are told', () => updates >= COUNT / 20, PATIENCE_MS);
      await pods.atLeast(String(server.resourceVersion));

      const lists = server.requests.filter(({ verb }) => verb === 'list');
      assert.equal(lists.length, 2);
      assert.equal(updates, COUNT / 20);
      most = Math.max(most, factory.stats.sharedBytes);
      const ratio = most / before.sharedBytes;
      assert.ok(ratio < 1.1, `the most was ${ratio.toFixed(3)} times the memory before`);
    } finally {
      await factory.stop();
      await server.stop();
    }
  });
});
