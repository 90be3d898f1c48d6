import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { drop, type InformerError, type SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { BODY_FORMATS, type BodyFormat } from './body-formats.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

interface ConfigMap {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace: string; resourceVersion: string; labels?: Record<string, string> };
  data?: Record<string, string>;
}

for (const bodies of BODY_FORMATS) {
  describe(`engine, with ${bodies} bodies`, () => testEngine(bodies));
}

function testEngine(bodies: BodyFormat): void {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  it('lists, then follows creates, updates and deletes', async () => {
    server.create('configmaps', configMap('a', { v: '1' }));
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
    const seen: string[] = [];
    informer.addEventHandler({
      onAdd: (object, isInitial) => void seen.push(`add ${object.metadata.name} ${isInitial}`),
      onUpdate: (before, after) => void seen.push(`update ${before.data?.v}>${after.data?.v}`),
      onDelete: (object) => void seen.push(`delete ${'metadata' in object && object.metadata.name}`),
    });
    await factory.start();
    server.update('configmaps', { ...server.get('configmaps', 'default/a'), data: { v: '2' } });
    server.create('configmaps', configMap('b'));
    server.delete('configmaps', 'default/a');
    await until('all changes are in the cache', () => isCaughtUp(informer, server));

    assert.deepEqual(seen, ['add a true', 'update 1>2', 'add b false', 'delete a']);
    assertSame(informer, server, 'configmaps');
  });

  it('gives objects of one shape from list and watch, with kind and apiVersion', async () => {
    server.create('configmaps', configMap('listed'));
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
    await factory.start();
    server.create('configmaps', configMap('watched'));
    await until('the second is there', () => informer.lister.size === 2);

    for (const name of ['listed', 'watched']) {
      const object = informer.lister.get(`default/${name}`)!;
      assert.deepEqual([object.kind, object.apiVersion], ['ConfigMap', 'v1']);
      assert.deepEqual(Object.keys(object).slice(0, 2), ['kind', 'apiVersion']);
    }
  });

  it('follows 2,000 changes of 300 Pods and ends with what the server has', async () => {
    await server.seedPods(300);
    const informer = factory.informerFor(PODS, { indexers: { byNode: 'spec.nodeName' } });
    let events = 0;
    informer.addEventHandler({
      onEvent(event) {
        if (!event.isInitial) events++;
      },
    });
    await factory.start();
    const mix = { create: 1, update: 8, delete: 1 };
    await server.churn({ resource: 'pods', rate: Number.POSITIVE_INFINITY, count: 2000, mix, seed: 3 });
    await until('all changes are in the cache', () => isCaughtUp(informer, server));

    assert.equal(events, 2000);
    assertSame(informer, server, 'pods');
  });

  it('uses the memory of replaced bodies again', async () => {
    await server.seedPods(100);
    const informer = factory.informerFor(PODS);
    await factory.start();
    const before = factory.stats.arenaBytes;
    for (let round = 0; round < 10; round++) {
      await server.churn({ resource: 'pods', rate: Number.POSITIVE_INFINITY, count: 500, seed: round });
      await until('all changes are in the cache', () => isCaughtUp(informer, server));
    }

    // 5,000 bodies of about 10 KB went through; a ring of them and one segment more is what may be there.
    assert.ok(factory.stats.arenaBytes <= before + 24 * 1024 * 1024, `${factory.stats.arenaBytes} bytes`);
    assertSame(informer, server, 'pods');
  });

  it('drops what the projection names, and still indexes by it', async () => {
    server.create('configmaps', configMap('a', { big: 'x'.repeat(1000), zone: 'z1' }));
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS, {
      project: drop('data', 'metadata.managedFields'),
      indexers: { byZone: 'data.zone' },
    });
    await factory.start();

    assert.equal('data' in informer.lister.get('default/a')!, false);
    assert.deepEqual(informer.lister.indexKeys('byZone', 'z1'), ['default/a']);
  });

  it('lists and watches one namespace, or what a selector matches', async () => {
    server.create('configmaps', configMap('a', {}, { labels: { app: 'x' } }));
    server.create('configmaps', configMap('b', {}, { labels: { app: 'y' } }));
    server.create('configmaps', configMap('c', {}, { namespace: 'other' }));
    const other = factory.informerFor(CONFIG_MAPS_IN('other'));
    const selected = factory.informerFor(CONFIG_MAPS, { labelSelector: 'app=x' });
    await factory.start();
    server.create('configmaps', configMap('d', {}, { labels: { app: 'x' } }));
    server.create('configmaps', configMap('e', {}, { namespace: 'other' }));
    await until('both followed', () => other.lister.size === 2 && selected.lister.size === 2);

    assert.deepEqual(other.lister.keys().sort(), ['other/c', 'other/e']);
    assert.deepEqual(selected.lister.keys().sort(), ['default/a', 'default/d']);
  });

  it('goes on from where it was when watches are closed, without a relist and without telling twice', async () => {
    server.create('configmaps', configMap('a'));
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
    const seen: string[] = [];
    informer.addEventHandler({ onEvent: (event) => void seen.push(`${event.type} ${event.key}`) });
    await factory.start();
    await until('the watch is open', () => server.stats.openWatches === 1);
    server.closeWatches();
    server.create('configmaps', configMap('b'));
    await until('the change came', () => informer.lister.size === 2);

    assert.deepEqual(seen, ['add default/a', 'add default/b']);
    assert.equal(server.requests.filter(({ verb }) => verb === 'list').length, 1);
  });

  it('relists after 410 and tells only what changed meanwhile', async () => {
    server.create('configmaps', configMap('same'));
    server.create('configmaps', configMap('gone'));
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
    const seen: string[] = [];
    informer.addEventHandler({ onEvent: (event) => void seen.push(`${event.type} ${event.key}`) });
    await factory.start();
    await until('the watch is open', () => server.stats.openWatches === 1);
    server.faults.add({ fault: 'status', code: 503, on: 'watch', times: 1 });
    server.closeWatches();
    server.delete('configmaps', 'default/gone');
    server.create('configmaps', configMap('new'));
    server.compact();
    await until('it caught up', () => isCaughtUp(informer, server));

    assert.deepEqual(seen.slice(2).sort(), ['add default/new', 'delete default/gone']);
    assertSame(informer, server, 'configmaps');
  });

  it('stops one informer, gives its memory back, and leaves its neighbours alone', async () => {
    await server.seedPods(200);
    server.create('configmaps', configMap('a'));
    const pods = factory.informerFor(PODS);
    const configMaps = factory.informerFor(CONFIG_MAPS);
    await factory.start();
    await pods.stop();
    await pods.stop();
    assert.equal(pods.lister.size, 0);
    server.create('configmaps', configMap('b'));
    await until('the neighbour follows', () => configMaps.lister.size === 2);

    const again = factory.informerFor(PODS);
    assert.notEqual(again, pods);
    await factory.start();
    assertSame(again, server, 'pods');
  });

  it('ends by an AbortSignal, twice stopped does no harm, and the cache can still be read', async () => {
    server.create('configmaps', configMap('a'));
    const abort = new AbortController();
    const own = new SharedInformerFactory(server.kubeConfig(), {
      defaults: { bodies },
      signal: abort.signal,
    });
    const informer = own.informerFor(CONFIG_MAPS);
    await own.start();
    abort.abort();
    await own.stop();

    assert.equal(informer.lister.size, 1);
    assert.throws(() => own.informerFor(PODS), { name: 'StoppedError' });
    await assert.rejects(own.start(), { name: 'StoppedError' });
  });

  it('stops while its API server can’t be reached, and `start` says so', async () => {
    const kubeConfig = server.kubeConfig();
    await server.stop();
    const own = new SharedInformerFactory(kubeConfig);
    const informer = own.informerFor(CONFIG_MAPS);
    const errors: InformerError[] = [];
    informer.on('error', (error) => errors.push(error));
    const started = own.start();
    started.catch(() => {});
    await until('an error is told', () => errors.length > 0);
    await own.stop();

    await assert.rejects(started, { name: 'StoppedError' });
    assert.match(errors[0]!.message, /configmaps/);
    assert.ok(errors[0]!.retryInMs! > 0);
  });

  it('works over TLS, with the authority from the kubeconfig', async () => {
    const secure = await FakeApiServer.start({ tls: true });
    try {
      secure.create('configmaps', configMap('a'));
      const own = new SharedInformerFactory(secure.kubeConfig());
      const informer = own.informerFor(CONFIG_MAPS);
      await own.start();
      assert.equal(informer.lister.size, 1);
      await own.stop();
    } finally {
      await secure.stop();
    }
  });

  it('gives the same informer for the same resource, and refuses other options', () => {
    const informer = factory.informerFor(PODS, { columns: { phase: 'status.phase' } });

    assert.equal(factory.informerFor(PODS), informer);
    assert.equal(factory.informerFor(PODS, { columns: { phase: 'status.phase' } }), informer);
    assert.throws(() => factory.informerFor(PODS, { columns: {} }), /with other options/);
  });

  it('spreads informers over several workers', async () => {
    await server.seedPods(50);
    server.create('configmaps', configMap('a'));
    const own = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies }, workers: 2 });
    const pods = own.informerFor(PODS);
    const configMaps = own.informerFor(CONFIG_MAPS);
    await own.start();
    assert.deepEqual([pods.lister.size, configMaps.lister.size], [50, 1]);
    await own.stop();
  });
}

function CONFIG_MAPS_IN(namespace: string) {
  return { ...CONFIG_MAPS, namespace };
}

function configMap(
  name: string,
  data: Record<string, string> = {},
  metadata: { namespace?: string; labels?: Record<string, string> } = {},
): object {
  return { metadata: { name, namespace: 'default', ...metadata }, data };
}

function isCaughtUp(informer: Pick<SharedInformer, 'lister'>, server: FakeApiServer): boolean {
  return BigInt(informer.lister.resourceVersion || 0) >= BigInt(server.resourceVersion);
}

function assertSame(informer: Pick<SharedInformer, 'lister'>, server: FakeApiServer, resource: string): void {
  const cached = new Map(informer.lister.refs().map((ref) => [ref.key, ref.object]));
  const stored = server.list(resource);
  assert.equal(cached.size, stored.length);
  for (const object of stored) {
    const { namespace, name } = object.metadata as { namespace?: string; name: string };
    assert.deepEqual(cached.get(`${namespace}/${name}`), object);
  }
}
