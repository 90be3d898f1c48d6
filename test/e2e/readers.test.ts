import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InformerHandle, Lister, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { withReader } from './ask-reader.ts';
import { BODY_FORMATS, type BodyFormat } from './body-formats.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

for (const bodies of BODY_FORMATS) {
  describe(`a cache that another thread reads, with ${bodies} bodies`, () => testReaders(bodies));
}

function testReaders(bodies: BodyFormat): void {
  it('gives the same objects, lists, indexes, columns and pages as on its own thread', async () => {
    await withServer(bodies, async (server, factory) => {
      await server.seedPods(200);
      const pods = factory.informerFor(PODS, {
        indexers: { byNode: 'spec.nodeName' },
        columns: { phase: 'status.phase' },
        shards: 4,
      });
      await factory.start();
      await withReader(pods.handle(), async (ask) => {
        const { lister } = pods;
        const keys = lister.keys().sort();
        const [key] = keys as [string];
        const nodes = lister.indexValues('byNode').sort();
        const [node] = nodes as [string];
        const [namespace] = key.split('/') as [string];
        assert.equal(await ask('size'), 200);
        assert.equal(await ask('resourceVersion'), lister.resourceVersion);
        assert.deepEqual(await ask('get', key), lister.get(key));
        assert.equal(await ask('get', 'default/none'), undefined);
        assert.equal(await ask('isSame', key), true);
        assert.deepEqual(await ask('keys'), keys);
        assert.deepEqual(await ask('iterate'), keys);
        assert.deepEqual(sorted(await ask('list')), sorted(lister.list()));
        assert.deepEqual(await ask('keys', { namespace }), lister.keys({ namespace }).sort());
        assert.equal(await ask('count', { namespace }), lister.count({ namespace }));
        assert.deepEqual(await ask('indexValues', 'byNode'), nodes);
        assert.deepEqual(await ask('indexKeys', 'byNode', node), lister.indexKeys('byNode', node));
        assert.equal(await ask('column', key, 'phase'), lister.ref(key)!.column('phase'));
        assert.deepEqual(await ask('at', key, 'spec.containers'), lister.ref(key)!.at('spec.containers'));
        const both = { byNode: node, namespace };
        assert.deepEqual(await ask('query', both), lister.query(both).keys().sort());
        const [label, value] = Object.entries(
          lister.ref(key)!.at<Record<string, string>>('metadata.labels')!,
        )[0]!;
        const labelSelector = `${label}=${value}`;
        assert.deepEqual(await ask('keys', { labelSelector }), lister.keys({ labelSelector }).sort());
        const first = lister.query().page({ limit: 7 });
        assert.deepEqual(await ask('page', { limit: 7 }), { keys: first.keys, continue: first.continue });
        const next = { limit: 7, continue: first.continue! };
        assert.deepEqual(
          ((await ask('page', next)) as { keys: string[] }).keys,
          lister.query().page(next).keys,
        );
      });
    });
  });

  it('shows changes, growth and indexes that came later, also to a reader that attached before the first list', async () => {
    await withServer(bodies, async (server, factory) => {
      const configMaps = factory.informerFor(CONFIG_MAPS);
      await withReader(configMaps.handle(), async (ask) => {
        assert.equal(await ask('size'), 0);
        for (let i = 0; i < 300; i++) server.create('configmaps', configMap(`c${i}`, '1'));
        await factory.start();
        // More than one segment, in memory that did not exist when the reader attached.
        for (let i = 0; i < 20; i++)
          server.create('configmaps', configMap(`large-${i}`, 'x'.repeat(900_000)));
        server.update('configmaps', configMap('c7', '2'));
        server.delete('configmaps', 'default/c8');
        await configMaps.atLeast(String(server.resourceVersion));
        assert.equal(await ask('resourceVersion'), configMaps.lister.resourceVersion);
        assert.equal(await ask('size'), 319);
        assert.deepEqual(await ask('get', 'default/c7'), server.get('configmaps', 'default/c7'));
        assert.equal(await ask('has', 'default/c8'), false);
        assert.deepEqual(await ask('get', 'default/large-19'), server.get('configmaps', 'default/large-19'));

        await assert.rejects(ask('query', { byValue: '2' }), { name: 'UnknownFieldError' });
        await configMaps.addIndexers({ byValue: 'data.v' });
        assert.deepEqual(await ask('query', { byValue: '2' }), ['default/c7']);
        configMaps.removeIndexer('byValue');
        await assert.rejects(ask('query', { byValue: '2' }), { name: 'UnknownFieldError' });
      });
    });
  });

  it('reads whole objects while all of them change all the time', async () => {
    await withServer(bodies, async (server, factory) => {
      await server.seedPods(100);
      const pods = factory.informerFor(PODS, { indexers: { byNode: 'spec.nodeName' } });
      await factory.start();
      await withReader(pods.handle(), async (ask) => {
        const churn = server.churn({
          resource: 'pods',
          rate: 3000,
          seconds: 2,
          seed: 3,
          mix: { update: 8, create: 1, delete: 1 },
        });
        let isOver = false;
        void churn.then(() => {
          isOver = true;
        });
        while (!isOver) {
          for (const pod of (await ask('list')) as { kind: string; metadata: { name: string } }[]) {
            assert.equal(pod.kind, 'Pod');
          }
        }
        await pods.atLeast(String(server.resourceVersion));
        assert.deepEqual(sorted(await ask('list')), sorted(server.list('pods')));
      });
    });
  });

  it('is let go of by detach, and by the end of its factory', async () => {
    await withServer(bodies, async (server, factory) => {
      server.create('configmaps', configMap('one', '1'));
      const configMaps = factory.informerFor(CONFIG_MAPS);
      await factory.start();
      const handle = configMaps.handle();
      const lister = Lister.attach(handle);
      assert.equal(lister.size, 1);
      lister.detach();
      lister.detach();
      assert.throws(() => lister.get('default/one'), { name: 'DetachedError', code: 'DETACHED' });
      assert.throws(() => lister.list(), { name: 'DetachedError' });

      const late = Lister.attach(handle);
      await factory.stop();
      assert.throws(() => configMaps.handle(), { name: 'StoppedError' });
      late.detach();
    });
  });

  it('refuses what is no handle, or one of another version, and says what to do', () => {
    assert.throws(() => Lister.attach({} as InformerHandle), {
      name: 'StoreHandleError',
      message: /informer\.handle\(\)/,
    });
    const store = { format: 999, control: new SharedArrayBuffer(8) };
    assert.throws(() => Lister.attach({ store } as unknown as InformerHandle), {
      name: 'StoreHandleError',
      message: /format 999.*one version of kubering in all threads/,
    });
  });
}

describe('waiting for a version', () => {
  it('ends when the cache has it, with a signal, and with the informer', async () => {
    await withServer('json', async (server, factory) => {
      const configMaps = factory.informerFor(CONFIG_MAPS);
      await factory.start();
      const later = String(Number(server.resourceVersion) + 1);
      const wait = configMaps.atLeast(later);
      server.create('configmaps', configMap('one', '1'));
      await wait;
      assert.ok(configMaps.lister.has('default/one'));
      await configMaps.atLeast('1');

      const abort = new AbortController();
      const aborted = configMaps.atLeast('99999999', { signal: abort.signal });
      abort.abort(new Error('enough'));
      await assert.rejects(aborted, { message: 'enough' });
      await assert.rejects(configMaps.atLeast('v1'), { name: 'UsageError', message: /decimal number/ });

      const stopped = configMaps.atLeast('99999999');
      const refused = assert.rejects(stopped, { name: 'StoppedError' });
      await factory.stop();
      await refused;
    });
  });
});

async function withServer(
  bodies: BodyFormat,
  run: (server: FakeApiServer, factory: SharedInformerFactory) => Promise<void>,
): Promise<void> {
  const server = await FakeApiServer.start({ seed: 5 });
  const factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
  try {
    await run(server, factory);
  } finally {
    await factory.stop();
    await server.stop();
  }
}

function sorted(objects: unknown): unknown[] {
  return (objects as { metadata: { namespace: string; name: string } }[]).toSorted((a, b) =>
    `${a.metadata.namespace}/${a.metadata.name}` < `${b.metadata.namespace}/${b.metadata.name}` ? -1 : 1,
  );
}

function configMap(name: string, v: string): object {
  return { metadata: { name, namespace: 'default' }, data: { v } };
}
