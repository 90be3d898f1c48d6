import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { type KubeConfig, type V1ConfigMap, Watch } from '@kubernetes/client-node';
import { ListWatch } from '../../src/compat/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';
import { CONFIG_MAPS, nameOf } from './libraries.ts';

type Callback = (phase: string, object: unknown) => void;

describe('an informer that uses the list function', () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  function follow(informer: ListWatch<V1ConfigMap>): string[] {
    const log: string[] = [];
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, (object) => log.push(`${verb} ${nameOf(object)}`));
    }
    informer.on('error', ({ code, message }) => log.push(`error ${code} ${message}`));
    cleanups.push(() => informer.stop());
    return log;
  }

  it('follows a path that the engine does not know, through client-node’s Watch', async () => {
    const server = await FakeApiServer.start({ seed: 7 });
    cleanups.push(() => server.stop());
    server.create('configmaps', { metadata: { name: 'a' } });
    const path = `${CONFIG_MAPS}?pretty=false`;
    const informer = new ListWatch(path, new Watch(server.kubeConfig()), listOf(server.kubeConfig()), false);
    const log = follow(informer);
    await informer.start();
    await until('the watch is open', () => server.stats.openWatches === 1);
    server.patch('configmaps', 'default/a', { data: { a: 'b' } });
    await until('it was told', () => log.length === 2);
    server.dropConnections('reset');
    server.delete('configmaps', 'default/a');
    await until('it goes on after a reset', () => log.some((line) => line.startsWith('delete')));

    assert.deepEqual(
      log.filter((line) => !line.startsWith('error')),
      ['add default/a@1001', 'update default/a@1002', 'delete default/a@1003'],
    );
    assert.ok(server.requests.some(({ url }) => url.includes('pretty=false')));
    await informer.stop();
    await until('the watch is closed', () => server.stats.openWatches === 0);
  });

  it('does so for a known path when its options say so', async () => {
    const server = await FakeApiServer.start({ seed: 7 });
    cleanups.push(() => server.stop());
    const kubeConfig = server.kubeConfig();
    let lists = 0;
    const listFn = () => {
      lists++;
      return listOf(kubeConfig)();
    };
    const options = { source: 'listFn' as const };
    const informer = new ListWatch(
      CONFIG_MAPS,
      new Watch(kubeConfig),
      listFn,
      false,
      undefined,
      undefined,
      options,
    );
    follow(informer);
    await informer.start();

    assert.equal(lists, 1);
  });

  it('asks a Watch of your own, with the parameters that client-node gives', async () => {
    const fake = new FakeWatch();
    const informer = new ListWatch(
      CONFIG_MAPS,
      fake.asWatch(),
      lists([object('a', 1)], '5'),
      false,
      'a=b',
      'c=d',
    );
    const log = follow(informer);
    await informer.start();
    await until('it watches', () => fake.calls.length === 1);
    assert.deepEqual(fake.calls[0], [
      CONFIG_MAPS,
      { resourceVersion: '5', labelSelector: 'a=b', fieldSelector: 'c=d' },
    ]);

    fake.callback('ADDED', object('b', 6));
    fake.callback('MODIFIED', object('a', 7));
    fake.callback('DELETED', object('b', 8));
    await until('all were told', () => log.length === 4);
    assert.deepEqual(log, ['add ns/a@1', 'add ns/b@6', 'update ns/a@7', 'delete ns/b@8']);
    assert.equal(informer.latestResourceVersion(), '8');
  });

  it('ends its Watch when it is stopped', async () => {
    const fake = new FakeWatch();
    const informer = new ListWatch(CONFIG_MAPS, fake.asWatch(), lists([], '5'), false);
    follow(informer);
    await informer.start();
    await until('it watches', () => fake.calls.length === 1);
    await informer.stop();

    assert.equal(fake.controller.signal.aborted, true);
  });

  it('lists again when the version expired, as error of the Watch or as event', async () => {
    const fake = new FakeWatch();
    let items = [object('a', 1), object('b', 2)];
    const listFn = async () => ({ metadata: { resourceVersion: '5' }, items });
    const informer = new ListWatch(CONFIG_MAPS, fake.asWatch(), listFn, false);
    const log = follow(informer);
    await informer.start();
    await until('it watches', () => fake.calls.length === 1);
    items = [object('b', 2)];
    fake.callback('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
    await until('it watches again', () => fake.calls.length === 2);
    items = [object('b', 9)];
    fake.done(Object.assign(new Error('Gone'), { statusCode: 410 }));
    await until('it watches once more', () => fake.calls.length === 3);
    await until('all were told', () => log.length === 4);

    assert.deepEqual(log, ['add ns/a@1', 'add ns/b@2', 'delete ns/a@1', 'update ns/b@9']);
  });

  it('opens another watch, without an error, after a time-out of client-node’s', async () => {
    const fake = new FakeWatch();
    const informer = new ListWatch(CONFIG_MAPS, fake.asWatch(), lists([object('a', 1)], '5'), false);
    const log = follow(informer);
    await informer.start();
    await until('it watches', () => fake.calls.length === 1);
    fake.callback('MODIFIED', object('a', 6));
    fake.done(new DOMException('silent for 30 s', 'TimeoutError'));
    await until('it watches again', () => fake.calls.length === 2);
    await until('both were told', () => log.length === 2);

    assert.equal(fake.calls[1]![1].resourceVersion, '6');
    assert.deepEqual(log, ['add ns/a@1', 'update ns/a@6']);
  });

  it('tells an error that the list function rejects with, and tries again', async () => {
    const fake = new FakeWatch();
    let isUp = false;
    const listFn = async () => {
      if (!isUp) throw Object.assign(new Error('Service Unavailable'), { code: 503 });
      return { metadata: { resourceVersion: '5' }, items: [object('a', 1)] };
    };
    const informer = new ListWatch(CONFIG_MAPS, fake.asWatch(), listFn, false);
    const log = follow(informer);
    await informer.start();
    assert.match(log[0]!, /^error 503 .*Service Unavailable/);

    isUp = true;
    await until('it was told', () => log.length === 2);
    assert.equal(log[1], 'add ns/a@1');
  });

  it('takes what client-node’s list methods give for one page as all there is', async () => {
    const fake = new FakeWatch();
    const list = { metadata: { resourceVersion: '5', _continue: 'more' }, items: [object('a', 1)] };
    const informer = new ListWatch(CONFIG_MAPS, fake.asWatch(), async () => list, false);
    const log = follow(informer);
    await informer.start();

    assert.deepEqual(log, ['add ns/a@1']);
  });

  it('watches from any version when the list names none', async () => {
    const fake = new FakeWatch();
    const informer = new ListWatch<V1ConfigMap>(
      CONFIG_MAPS,
      fake.asWatch(),
      async () => ({ items: [] }),
      false,
    );
    follow(informer);
    await informer.start();
    await until('it watches', () => fake.calls.length === 1);

    assert.equal(fake.calls[0]![1].resourceVersion, '0');
  });
});

/** A Watch as people write them for their tests. */
class FakeWatch {
  readonly calls: [path: string, query: Record<string, unknown>][] = [];
  callback: Callback = () => {};
  done: (error: unknown) => void = () => {};
  readonly controller = new AbortController();

  async watch(
    path: string,
    query: Record<string, unknown>,
    callback: Callback,
    done: (error: unknown) => void,
  ): Promise<AbortController> {
    this.calls.push([path, query]);
    this.callback = callback;
    this.done = done;
    return this.controller;
  }

  asWatch(): Watch {
    return this as unknown as Watch;
  }
}

function object(name: string, version: number): V1ConfigMap {
  return { metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version) } };
}

function lists(items: V1ConfigMap[], resourceVersion: string) {
  return async () => ({ metadata: { resourceVersion }, items });
}

function listOf(kubeConfig: KubeConfig) {
  return async () => {
    const { CoreV1Api } = await import('@kubernetes/client-node');
    return kubeConfig.makeApiClient(CoreV1Api).listConfigMapForAllNamespaces();
  };
}
