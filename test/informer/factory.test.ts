import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { CacheSyncError, drop, type SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const NO_SUCH = { group: 'example.com', version: 'v1', resource: 'nosuches' };

describe('factory', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    factory = new SharedInformerFactory(server.kubeConfig());
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  it('gives one informer for one resource, and opens one watch for all who ask', async () => {
    const first = factory.informerFor(CONFIG_MAPS);
    const second = factory.informerFor({ ...CONFIG_MAPS });
    await factory.start();
    await factory.start();
    await until('the watch is open', () => server.stats.openWatches === 1);

    assert.equal(second, first);
    assert.deepEqual(verbs(server), ['list', 'watch']);
  });

  it('gives another one for another namespace, selector or view', () => {
    const all = [
      factory.informerFor(PODS),
      factory.informerFor({ ...PODS, namespace: 'a' }),
      factory.informerFor(PODS, { namespaces: ['a', 'b'] }),
      factory.informerFor(PODS, { labelSelector: 'app=x' }),
      factory.informerFor(PODS, { fieldSelector: 'spec.nodeName=n1' }),
      factory.informerFor(PODS, { view: 'slim', project: drop('spec') }),
    ];

    assert.equal(new Set(all).size, all.length);
    assert.equal(factory.informerFor(PODS, { namespaces: ['b', 'a'] }), all[2]);
    assert.equal(factory.informerFor(PODS, { view: 'slim', project: drop('spec') }), all[5]);
  });

  it('refuses another projection for the same view, and says that a view of its own can have it', () => {
    factory.informerFor(PODS, {
      project: drop('metadata.managedFields'),
      columns: { phase: 'status.phase' },
    });

    for (const options of [{ project: drop('spec') }, {}, { columns: { ip: 'status.podIP' } }]) {
      assert.throws(() => factory.informerFor(PODS, options), {
        code: 'KUBERING_USAGE',
        message: /informer of pods with other options \(.*project.*\).*option view/,
      });
    }
    factory.informerFor(PODS);
  });

  it('adds indexers that the informer does not have yet, also while it runs', async () => {
    server.create('configmaps', configMap('a', { zone: 'z1' }));
    const informer = factory.informerFor(CONFIG_MAPS, { indexers: { byName: 'metadata.name' } });
    await factory.start();
    const same = factory.informerFor(CONFIG_MAPS, { indexers: { byZone: 'data.zone' } });
    assert.equal(same, informer);
    await until('it has all objects', () => isReady(informer, 'byZone'));

    assert.deepEqual(informer.lister.indexKeys('byZone', 'z1'), ['default/a']);
    assert.deepEqual(informer.lister.indexKeys('byName', 'a'), ['default/a']);
    factory.informerFor(CONFIG_MAPS, { indexers: { byZone: 'data.zone' } });
    assert.throws(() => factory.informerFor(CONFIG_MAPS, { indexers: { byZone: 'data.other' } }), {
      code: 'DUPLICATE_INDEX',
      message: /index 'byZone' already/,
    });
  });

  it('starts those that are new when it is started again', async () => {
    const first = factory.informerFor(CONFIG_MAPS);
    await factory.start();
    const second = factory.informerFor(PODS);
    assert.equal(second.isStarted, false);
    await factory.start();

    assert.deepEqual([first.hasSynced, second.hasSynced], [true, true]);
    assert.deepEqual(verbs(server).filter((verb) => verb === 'list').length, 2);
  });

  it('one informer can be started alone', async () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    factory.informerFor(PODS);
    await informer.start();

    assert.deepEqual(
      (await factory.waitForCacheSync({ timeoutMs: 1 })).map(({ synced }) => synced),
      [true, false],
    );
  });

  describe('waitForCacheSync', () => {
    it('says for each informer whether it is synced, and why not', async () => {
      factory.informerFor(CONFIG_MAPS);
      const hopeless = factory.informerFor(NO_SUCH);
      const failed = new Promise((resolve) => hopeless.once('error', resolve));
      const started = factory.start({ timeoutMs: 60_000, failFast: true });
      await assert.rejects(started, CacheSyncError);
      await failed;
      factory.informerFor(PODS);
      const results = await factory.waitForCacheSync({ timeoutMs: 1 });

      assert.deepEqual(
        results.map(({ resource, synced }) => [resource, synced]),
        [
          ['configmaps', true],
          ['nosuches.example.com', false],
          ['pods', false],
        ],
      );
      assert.equal(results[0]!.reason, undefined);
      assert.match(results[1]!.reason!, /404/);
      assert.equal(results[1]!.error?.status, 404);
      assert.match(results[2]!.reason!, /not started: call start\(\)/);
    });

    it('fails fast when asked to, with the reason in the message', async () => {
      factory.informerFor(CONFIG_MAPS);
      server.faults.add({ fault: 'status', code: 403, on: 'list' });

      await assert.rejects(factory.start({ failFast: true }), (error: CacheSyncError) => {
        assert.equal(error.code, 'KUBERING_NOT_SYNCED');
        assert.match(error.message, /1 of 1 caches are not synced: configmaps: .*403/);
        assert.equal(error.results.length, 1);
        return true;
      });
    });

    it('ends with its signal, and the informers go on', async () => {
      const informer = factory.informerFor(CONFIG_MAPS);
      server.faults.add({ fault: 'status', code: 503, on: 'list', times: 1 });
      const abort = new AbortController();
      const waiting = factory.start({ signal: abort.signal });
      abort.abort();
      await assert.rejects(waiting, { name: 'CacheSyncError' });
      await informer.synced;
    });

    it('tells of one that was stopped meanwhile', async () => {
      const informer = factory.informerFor(CONFIG_MAPS);
      const waiting = factory.waitForCacheSync();
      void informer.stop();
      const [result] = await waiting;

      assert.equal(result!.reason, 'it was stopped');
    });
  });

  describe('options', () => {
    it('come from the call, then the resource, then the factory', () => {
      const own = new SharedInformerFactory(server.kubeConfig(), {
        defaults: { resyncMs: 60_000, labelSelector: 'team=a' },
        byResource: { pods: { resyncMs: 30_000 }, 'deployments.apps': { resyncMs: 0 } },
      });
      const period = (informer: SharedInformer) => informer.addEventHandler({ onEvent() {} }).resyncMs;

      assert.equal(period(own.informerFor(CONFIG_MAPS)), 60_000);
      assert.equal(period(own.informerFor(PODS)), 30_000);
      assert.equal(period(own.informerFor(DEPLOYMENTS)), 0);
      assert.equal(period(own.informerFor(PODS, { resyncMs: 5000, labelSelector: 'team=b' })), 5000);
      assert.equal(own.informerFor(PODS, { labelSelector: 'team=a' }), own.informerFor(PODS));
    });

    it('of defaults reach the API server, and a namespace of the resource is stronger than default ones', async () => {
      for (const namespace of ['a', 'b', 'c']) server.create('configmaps', configMap('x', {}, namespace));
      const own = new SharedInformerFactory(server.kubeConfig(), { defaults: { namespaces: ['a', 'b'] } });
      const both = own.informerFor(CONFIG_MAPS);
      const one = own.informerFor({ ...CONFIG_MAPS, namespace: 'c' });
      await own.start();

      assert.deepEqual(both.lister.keys().sort(), ['a/x', 'b/x']);
      assert.deepEqual(one.lister.keys(), ['c/x']);
      await own.stop();
    });

    const wrong: [string, object, RegExp][] = [
      ['a negative resync period', { resyncMs: -5 }, /resyncMs is a period in milliseconds/],
      ['no namespace at all', { namespaces: [] }, /at least one namespace/],
      ['a namespace twice', { namespaces: ['a', 'a'] }, /each once/],
      ['shards that are no power of two', { shards: 12 }, /a power of two from 1 to 256, not 12/],
    ];
    for (const [what, options, message] of wrong) {
      it(`are refused: ${what}`, () => {
        assert.throws(() => factory.informerFor(PODS, options), { code: 'KUBERING_USAGE', message });
      });
    }

    it('are refused: namespaces besides a namespace', () => {
      assert.throws(() => factory.informerFor({ ...PODS, namespace: 'a' }, { namespaces: ['b'] }), {
        code: 'KUBERING_USAGE',
        message: /either a namespace/,
      });
    });
  });

  it('follows several namespaces in one informer, and no others', async () => {
    for (const namespace of ['a', 'b', 'c']) server.create('configmaps', configMap('x', {}, namespace));
    const informer = factory.informerFor(CONFIG_MAPS, { namespaces: ['a', 'b'] });
    const seen: string[] = [];
    informer.addEventHandler({ onEvent: ({ type, key }) => void seen.push(`${type} ${key}`) });
    await factory.start();
    await until('both watches are open', () => server.stats.openWatches === 2);
    for (const namespace of ['a', 'b', 'c']) server.create('configmaps', configMap('y', {}, namespace));
    await until('both changes came', () => informer.lister.size === 4);
    await informer.stop();

    assert.deepEqual(seen.sort(), ['add a/x', 'add a/y', 'add b/x', 'add b/y']);
    await until('both watches are closed', () => server.stats.openWatches === 0);
  });

  it('stops an informer when nobody uses it any more, and makes another one when somebody does', async () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    factory.informerFor(CONFIG_MAPS);
    await factory.start();
    await informer.release();
    assert.equal(informer.isStopped, false);
    await informer.release();
    assert.equal(informer.isStopped, true);
    const another = factory.informerFor(CONFIG_MAPS);
    await factory.start();

    assert.notEqual(another, informer);
    assert.equal(another.hasSynced, true);
    await another[Symbol.asyncDispose]();
    assert.equal(another.isStopped, true);
  });

  it('shuts down under the names that others have for it', async () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    await factory.start();
    await Promise.all([factory.shutdown(), factory[Symbol.asyncDispose]()]);

    assert.equal(informer.isStopped, true);
    assert.throws(() => factory.informerFor(PODS), { code: 'KUBERING_STOPPED' });
  });
});

function configMap(name: string, data: Record<string, string> = {}, namespace = 'default'): object {
  return { metadata: { name, namespace }, data };
}

function verbs(server: FakeApiServer): string[] {
  return server.requests.map(({ verb }) => verb);
}

function isReady(informer: SharedInformer, index: string): boolean {
  try {
    informer.lister.indexValues(index);
    return true;
  } catch {
    return false;
  }
}
