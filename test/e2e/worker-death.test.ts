import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BroadcastChannel } from 'node:worker_threads';
import { SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { BODY_FORMATS, type BodyFormat } from './body-formats.ts';
import { FAILURES, type Failure } from './failing-worker.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

for (const bodies of BODY_FORMATS) {
  describe(`a worker that dies, with ${bodies} bodies`, () => testWorkerDeath(bodies));
}

function testWorkerDeath(bodies: BodyFormat): void {
  it('is replaced; informers converge, tell each change once, and nothing of what is unchanged', async () => {
    const server = await FakeApiServer.start({ seed: 7 });
    const factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies } });
    try {
      await server.seedPods(300);
      for (const name of ['same', 'changed', 'gone']) server.create('configmaps', configMap(name));
      const pods = factory.informerFor(PODS, { indexers: { byNode: 'spec.nodeName' } });
      const configMaps = factory.informerFor(CONFIG_MAPS);
      const codes: string[] = [];
      configMaps.on('error', ({ code }) => codes.push(code));
      const seen: string[] = [];
      for (const informer of [pods, configMaps]) {
        informer.addEventHandler({
          onEvent(event) {
            if (!event.isInitial) seen.push(`${event.type} ${event.key}`);
          },
        });
      }
      await factory.start();
      const nodes = pods.lister.indexValues('byNode').sort();

      await factory.fleet!.kill();
      server.update('configmaps', { ...server.get('configmaps', 'default/changed'), data: { v: '2' } });
      server.delete('configmaps', 'default/gone');
      server.create('configmaps', configMap('new'));
      await until('it caught up', () => seen.includes('add default/new') && seen.length === 3);
      await until('the other listed anew', () => server.requests.filter(isPodList).length === 2);
      await until('old memory is given back', () => factory.stats.arenaBytes <= 8 * 1024 * 1024);

      assert.deepEqual(seen.sort(), ['add default/new', 'delete default/gone', 'update default/changed']);
      assert.deepEqual(codes, ['worker-lost']);
      assert.equal(pods.lister.size, 300);
      assert.deepEqual(pods.lister.indexValues('byNode').sort(), nodes);
      server.create('configmaps', configMap('later'));
      await until('it follows on', () => configMaps.lister.has('default/later'));
    } finally {
      await factory.stop();
      await server.stop();
    }
  });

  for (const { failure, says } of [
    { failure: 'memory', says: /out of memory|memory limit/i },
    { failure: 'trap', says: /the scanner trapped: unreachable/ },
  ] satisfies { failure: Failure; says: RegExp }[]) {
    it(`is replaced when it ${failure === 'memory' ? 'runs out of memory' : 'meets a WASM trap'}`, async () => {
      const server = await FakeApiServer.start({ seed: 9 });
      const factory = new SharedInformerFactory(server.kubeConfig(), {
        defaults: { bodies },
        workerHeapBytes: 64 * 1024 * 1024,
        workerEntry: new URL('./failing-worker.ts', import.meta.url),
      });
      const failures = new BroadcastChannel(FAILURES);
      try {
        for (const name of ['same', 'changed', 'gone']) server.create('configmaps', configMap(name));
        const configMaps = factory.informerFor(CONFIG_MAPS);
        const errors: string[] = [];
        configMaps.on('error', ({ code, message }) => errors.push(`${code}: ${message}`));
        const seen: string[] = [];
        configMaps.addEventHandler({
          onEvent(event) {
            if (!event.isInitial) seen.push(`${event.type} ${event.key}`);
          },
        });
        await factory.start();

        failures.postMessage(failure);
        // A trap needs something to scan; the change may also be what the next worker lists.
        await until('the worker is told', () => {
          if (errors.length === 0) server.update('configmaps', { ...configMap('changed'), data: { v: '2' } });
          return errors.length > 0;
        });
        server.delete('configmaps', 'default/gone');
        server.create('configmaps', configMap('new'));
        await until(
          'it caught up',
          () => seen.includes('add default/new') && seen.includes('delete default/gone'),
        );

        assert.equal(errors.length, 1, errors.join('\n'));
        assert.match(errors[0]!, /^worker-lost: /);
        assert.match(errors[0]!, says);
        const others = seen.filter((event) => event !== 'update default/changed');
        assert.deepEqual(others.sort(), ['add default/new', 'delete default/gone']);
        assert.deepEqual(
          configMaps.lister.get('default/changed'),
          server.get('configmaps', 'default/changed'),
        );
        assert.equal(configMaps.lister.size, 3);
      } finally {
        failures.close();
        await factory.stop();
        await server.stop();
      }
    });
  }

  it('is survived in the middle of a stream of changes, again and again', async () => {
    const server = await FakeApiServer.start({ seed: 8 });
    const factory = new SharedInformerFactory(server.kubeConfig(), { defaults: { bodies }, workers: 2 });
    try {
      await server.seedPods(200);
      const pods = factory.informerFor(PODS);
      await factory.start();
      const churn = server.churn({
        resource: 'pods',
        rate: 1500,
        seconds: 2,
        mix: { create: 1, update: 4, delete: 1 },
        seed: 4,
      });
      for (let i = 0; i < 3; i++) {
        await new Promise((resolve) => setTimeout(resolve, 400));
        await factory.fleet!.kill();
      }
      await churn;
      const expected = () =>
        server
          .list('pods')
          .map(({ metadata }) => (metadata as { uid: string }).uid)
          .sort();
      await until('the cache has what the server has', () => {
        const cached = pods.lister
          .refs()
          .map((ref) => ref.uid)
          .sort();
        return JSON.stringify(cached) === JSON.stringify(expected());
      });
      for (const pod of server.list('pods')) {
        const { namespace, name } = pod.metadata as { namespace: string; name: string };
        assert.deepEqual(pods.lister.get(`${namespace}/${name}`), pod);
      }
    } finally {
      await factory.stop();
      await server.stop();
    }
  });
}

function isPodList({ verb, resource }: { verb: string; resource?: string | undefined }): boolean {
  return verb === 'list' && resource === 'pods';
}

function configMap(name: string): object {
  return { metadata: { name, namespace: 'default' }, data: { v: '1' } };
}
