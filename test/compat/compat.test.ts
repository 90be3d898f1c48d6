import assert from 'node:assert/strict';
import { afterEach, describe, it, type TestContext } from 'node:test';
import type { Informer, KubeConfig, ObjectCache, V1ConfigMap, V1Pod } from '@kubernetes/client-node';
import * as clientNode from '@kubernetes/client-node';
import * as kubering from '../../src/compat/index.ts';
import { CompatError, type CompatOptions, ListWatch, makeInformer, Watch } from '../../src/compat/index.ts';
import { FakeApiServer, type FakeApiServerOptions } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';
import { holds, type Same } from '../types/holds.ts';
import { CONFIG_MAPS, nameOf } from './libraries.ts';

describe('kubering/compat', () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function start(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
    const server = await FakeApiServer.start({ seed: 7, ...options });
    cleanups.push(() => server.stop());
    return server;
  }

  function open(
    kubeConfig: KubeConfig,
    options: CompatOptions = {},
    path = CONFIG_MAPS,
  ): ListWatch<V1ConfigMap> {
    const informer = makeInformer<V1ConfigMap>(kubeConfig, path, neverListed, undefined, undefined, options);
    cleanups.push(() => informer.stop());
    return informer as ListWatch<V1ConfigMap>;
  }

  it('exports all that client-node does, with its own informers', () => {
    assert.deepEqual(Object.keys(kubering).sort(), [...Object.keys(clientNode), 'CompatError'].sort());
    assert.notEqual(kubering.makeInformer, clientNode.makeInformer);
    assert.notEqual(kubering.ListWatch, clientNode.ListWatch);
    assert.equal(kubering.CoreV1Api, clientNode.CoreV1Api);
  });

  it('has types that code for client-node compiles with', () => {
    const made = (kubeConfig: KubeConfig): Informer<V1Pod> & ObjectCache<V1Pod> =>
      kubering.makeInformer<V1Pod>(kubeConfig, '/api/v1/pods', () => Promise.reject(new Error('unused')));
    const drop: (...args: Parameters<typeof clientNode.makeInformer<V1Pod>>) => Informer<V1Pod> =
      kubering.makeInformer<V1Pod>;
    type Arguments = ConstructorParameters<typeof clientNode.ListWatch<V1Pod>>;
    const constructed = (...args: Arguments): Omit<PublicOf<clientNode.ListWatch<V1Pod>>, never> =>
      new kubering.ListWatch<V1Pod>(...args);

    holds<Same<ReturnType<kubering.ListWatch<V1Pod>['get']>, V1Pod | undefined>>();
    holds<Same<ReturnType<kubering.ListWatch<V1Pod>['list']>, ReadonlyArray<V1Pod>>>();
    for (const claim of [made, drop, constructed]) assert.equal(typeof claim, 'function');
  });

  it('tells of an outage once, and again after start()', async () => {
    const server = await start();
    const informer = open(server.kubeConfig());
    const log: string[] = [];
    informer.on('error', (error) => log.push(`error ${error.statusCode}`));
    informer.on('connect', () => log.push('connect'));
    await informer.start();
    // A watch that brought something is followed by another one within a second.
    server.create('configmaps', { metadata: { name: 'a' } });
    await until('it came', () => informer.list().length === 1);
    const outage = server.faults.add({ fault: 'status', on: 'watch', code: 503 });
    server.closeWatches();
    await until('two tries failed', () => server.faults.hits(outage) === 2);
    assert.deepEqual(log, ['connect', 'error 503']);

    await informer.start();
    await until('it was told again', () => log.length === 4);
    assert.deepEqual(log, ['connect', 'error 503', 'connect', 'error 503']);
  });

  it('gives errors the fields by which code for client-node tells them apart', async () => {
    const server = await start();
    const informer = open(server.kubeConfig());
    server.faults.add({ fault: 'status', on: 'list', code: 403, times: 1 });
    const errors: CompatError[] = [];
    informer.on('error', (error) => errors.push(error));
    await informer.start();

    assert.equal(errors.length, 1);
    const [error] = errors;
    assert.ok(error instanceof CompatError);
    assert.equal(error.code, 403);
    assert.equal(error.statusCode, 403);
    assert.ok(error.retryInMs! > 0);
    assert.match(error.message, /list of configmaps failed.*grant the verbs list and watch/);
    assert.equal((error.cause as Error).name, 'InformerError');
  });

  it('goes on after a callback threw, tells error, and calls the others', async () => {
    const server = await start();
    server.create('configmaps', { metadata: { name: 'a' } });
    const informer = open(server.kubeConfig());
    const log: string[] = [];
    informer.on('error', ({ code, message }) => log.push(`${code}: ${message}`));
    informer.on('change', () => {
      throw new Error('oh no');
    });
    informer.on('change', (object) => log.push(nameOf(object)));
    await informer.start();
    server.create('configmaps', { metadata: { name: 'b' } });
    await until('both were told', () => log.length === 4);

    assert.deepEqual(log, [
      "callback-failed: a callback for 'add' failed on default/a: oh no",
      'default/a@1001',
      "callback-failed: a callback for 'add' failed on default/b: oh no",
      'default/b@1002',
    ]);
  });

  it('follows the one object that its path names', async () => {
    const server = await start();
    server.create('configmaps', { metadata: { name: 'a', namespace: 'web' } });
    server.create('configmaps', { metadata: { name: 'b', namespace: 'web' } });
    const informer = open(server.kubeConfig(), {}, '/api/v1/namespaces/web/configmaps/a');
    const log: string[] = [];
    informer.on('change', (object) => log.push(nameOf(object)));
    await informer.start();
    server.delete('configmaps', 'web/b');
    server.delete('configmaps', 'web/a');
    await until('the delete was told', () => log.length === 2);

    assert.deepEqual(log, ['web/a@1001', 'web/a@1004']);
  });

  it('replaces a watch that went silent, and calls nothing an error', async () => {
    const server = await start();
    const informer = open(server.kubeConfig(), { watchIdleMs: 300 });
    const log: string[] = [];
    informer.on('add', (object) => log.push(nameOf(object)));
    informer.on('error', (error) => log.push(String(error)));
    await informer.start();
    await until('the watch is open', () => server.stats.openWatches === 1);
    server.silenceWatches();
    server.create('configmaps', { metadata: { name: 'a' } });
    await until('it was told', () => log.length === 1);

    assert.deepEqual(log, ['default/a@1001']);
  });

  it('warns once of many that watch the same', async (t) => {
    const warnings = warningsOf(t);
    const kubeConfig = (await start()).kubeConfig();
    for (let i = 0; i < 13; i++) await open(kubeConfig).start();
    await until('it was warned', () => warnings.length > 0);

    assert.deepEqual(warnings, ['KUBERING_COMPAT_MANY_INFORMERS']);
  });

  it('keeps contexts of one KubeConfig apart', async () => {
    const [first, second] = [await start(), await start()];
    first.create('configmaps', { metadata: { name: 'a' } });
    second.create('configmaps', { metadata: { name: 'b' } });
    const kubeConfig = twoContexts(first, second);
    kubeConfig.setCurrentContext('first');
    const ofFirst = open(kubeConfig);
    await ofFirst.start();
    kubeConfig.setCurrentContext('second');
    const ofSecond = open(kubeConfig);
    await ofSecond.start();

    assert.equal(ofFirst.get('a', 'default')?.metadata?.name, 'a');
    assert.equal(ofSecond.get('b', 'default')?.metadata?.name, 'b');
    assert.equal(ofSecond.get('a', 'default'), undefined);
  });

  it('gives instances of client-node’s classes, with Dates, when asked for', async () => {
    const server = await start();
    const created = server.create('configmaps', { metadata: { name: 'a' } });
    const kubeConfig = server.kubeConfig();
    const informer = open(kubeConfig, { typedObjects: true });
    const added: V1ConfigMap[] = [];
    informer.on('add', (object) => added.push(object));
    await informer.start();

    assert.ok(added[0] instanceof clientNode.V1ConfigMap);
    const { creationTimestamp } = created.metadata as unknown as { creationTimestamp: string };
    assert.deepEqual(added[0].metadata?.creationTimestamp, new Date(creationTimestamp));
    assert.equal(informer.get('a', 'default'), added[0]);
    assert.equal(informer.list()[0], added[0]);
  });

  it('can be read after it was stopped while another one of its KubeConfig goes on', async () => {
    const server = await start();
    const kubeConfig = server.kubeConfig();
    server.create('configmaps', { metadata: { name: 'a' }, data: { text: 'grün' } });
    server.create('secrets', { metadata: { name: 's' } });
    const informer = open(kubeConfig);
    const other = open(kubeConfig, {}, '/api/v1/secrets');
    await informer.start();
    await other.start();
    const before = informer.list();
    await informer.stop();

    assert.deepEqual(informer.list(), before);
    assert.deepEqual(informer.list('nowhere'), []);
    assert.equal(informer.get('a', 'default')?.data?.text, 'grün');
    assert.equal(informer.get('a', 'default')?.kind, 'ConfigMap');
    assert.equal(other.list().length, 1);

    const log: string[] = [];
    informer.on('change', (object) => log.push(nameOf(object)));
    server.delete('configmaps', 'default/a');
    server.create('configmaps', { metadata: { name: 'b' } });
    await informer.start();
    assert.deepEqual(log.sort(), ['default/a@1001', 'default/b@1004']);
  });

  it('starts at once when it is constructed, unless it is told not to', async () => {
    const server = await start();
    server.create('configmaps', { metadata: { name: 'a' } });
    const informer = new ListWatch<V1ConfigMap>(CONFIG_MAPS, new Watch(server.kubeConfig()), neverListed);
    cleanups.push(() => informer.stop());
    const log: string[] = [];
    informer.on('add', (object) => log.push(nameOf(object)));
    await until('the list is complete', () => informer.latestResourceVersion() !== '');

    assert.deepEqual(log, ['default/a@1001']);
    assert.equal(informer.latestResourceVersion(), '1001');
  });
});

/** Methods without what is private. */
type PublicOf<T> = { [Key in keyof T]: T[Key] };

async function neverListed(): Promise<never> {
  throw new Error('the engine lists by itself');
}

function warningsOf(t: TestContext): string[] {
  const codes: string[] = [];
  const onWarning = (warning: Error & { code?: string }) => codes.push(warning.code ?? warning.name);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  return codes;
}

function twoContexts(first: FakeApiServer, second: FakeApiServer): KubeConfig {
  const kubeConfig = new clientNode.KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [
      { name: 'first', server: first.url, skipTLSVerify: true },
      { name: 'second', server: second.url, skipTLSVerify: true },
    ],
    users: [{ name: 'user' }],
    contexts: [
      { name: 'first', cluster: 'first', user: 'user' },
      { name: 'second', cluster: 'second', user: 'user' },
    ],
    currentContext: 'first',
  });
  return kubeConfig;
}
