import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DecodeError, type InformerEvent, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { withReader } from './ask-reader.ts';
import { RawServer } from './scenarios/raw-server.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

interface ConfigMap {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
}

describe('records in a cache', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies: 'record' } });
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  it('are a third of their JSON, dictionary included, and equal to it', async () => {
    await server.seedPods(2000);
    const pods = factory.informerFor(PODS);
    const asJson = factory.informerFor(PODS, { view: 'json', bodies: 'json' });
    await factory.start();
    const bytesOf = (informer: typeof pods) =>
      informer.lister.refs().reduce((sum, ref) => sum + ref.block.lengthBytes, 0);

    const { dictionaryBytes, dictionaries } = factory.stats;
    assert.equal(dictionaries, 1);
    assert.ok(dictionaryBytes > 10_000 && dictionaryBytes < 2 * 1024 * 1024, `${dictionaryBytes} bytes`);
    assert.ok(bytesOf(pods) + dictionaryBytes < bytesOf(asJson) / 3);
    for (const key of pods.lister.keys()) assert.deepEqual(pods.lister.get(key), asJson.lister.get(key));
    const { decoded, decodedRecords, bodyFallbacks } = pods.stats;
    assert.deepEqual([decoded, decodedRecords, bodyFallbacks], [2000, 2000, 0]);
    assert.equal(asJson.stats.decodedRecords, 0);
  });

  it('are read by path, by column, and by indexes that come later, and nothing of them is decoded', async () => {
    for (let i = 0; i < 50; i++) server.create('configmaps', configMap(`c${i}`, `v${i % 5}`));
    const maps = factory.informerFor<ConfigMap>(CONFIG_MAPS, { columns: { v: 'data.v' } });
    await factory.start();
    const { lister } = maps;
    const ref = lister.ref('default/c7')!;
    assert.equal(ref.at('data.v'), 'v2');
    assert.deepEqual(ref.at('keys(data)'), ['text', 'v']);
    assert.equal(ref.jsonAt('data.v'), '"v2"');
    assert.equal(ref.at('data.none'), undefined);
    assert.equal(ref.column('v'), 'v2');
    await maps.addIndexers({ byValue: 'data.v' });
    assert.equal(lister.indexKeys('byValue', 'v2').length, 10);
    assert.deepEqual(JSON.parse(ref.json), server.get('configmaps', 'default/c7'));
    assert.equal(maps.stats.decoded, 0);

    await maps.addIndexers({ byText: (object) => [object.data.text!.slice(0, 4)] });
    assert.equal(lister.indexKeys('byText', 'text').length, 50);
    assert.ok(maps.stats.decodedRecords > 0);
  });

  it('are the objects of events, before and after, and what was retained outlives its memory', async () => {
    server.create('configmaps', configMap('one', 'first'));
    const maps = factory.informerFor<ConfigMap>(CONFIG_MAPS, { freeze: true });
    const events: InformerEvent<ConfigMap>[] = [];
    const seen: unknown[] = [];
    maps.addEventHandler({
      onEvent(event) {
        seen.push([event.oldObject?.data.v, event.object.data.v]);
        events.push(event.retain());
      },
    });
    await factory.start();
    for (const v of ['second', 'third']) server.update('configmaps', configMap('one', v));
    server.delete('configmaps', 'default/one');
    await until('the delete was told', () => events.at(-1)?.type === 'delete');

    assert.deepEqual(seen.slice(0, 3), [
      [undefined, 'first'],
      ['first', 'second'],
      ['second', 'third'],
    ]);
    assert.deepEqual(
      events.map(({ object }) => object.data.v),
      ['first', 'second', 'third', 'third'],
    );
    assert.ok(Object.isFrozen(events[0]!.object.data));
  });

  it('of a worker that died can be read until the next one has listed; then its dictionary goes', async () => {
    await server.seedPods(100);
    const pods = factory.informerFor(PODS);
    await factory.start();
    const keys = pods.lister.keys();
    const workerOf = (memory: SharedArrayBuffer) => new Int32Array(memory)[1]! >>> 16;
    const workers = () => pods.handle().store.dictionaries.map(workerOf);
    assert.deepEqual(workers(), [1]);
    await withReader(pods.handle(), async (ask) => {
      await factory.fleet!.kill();
      // Decoded for the first time when the worker is gone.
      for (const key of keys) assert.deepEqual(pods.lister.get(key), server.get('pods', key));
      assert.deepEqual(await ask('get', keys[0]), server.get('pods', keys[0]!));
      server.patch('pods', keys[1]!, { metadata: { labels: { changed: 'yes' } } });
      await until('the dictionary of the next worker is the only one', () => workers().join() === '2');
      await pods.atLeast(String(server.resourceVersion));
      for (const key of keys) assert.deepEqual(await ask('get', key), server.get('pods', key));
    });
  });

  it('keep out what a Secret holds, and its objects are whole all the same', async () => {
    const data = { password: 'aHVudGVyMg==' };
    for (let i = 0; i < 5; i++) {
      server.create('secrets', { metadata: { name: `s${i}`, namespace: 'default' }, data });
    }
    const secrets = factory.informerFor({ group: '', version: 'v1', resource: 'secrets' });
    await factory.start();
    assert.deepEqual(secrets.lister.get('default/s3'), server.get('secrets', 'default/s3'));

    const { dictionaries } = secrets.handle().store;
    assert.equal(dictionaries.length, 1);
    assert.ok(Buffer.from(dictionaries[0]!).includes('password'), 'keys are known');
    assert.ok(!Buffer.from(dictionaries[0]!).includes(data.password));
  });
});

describe('a body that is no JSON after all', () => {
  it('is kept as it came, counted, and fails when it is decoded, as it does without records', async () => {
    const broken =
      '{"metadata":{"name":"broken","namespace":"default","resourceVersion":"4"},"data":{"v":01}}';
    const whole =
      '{"metadata":{"name":"whole","namespace":"default","resourceVersion":"5"},"data":{"v":"x"}}';
    const head = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"}';
    const server = await RawServer.start((response) => response.end(`${head},"items":[${broken},${whole}]}`));
    const factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies: 'record' } });
    try {
      const maps = factory.informerFor<ConfigMap>(CONFIG_MAPS);
      await factory.start();
      assert.equal(maps.stats.bodyFallbacks, 1);
      assert.throws(() => maps.lister.get('default/broken'), DecodeError);
      assert.equal(maps.lister.get('default/whole')!.data.v, 'x');
      assert.deepEqual([maps.stats.decoded, maps.stats.decodedRecords], [1, 1]);
    } finally {
      await factory.stop();
      server.stop();
    }
  });
});

function configMap(name: string, v: string): object {
  return { metadata: { name, namespace: 'default' }, data: { v, text: `text of ${name}` } };
}
