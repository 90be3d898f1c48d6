import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import {
  type FactoryOptions,
  type InformerError,
  type InformerOptions,
  type SharedInformer,
  SharedInformerFactory,
} from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { withReader } from './ask-reader.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const MODULE = new URL('./modules/functions.ts', import.meta.url);

for (const bodies of ['json', 'record', 'msgpack'] as const) {
  describe(`functions of modules, with ${bodies} bodies`, () => {
    it('cache what transform gives, of lists and of watches, under the identity that the server gave', async () => {
      await withInformer(
        { transform: { module: MODULE, export: 'transform' }, bodies },
        async (server, maps) => {
          server.create('configmaps', configMap('later', 'two'));
          await maps.atLeast(String(server.resourceVersion));
          for (const [name, value] of [
            ['first', 'one'],
            ['later', 'two'],
          ]) {
            const served = server.get('configmaps', `default/${name}`) as {
              metadata: { uid: string; resourceVersion: string };
            };
            const ref = maps.lister.ref(`default/${name}`)!;
            assert.equal(ref.uid, served.metadata.uid);
            assert.equal(ref.resourceVersion, served.metadata.resourceVersion);
            const object = ref.object as { kind: string; apiVersion: string; value: string };
            assert.deepEqual([object.kind, object.apiVersion, object.value], ['ConfigMap', 'v1', value]);
            assert.equal(ref.at('value'), value);
            assert.equal(ref.jsonAt('metadata.labels'), `{"app":"${value}"}`);
            assert.deepEqual(JSON.parse(ref.json), object);
            assert.deepEqual(maps.lister.keys({ labelSelector: `app in (${value})` }), [`default/${name}`]);
          }
          await maps.addIndexers({ byKept: 'value' });
          assert.deepEqual(maps.lister.indexKeys('byKept', 'two'), ['default/later']);
          assert.equal(maps.lister.has('liars/liar'), false);
        },
      );
    });

    it('keep objects on which transform fails, count that, and tell once whose object it was', async () => {
      await withInformer(
        { transform: { module: MODULE, export: 'transform' }, bodies },
        async (server, maps) => {
          const errors: InformerError[] = [];
          maps.on('error', (error) => errors.push(error));
          for (const v of ['throw', 'nothing', 'promise']) server.create('configmaps', configMap(v, v));
          await maps.atLeast(String(server.resourceVersion));
          for (const v of ['throw', 'nothing', 'promise']) {
            assert.deepEqual(maps.lister.get(`default/${v}`), server.get('configmaps', `default/${v}`));
          }
          assert.equal(maps.stats.transformErrors, 3);
          await until('the failure is told', () => errors.length > 0);
          assert.deepEqual(
            errors.map(({ code }) => code),
            ['transform-failed'],
          );
          assert.match(errors[0]!.message, /default\/throw.*functions\.ts/);
          assert.doesNotMatch(errors[0]!.message, /s3cret/);
          assert.equal(maps.health().degraded, false);
        },
      );
    });

    it('index by functions in the worker, and skip objects on which they fail', async () => {
      const indexers = { byValue: { module: MODULE }, all: { module: MODULE.href, export: 'rude' } };
      await withInformer({ indexers, bodies, columns: { v: 'data.v' } }, async (server, maps) => {
        const errors: InformerError[] = [];
        maps.on('error', (error) => errors.push(error));
        for (const v of ['two', 'throw', 'two-2']) server.create('configmaps', configMap(v, v));
        server.update('configmaps', configMap('first', 'two'));
        await maps.atLeast(String(server.resourceVersion));
        const { lister } = maps;
        assert.deepEqual(lister.indexKeys('byValue', 'two'), ['default/first', 'default/two']);
        assert.deepEqual(lister.indexKeys('byValue', 'one'), []);
        assert.deepEqual(lister.indexKeys('byValue', 'é'), ['default/first', 'default/two', 'default/two-2']);
        assert.deepEqual(lister.indexKeys('all', 'all').length, 4);
        assert.deepEqual(lister.get('default/throw'), server.get('configmaps', 'default/throw'));
        assert.equal(lister.ref('default/throw')!.column('v'), 'throw');
        assert.equal(maps.stats.indexErrors, 1);
        await until('the failure is told', () => errors.length > 0);
        assert.match(errors[0]!.message, /'byValue'.*default\/throw.*TypeError/);
        assert.doesNotMatch(errors[0]!.message, /s3cret/);
        assert.throws(() => maps.addIndexers({ more: { module: MODULE } }), { name: 'UsageError' });
        await maps.ensureIndexers(indexers);
      });
    });
  });
}

describe('a transform function', () => {
  it('is called once for each object, though the ring is full again and again, and not for what is unchanged', async () => {
    await withServer(
      async (factory, server) => {
        for (let i = 0; i < 400; i++) server.create('configmaps', configMap(`c${i}`, 'x'));
        const maps = factory.informerFor<{ calls: number }>(CONFIG_MAPS, {
          transform: { module: MODULE, export: 'transform' },
        });
        await factory.start();
        assert.throws(() => factory.informerFor(CONFIG_MAPS, {}), {
          name: 'UsageError',
          message: /transform/,
        });
        const calls = () => Math.max(...maps.lister.list().map((object) => object.calls));
        assert.equal(calls(), 400);
        server.compact();
        server.closeWatches();
        server.create('configmaps', configMap('last', 'x'));
        await maps.atLeast(String(server.resourceVersion));
        assert.equal(calls(), 401);
      },
      { ringRecords: 64 },
    );
  });
});

describe('MessagePack bodies in a cache', () => {
  it('are read on another thread, 1,000 shapes of them, also by a reader that attached before they came', async () => {
    await withInformer({ bodies: 'msgpack', indexers: { byV: 'data.v' } }, async (server, maps) => {
      await withReader(maps.handle(), async (ask) => {
        assert.equal(await ask('size'), 1);
        for (let i = 0; i < 1000; i++) server.create('configmaps', shaped(i));
        await maps.atLeast(String(server.resourceVersion));
        for (let i = 0; i < 1000; i += 37) {
          const key = `default/shape-${i}`;
          assert.deepEqual(await ask('get', key), server.get('configmaps', key));
          assert.deepEqual(await ask('at', key, 'data'), (shaped(i) as { data: object }).data);
        }
        assert.deepEqual(sorted(await ask('list')), sorted(server.list('configmaps')));
        assert.deepEqual(sorted(maps.lister.list()), sorted(server.list('configmaps')));
        assert.deepEqual(await ask('keys', { labelSelector: 'shape7=x' }), ['default/shape-7']);
        await withReader(maps.handle(), async (askLate) => {
          assert.deepEqual(sorted(await askLate('list')), sorted(server.list('configmaps')));
        });
      });
    });
  });

  it('stay JSON where numbers are too long to be sure of them', async () => {
    await withInformer({ bodies: 'msgpack' }, async (server, maps) => {
      const object = { ...configMap('big', 'x'), n: Math.PI };
      server.create('configmaps', object);
      await maps.atLeast(String(server.resourceVersion));
      assert.equal(maps.lister.ref('default/big')!.jsonAt('n'), JSON.stringify(object.n));
    });
  });
});

describe('a module that can not be used', () => {
  it('is told with its name and that of the export, and the informer can be stopped', async () => {
    for (const [module, name, reason] of [
      [MODULE, 'none', /exports no function 'none'/],
      [MODULE, 'notAFunction', /exports no function 'notAFunction'/],
      [new URL('./modules/missing.ts', import.meta.url), 'transform', /missing\.ts can't be loaded/],
    ] as const) {
      await withServer(async (factory) => {
        const maps = factory.informerFor(CONFIG_MAPS, { transform: { module, export: name } });
        const told = Promise.withResolvers<InformerError>();
        maps.on('error', told.resolve);
        // It waits for the first list, which never comes.
        factory.start().catch(() => {});
        const error = await told.promise;
        assert.equal(error.code, 'module-failed');
        assert.match(error.message, reason);
        assert.ok(error.retryInMs! > 0);
        assert.equal(maps.health().degraded, true);
        await maps.stop();
      });
    }
  });

  it('is refused at once when it is no URL, or where there is no worker', () => {
    const factory = new SharedInformerFactory(kubeConfigOfNobody());
    for (const options of [
      { transform: { module: './functions.ts' } },
      { transform: { module: MODULE, export: '' } },
      { indexers: { byX: { module: 1 as unknown as string } } },
    ]) {
      assert.throws(() => factory.informerFor(CONFIG_MAPS, options), {
        name: 'FieldOptionsError',
        code: 'FIELD_TYPE',
      });
    }
    const listerWatcher = { list: async () => ({ items: [] }), watch: () => [] } as never;
    assert.throws(() => factory.informerFor(CONFIG_MAPS, { listerWatcher, bodies: 'msgpack' }), {
      name: 'UsageError',
    });
    assert.throws(() => factory.informerFor(CONFIG_MAPS, { bodies: 'xml' as 'json' }), {
      name: 'UsageError',
    });
  });
});

async function withInformer(
  options: InformerOptions,
  run: (server: FakeApiServer, informer: SharedInformer) => Promise<void>,
): Promise<void> {
  await withServer(async (factory, server) => {
    server.create('configmaps', configMap('first', 'one'));
    const informer = factory.informerFor(CONFIG_MAPS, options);
    await factory.start();
    await run(server, informer);
  });
}

async function withServer(
  run: (factory: SharedInformerFactory, server: FakeApiServer) => Promise<void>,
  options: FactoryOptions = {},
): Promise<void> {
  const server = await FakeApiServer.start({ seed: 5 });
  const factory = new SharedInformerFactory(server.kubeConfig(), options);
  try {
    await run(factory, server);
  } finally {
    await factory.stop();
    await server.stop();
  }
}

function kubeConfigOfNobody() {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'none', server: 'http://127.0.0.1:1', skipTLSVerify: false },
    { name: 'nobody' },
  );
  return kubeConfig;
}

function configMap(name: string, v: string): object {
  return { metadata: { name, namespace: 'default', labels: { app: v } }, data: { v } };
}

/** No two of them have the same keys. */
function shaped(i: number): object {
  const metadata = { name: `shape-${i}`, namespace: 'default', labels: { [`shape${i}`]: 'x' } };
  return { metadata, data: { v: 'shaped', [`key-${i}`]: 'é' } };
}

function sorted(objects: unknown): unknown[] {
  return (objects as { metadata: { name: string } }[]).toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
}
