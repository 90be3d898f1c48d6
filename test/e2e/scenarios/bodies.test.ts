import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SharedInformerFactory } from '../../../src/index.ts';
import { FakeApiServer } from '../../../src/testing/index.ts';
import { BODY_FORMATS, type BodyFormat } from '../body-formats.ts';
import { until } from '../until.ts';
import { RawServer, writeInPieces } from './raw-server.ts';
import { failedRejections } from './rejections.ts';
import { CONFIG_MAPS, type ConfigMap, scenario } from './scene.ts';

/** Characters of one to four bytes, escapes, and what looks like the end of a line or an object. */
const TEXT = 'a é € 😀 \u2028 \\ " } \n { ] Ελλάδα 日本 \u0000';

const LARGE_BYTES = 1_500_000;
const MIB = 1024 * 1024;

for (const bodies of BODY_FORMATS) {
  describe(`bodies, as ${bodies}`, { concurrency: true }, () => testBodies(bodies));
}

function testBodies(bodies: BodyFormat): void {
  describe('in pieces', { concurrency: false }, () => {
    let server: RawServer;
    let factory: SharedInformerFactory;

    afterEach(async () => {
      await factory.stop();
      server.stop();
      assert.deepEqual(failedRejections(), []);
    });

    const objects = [configMap('a', '5'), configMap('b', '4')];
    const list = Buffer.from(
      JSON.stringify({
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '5' },
        items: objects,
      }),
    );

    it('a list and a watch that come byte by byte are as if they came whole', async () => {
      server = await RawServer.start((response) => {
        void writeInPieces(response, list, 1).then(() => response.end());
      });
      factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
      const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
      await factory.start();
      await until('the watch is open', () => server.watches.length === 1);
      const changed = configMap('a', '6');
      const events = `${line('MODIFIED', changed)}${line('DELETED', configMap('b', '7'))}`;
      await writeInPieces(server.watches[0]!, Buffer.from(events), 1);
      await until('both events came', () => informer.lister.resourceVersion === '7');

      assert.deepEqual(informer.lister.list(), [changed]);
      assert.equal(informer.stats.errors, 0);
    });

    it('a character split between two packets is whole, wherever the split is (each byte of an event)', async () => {
      server = await RawServer.start((response) => response.end(list));
      factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
      const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
      await factory.start();
      await until('the watch is open', () => server.watches.length === 1);
      const watch = server.watches[0]!;
      const length = Buffer.byteLength(line('MODIFIED', configMap('a', '1000')));
      for (let split = 1; split < length; split++) {
        const changed = configMap('a', String(1000 + split));
        const bytes = Buffer.from(line('MODIFIED', changed));
        await writeInPieces(watch, bytes.subarray(0, split), split);
        watch.write(bytes.subarray(split));
        await until(`split ${split} came`, () => informer.lister.resourceVersion === String(1000 + split));
        assert.deepEqual(informer.lister.get('default/a'), changed);
      }

      assert.equal(informer.stats.errors, 0);
    });

    it('a bookmark with nothing but a resourceVersion moves the place from which a watch goes on', async () => {
      server = await RawServer.start((response) => response.end(list));
      factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
      const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
      await factory.start();
      await until('the watch is open', () => server.watches.length === 1);
      server.watches[0]!.end('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"4000"}}}\n');
      await until('the next watch is open', () => server.queries.length === 3 && server.watches.length === 1);

      assert.equal(informer.lister.resourceVersion, '4000');
      assert.match(server.queries[2]!, /resourceVersion=4000/);
      assert.equal(informer.lister.size, 2);
      assert.equal(informer.stats.events, 2);
      assert.equal(informer.stats.errors, 0);
    });
  });

  describe('large and exact', { concurrency: false }, () => {
    const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' };
    let server: FakeApiServer;
    let factory: SharedInformerFactory;

    beforeEach(async () => {
      const definition = { ...widgets, kind: 'Widget', namespaced: true };
      server = await FakeApiServer.start({ seed: 7, resources: [definition] });
      factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
    });

    afterEach(async () => {
      await factory.stop();
      await server.stop();
      assert.deepEqual(failedRejections(), []);
    });

    it('numbers above 2^53 are exact in the JSON that is kept, from list and watch', async () => {
      await post('listed', '9007199254740993');
      const informer = factory.informerFor(widgets, { columns: { big: 'spec.big' } });
      await factory.start();
      await post('watched', '-9223372036854775808');
      await until('both are there', () => informer.lister.size === 2);

      assert.match(informer.lister.ref('default/listed')!.json, /"big":9007199254740993\b/);
      assert.match(informer.lister.ref('default/watched')!.json, /"big":-9223372036854775808\b/);
      assert.equal(informer.lister.ref('default/listed')!.column('big'), '9007199254740993');
    });

    it('an event and an item of 1.5 MB are objects like others', async () => {
      const data = { text: TEXT.repeat(Math.ceil(LARGE_BYTES / Buffer.byteLength(TEXT))) };
      server.create('configmaps', { metadata: { name: 'listed', namespace: 'default' }, data });
      const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
      await factory.start();
      server.create('configmaps', { metadata: { name: 'watched', namespace: 'default' }, data });
      await until('both are there', () => informer.lister.size === 2);

      for (const name of ['listed', 'watched']) {
        const key = `default/${name}`;
        assert.ok(Buffer.byteLength(informer.lister.ref(key)!.json) > MIB);
        assert.deepEqual(informer.lister.get(key), server.get('configmaps', key));
      }
      assert.equal(informer.stats.errors, 0);
    });

    /** Over HTTP, for no number of JavaScript is exact enough. */
    async function post(name: string, big: string): Promise<void> {
      const metadata = JSON.stringify({ name, namespace: 'default' });
      const body = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":${metadata},"spec":{"big":${big}}}`;
      const headers = { 'content-type': 'application/json' };
      const url = `${server.url}/apis/example.com/v1/namespaces/default/widgets`;
      const { status } = await fetch(url, { method: 'POST', headers, body });
      assert.equal(status, 201);
    }
  });

  describe('none and many', () => {
    scenario(
      'a resource without objects is synced all the same (B50)',
      { informer: { bodies } },
      async (scene) => {
        await scene.start();

        assert.equal(scene.informer.hasSynced, true);
        assert.equal(scene.informer.lister.size, 0);
      },
    );

    it('200,000 objects in one namespace can be listed at once', async () => {
      const count = 200_000;
      const server = await FakeApiServer.start({ seed: 7, historyEvents: 10 });
      const factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
      try {
        const template = { metadata: { name: 'n{i}' } };
        await server.generate({ resource: 'configmaps', count, template });
        const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS);
        await factory.start();
        const listed = informer.lister.list({ namespace: 'default' });

        assert.equal(listed.length, count);
        assert.equal(new Set(listed.map(({ metadata }) => metadata.name)).size, count);
        assert.equal(informer.lister.list().length, count);
        assert.deepEqual(informer.lister.get('default/n199999'), server.get('configmaps', 'default/n199999'));
      } finally {
        await factory.stop();
        await server.stop();
      }
    });
  });
}

function configMap(name: string, resourceVersion: string): ConfigMap {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: TEXT } };
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}
