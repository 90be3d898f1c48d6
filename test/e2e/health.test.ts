import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type InformerHealth, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

describe('health', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7, bookmarkIntervalMs: 100 });
    factory = new SharedInformerFactory(server.kubeConfig());
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  it('tells of a server that fails and comes back, and why', async () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    assert.deepEqual(summary(informer.health()), 'idle, not connected, not synced');
    assert.equal(informer.health().lastContactAgeMs, undefined);
    const turns: string[] = [];
    informer.on('health', (health) => turns.push(summary(health)));
    await factory.start();
    await informer.ready;
    await until('it is connected', () => informer.health().connected);
    assert.equal(informer.health().synced, true);
    assert.equal(informer.health().lists, 1);
    await until('a bookmark came', () => informer.health().lastContactAgeMs! < 1000);

    server.faults.add({ fault: 'status', code: 503, on: 'watch', times: 1 });
    server.closeWatches();
    await until('the failure is known', () => informer.health().lastError?.status === 503);
    const sick = informer.health();
    assert.equal(sick.degraded, true);
    assert.match(sick.lastError!.message, /configmaps.*503/);
    assert.ok(sick.lastErrorAgeMs! >= 0);
    assert.equal(sick.synced, true);
    await until('it is well again', () => !informer.health().degraded);
    const well = informer.health();
    assert.equal(well.state, 'watching');
    assert.equal(well.relists, 0);
    assert.ok(well.rewatches >= 1);
    assert.equal(well.backoffMs, 0);
    await until('that was told', () => turns.at(-1) === 'watching, connected, synced');
    assert.ok(turns.some((turn) => turn.includes('degraded')));
  });

  it('says how long it waits for the next try', async () => {
    server.faults.add({ fault: 'status', code: 403, on: 'list' });
    const informer = factory.informerFor(CONFIG_MAPS);
    factory.start().catch(() => {});
    await until('it backs off', () => informer.health().state === 'backingOff');

    const health = informer.health();
    assert.equal(health.synced, false);
    assert.equal(health.degraded, true);
    assert.ok(health.backoffMs > 30_000, `${health.backoffMs} ms`);
    assert.equal(health.lastError?.status, 403);
  });

  it('says when something changed last', async () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    await factory.start();
    server.create('configmaps', { metadata: { name: 'a', namespace: 'default' } });
    await until('it came', () => informer.lister.size === 1);

    assert.ok(informer.health().lastEventAgeMs! < 5000);
  });

  it('is stopped in the end, and `closed` says so', async () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    await factory.start();
    await informer.stop();
    await informer.closed;

    assert.equal(informer.health().state, 'stopped');
    assert.equal(informer.health().connected, false);
    assert.equal(informer.health().degraded, false);
  });
});

describe('options of the wire', () => {
  for (const initialList of ['list', 'watchList', 'auto'] as const) {
    it(`initialList ${initialList} - ends with what the server has`, async () => {
      const server = await FakeApiServer.start({ seed: 7 });
      const factory = new SharedInformerFactory(server.kubeConfig());
      try {
        await server.seedPods(150);
        const informer = factory.informerFor({ group: '', version: 'v1', resource: 'pods' }, { initialList });
        await factory.start();
        await server.churn({ resource: 'pods', rate: Number.POSITIVE_INFINITY, count: 100, seed: 2 });
        await until(
          'it caught up',
          () => BigInt(informer.lister.resourceVersion) >= BigInt(server.resourceVersion),
        );

        assert.equal(informer.lister.size, 150);
        for (const pod of server.list('pods')) {
          const { namespace, name } = pod.metadata as { namespace: string; name: string };
          assert.deepEqual(informer.lister.get(`${namespace}/${name}`), pod);
        }
        const verbs = server.requests.map(({ verb }) => verb);
        assert.equal(verbs.includes('list'), initialList !== 'watchList');
      } finally {
        await factory.stop();
        await server.stop();
      }
    });
  }

  it('a server that refuses WatchList is listed instead, and that is remembered and counted', async () => {
    const server = await FakeApiServer.start({ seed: 7, watchList: 'forbidden' });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      server.create('configmaps', { metadata: { name: 'a', namespace: 'default' } });
      const informer = factory.informerFor(CONFIG_MAPS, { initialList: 'watchList' });
      await factory.start();

      assert.equal(informer.lister.size, 1);
      assert.equal(informer.health().fallbacks, 1);
    } finally {
      await factory.stop();
      await server.stop();
    }
  });

  it('metadataOnly - keeps metadata alone, of lists and watches', async () => {
    const server = await FakeApiServer.start({ seed: 7 });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      server.create('configmaps', configMap('listed'));
      const informer = factory.informerFor<{ kind: string; data?: object }>(CONFIG_MAPS, {
        metadataOnly: true,
      });
      await factory.start();
      server.create('configmaps', configMap('watched'));
      await until('both are there', () => informer.lister.size === 2);

      for (const object of informer.lister.list()) {
        assert.equal(object.kind, 'PartialObjectMetadata');
        assert.equal('data' in object, false);
      }
    } finally {
      await factory.stop();
      await server.stop();
    }
  });

  it('compression gzip - gives the same objects, and each event as it comes', async () => {
    const server = await FakeApiServer.start({ seed: 7, gzip: true });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      await server.seedPods(100);
      const informer = factory.informerFor(
        { group: '', version: 'v1', resource: 'pods' },
        { compression: 'gzip' },
      );
      await factory.start();
      await server.churn({ resource: 'pods', rate: Number.POSITIVE_INFINITY, count: 50, seed: 2 });
      await until(
        'it caught up',
        () => BigInt(informer.lister.resourceVersion) >= BigInt(server.resourceVersion),
      );

      for (const pod of server.list('pods')) {
        const { namespace, name } = pod.metadata as { namespace: string; name: string };
        assert.deepEqual(informer.lister.get(`${namespace}/${name}`), pod);
      }
    } finally {
      await factory.stop();
      await server.stop();
    }
  });
});

function configMap(name: string): object {
  return { metadata: { name, namespace: 'default' }, data: { text: 'x' } };
}

function summary({ state, connected, synced, degraded }: InformerHealth): string {
  const words = [state, connected ? 'connected' : 'not connected', synced ? 'synced' : 'not synced'];
  return [...words, ...(degraded ? ['degraded'] : [])].join(', ');
}
