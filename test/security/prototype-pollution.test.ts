/** Objects, keys and names that would change all objects of the program, were they copied carelessly. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import {
  drop,
  type InformerOptions,
  keep,
  type SharedInformer,
  SharedInformerFactory,
} from '../../src/index.ts';
import { MetricsRegistry } from '../../src/metrics/index.ts';
import { until } from '../e2e/until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

/** Names that mean something to JavaScript. */
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'];

const HOSTILE = `{
  "metadata": { "name": "hostile", "namespace": "default", "uid": "u", "resourceVersion": "4",
    "labels": { "__proto__": "x", "constructor": "y", "app": "web" },
    "annotations": { "__proto__": { "polluted": "yes" }, "constructor": { "prototype": { "polluted": "yes" } } } },
  "__proto__": { "polluted": "yes" },
  "constructor": { "prototype": { "polluted": "yes" } },
  "data": { "__proto__": { "polluted": "yes" }, "toString": "no function", "then": "no promise" }
}`;

interface Hostile {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
}

/** An API server that says what it is told: the fake one would put the keys in order. */
class RawServer {
  readonly #http = createServer((request, response) => this.#answer(request.url ?? '', response));
  #watch: ServerResponse | undefined;
  #port = 0;

  async start(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  get isWatched(): boolean {
    return this.#watch !== undefined;
  }

  kubeConfig(): KubeConfig {
    const kubeConfig = new KubeConfig();
    const server = `http://127.0.0.1:${this.#port}`;
    // Over plain HTTP nothing is asked of a server that could be trusted, unless it is said so.
    kubeConfig.loadFromClusterAndUser({ name: 'raw', server, skipTLSVerify: true }, { name: 'nobody' });
    return kubeConfig;
  }

  event(type: string, object: string): void {
    this.#watch?.write(`{"type":"${type}","object":${object.replaceAll('\n', '')}}\n`);
  }

  async stop(): Promise<void> {
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }

  #answer(url: string, response: ServerResponse): void {
    response.setHeader('content-type', 'application/json');
    if (url.includes('watch=1')) {
      this.#watch = response;
      response.flushHeaders();
      return;
    }
    const head = '"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"}';
    response.end(`{${head},"__proto__":{"polluted":"yes"},"items":[${HOSTILE}]}`);
  }
}

describe('hostile objects', () => {
  let server: RawServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = new RawServer();
    await server.start();
    factory = new SharedInformerFactory(server.kubeConfig());
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
    assertClean();
  });

  async function cached(options: InformerOptions): Promise<SharedInformer> {
    const informer = factory.informerFor(CONFIG_MAPS, options);
    await factory.start();
    return informer;
  }

  for (const [what, options] of [
    ['as JSON', {}],
    ['as MessagePack', { bodies: 'msgpack' }],
    ['frozen', { freeze: true }],
    ['without what is dropped', { project: drop('metadata.annotations') }],
    ['with what is kept', { project: keep('metadata', 'data') }],
  ] as const) {
    it(`are decoded to what JSON.parse gives, ${what}`, async () => {
      const informer = await cached(options);
      const { data, metadata } = informer.lister.get('default/hostile') as Hostile;

      assert.equal(Object.getPrototypeOf(data), Object.prototype);
      assert.equal((data as { polluted?: string }).polluted, undefined);
      assert.deepEqual(JSON.parse(JSON.stringify(data)), (JSON.parse(HOSTILE) as Hostile).data);
      assert.equal(Object.hasOwn(metadata.labels, '__proto__'), true);
      assertClean();
    });
  }

  it('change nothing when an event brings them, and another one changes them', async () => {
    const informer = await cached({});
    const seen: object[] = [];
    informer.addEventHandler({
      onUpdate: (before, after) => void seen.push(before as object, after as object),
    });
    await until('the watch is open', () => server.isWatched);
    server.event('MODIFIED', HOSTILE.replace('"resourceVersion": "4"', '"resourceVersion": "6"'));
    await until('the event came', () => seen.length === 2);

    for (const object of seen) assert.equal(Object.getPrototypeOf(object), Object.prototype);
    assertClean();
  });

  it('are found by index values and columns of such names, and no function is', async () => {
    const informer = await cached({
      indexers: Object.fromEntries(NAMES.map((name) => [`by-${name}`, `metadata.labels['${name}']`])),
      columns: Object.fromEntries(NAMES.map((name) => [`of-${name}`, `data['${name}']`])),
    });
    const ref = informer.lister.ref('default/hostile')!;

    assert.deepEqual(informer.lister.indexKeys('by-__proto__', 'x'), ['default/hostile']);
    assert.deepEqual(informer.lister.indexKeys('by-constructor', 'y'), ['default/hostile']);
    assert.deepEqual(informer.lister.indexKeys('by-toString', 'x'), []);
    assert.equal(ref.column('of-toString'), 'no function');
    assert.equal(ref.column('of-valueOf'), undefined);
    for (const name of NAMES) assert.equal(informer.lister.get(`default/${name}`), undefined);
  });

  it('give no names to indexes and columns', () => {
    for (const name of NAMES.filter((name) => name in Object.prototype)) {
      const fields = Object.fromEntries([[name, 'spec.a']]);
      assert.throws(() => factory.informerFor(CONFIG_MAPS, { indexers: fields }), { code: 'FIELD_NAME' });
      assert.throws(() => factory.informerFor(CONFIG_MAPS, { columns: fields }), { code: 'FIELD_NAME' });
    }
  });

  it('match label selectors by their own labels only', async () => {
    const informer = await cached({});
    const { lister } = informer;

    assert.equal(lister.list({ labelSelector: 'constructor=y' }).length, 1);
    assert.equal(lister.list({ labelSelector: 'toString' }).length, 0);
    assert.equal(lister.list({ labelSelector: '!hasOwnProperty' }).length, 1);
  });

  it('are cached when their names are such names', async () => {
    const informer = await cached({});
    await until('the watch is open', () => server.isWatched);
    for (const name of ['constructor', 'prototype', 'then']) {
      server.event(
        'ADDED',
        JSON.stringify({ metadata: { name, namespace: 'default', resourceVersion: '7' } }),
      );
    }
    await until('they came', () => informer.lister.size === 4);

    assert.deepEqual(informer.lister.keys().sort(), [
      'default/constructor',
      'default/hostile',
      'default/prototype',
      'default/then',
    ]);
  });

  it('make no metrics of their own', async () => {
    await cached({ labelSelector: 'app' });
    const metrics = new MetricsRegistry();
    metrics.addFactory(factory, { name: '__proto__' });

    assert.ok(metrics.collect().every(({ samples }) => Array.isArray(samples)));
    assertClean();
  });
});

function assertClean(): void {
  assert.equal(({} as { polluted?: string }).polluted, undefined);
  assert.equal(([] as { polluted?: string }).polluted, undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
}
