import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { drop, type InformerError, type SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer, type Fault } from '../../src/testing/index.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

describe('bad input', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    factory = new SharedInformerFactory(server.kubeConfig());
    for (const name of ['a', 'b', 'c']) server.create('configmaps', configMap(name));
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  const watchFaults: [string, Fault, RegExp][] = [
    [
      'a line that is not JSON',
      { fault: 'garbage', on: 'watch', afterItems: 1, times: 1 },
      /can't begin an event/,
    ],
    [
      'an event that ends in its middle',
      { fault: 'truncated', on: 'watch', afterItems: 1, times: 1 },
      /not JSON/,
    ],
    [
      'bytes that are not UTF-8',
      { fault: 'invalid-utf8', on: 'watch', afterItems: 1, times: 1 },
      /not UTF-8/,
    ],
    [
      'an object without a name',
      { fault: 'nameless', on: 'watch', afterItems: 1, times: 1 },
      /no metadata\.name/,
    ],
  ];
  for (const [what, fault, message] of watchFaults) {
    it(`${what}, in a watch, is one error, and nothing else is lost`, async () => {
      server.faults.add(fault);
      const { informer, errors } = start(factory);
      await factory.start();
      for (const name of ['d', 'e', 'f', 'g']) server.create('configmaps', configMap(name));
      await until('the last change came', () => informer.lister.has('default/g'));

      assert.equal(errors.length, 1, errors.map((error) => error.message).join('\n'));
      assert.match(errors[0]!.message, message);
      assert.match(errors[0]!.message, /configmaps/);
      assert.equal(informer.stats.errors, 1);
      for (const name of ['a', 'b', 'c', 'd', 'f', 'g'])
        assert.ok(informer.lister.has(`default/${name}`), name);
    });
  }

  const itemFaults: [string, Fault, RegExp][] = [
    ['bytes that are not UTF-8', { fault: 'invalid-utf8', on: 'list', afterItems: 1, times: 1 }, /not UTF-8/],
    [
      'an object without a name',
      { fault: 'nameless', on: 'list', afterItems: 1, times: 1 },
      /no metadata\.name/,
    ],
  ];
  for (const [what, fault, message] of itemFaults) {
    it(`${what}, in a list, is one error, and the other items are kept`, async () => {
      server.faults.add(fault);
      const { informer, errors } = start(factory);
      await factory.start();

      assert.equal(errors.length, 1, errors.map((error) => error.message).join('\n'));
      assert.match(errors[0]!.message, message);
      assert.ok(informer.lister.size >= 2);
    });
  }

  const wholeAnswers: [string, Fault, RegExp][] = [
    ['a list that is cut', { fault: 'cut', on: 'list', afterBytes: 700, times: 1 }, /configmaps/],
    [
      'a Status instead of a list',
      { fault: 'wrong-content', on: 'list', times: 1 },
      /Status|not a list|no list/i,
    ],
    [
      'an HTML page instead of a list',
      {
        fault: 'status',
        code: 200,
        on: 'list',
        times: 1,
        body: '<html>log in</html>',
        contentType: 'text/html',
      },
      /configmaps/,
    ],
  ];
  for (const [what, fault, message] of wholeAnswers) {
    it(`${what} is one error, and the next try succeeds`, async () => {
      server.faults.add(fault);
      const { informer, errors } = start(factory);
      await factory.start();

      assert.equal(errors.length, 1, errors.map((error) => error.message).join('\n'));
      assert.match(errors[0]!.message, message);
      assert.ok(errors[0]!.retryInMs! > 0);
      assert.equal(informer.lister.size, 3);
    });
  }

  it('an item that is not UTF-8 any more keeps its last state through a relist', async () => {
    const { informer, errors } = start(factory);
    const deleted: string[] = [];
    informer.addEventHandler({ onDelete: (object) => void deleted.push(JSON.stringify(object)) });
    await factory.start();
    await until('the watch is open', () => server.stats.openWatches === 1);
    server.faults.add({ fault: 'invalid-utf8', on: 'list', afterItems: 0, times: 1 });
    server.faults.add({ fault: 'status', code: 410, on: 'watch', times: 1 });
    server.create('configmaps', configMap('new'));
    server.closeWatches();
    await until('the relist came', () => errors.some((error) => /not UTF-8/.test(error.message)));
    await until(
      'it is synced again',
      () => BigInt(informer.lister.resourceVersion) >= BigInt(server.resourceVersion),
    );

    assert.deepEqual(deleted, []);
    assert.equal(informer.lister.size, 4);
  });
});

describe('a list of more than 512 MB', () => {
  const ITEMS = 560;
  const ITEM_BYTES = 1024 * 1024;
  let server: Server;

  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url?.includes('watch=')) {
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        return;
      }
      void (async () => {
        response.write(
          '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[',
        );
        const data = 'x'.repeat(ITEM_BYTES);
        for (let i = 0; i < ITEMS; i++) {
          const head = `{"metadata":{"name":"n${i}","namespace":"default","uid":"u${i}","resourceVersion":"5"},"data":{"blob":"`;
          const hasRoom = response.write(`${i === 0 ? '' : ','}${head}${data}","zone":"z${i % 7}"}}`);
          if (!hasRoom) await new Promise((resolve) => response.once('drain', resolve));
        }
        response.end(']}');
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('syncs: no string holds it anywhere', async () => {
    const kubeConfig = new KubeConfig();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    kubeConfig.loadFromClusterAndUser({ name: 'big', server: url, skipTLSVerify: true }, { name: 'nobody' });
    const factory = new SharedInformerFactory(kubeConfig);
    const informer = factory.informerFor(CONFIG_MAPS, {
      project: drop('data.blob'),
      indexers: { byZone: 'data.zone' },
    });
    await factory.start();

    assert.equal(informer.lister.size, ITEMS);
    assert.equal(informer.lister.indexKeys('byZone', 'z3').length, 80);
    await factory.stop();
  });
});

function start(factory: SharedInformerFactory): { informer: SharedInformer; errors: InformerError[] } {
  const informer = factory.informerFor(CONFIG_MAPS);
  const errors: InformerError[] = [];
  informer.on('error', (error) => errors.push(error));
  return { informer, errors };
}

function configMap(name: string): object {
  return {
    metadata: { name, namespace: 'default' },
    data: { text: 'some text that makes it longer '.repeat(8) },
  };
}
