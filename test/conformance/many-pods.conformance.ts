/** A list that is large, of Pods as clusters have them, written by the API server itself. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FakeApiServer } from '../../src/testing/index.ts';
import type { Json } from './harness/connection.ts';
import { Follower, withFactory } from './suite/follower.ts';
import { inParallel } from './suite/in-parallel.ts';
import { openRealServer, type RealServer } from './suite/real-server.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const COUNT = 3000;

/** One Pod in so many has a status: each write takes the API server as long as ten reads. */
const STATUS_EVERY = 3;

describe(`${COUNT} Pods with managedFields`, () => {
  let server: RealServer;
  /** Keys of all, in order. */
  let keys: string[];
  let namespaces: Set<string>;

  before(async () => {
    server = await openRealServer();
    const pods = await makePods();
    namespaces = new Set(pods.map(({ metadata }) => metadata.namespace));
    for (const name of namespaces) {
      // `default` is there from the start.
      await server.api.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    }
    await inParallel(pods, ({ metadata, spec }) => create({ metadata, spec }));
    const started = pods.filter((_, i) => i % STATUS_EVERY === 0);
    await inParallel(started, ({ metadata, status }) => start(metadata, status));
    keys = pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  });
  after(async () => {
    for (const namespace of namespaces) {
      await server.api.delete(`/api/v1/namespaces/${namespace}/pods?gracePeriodSeconds=0`);
    }
    await server.close();
  });

  function create(pod: Json): Promise<Json> {
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods`;
    return server.api.create(`${path}?fieldManager=kube-controller-manager`, pod);
  }

  /** As a kubelet does. */
  function start({ namespace, name }: Json, status: Json): Promise<Json> {
    return server.api.patch(`${pathOf(`${namespace}/${name}`)}/status?fieldManager=kubelet`, { status });
  }

  for (const initialList of ['list', 'watchList'] as const) {
    it(`are in the cache as a fresh list has them (${initialList})`, () =>
      withFactory(server.kubeConfig(), async (factory) => {
        const follower = new Follower(factory, PODS, { initialList });
        await factory.start();
        await follower.settled(server.api);

        const pod = follower.informer.lister.get(keys[0]!);
        const managers = pod.metadata.managedFields.map(({ manager }: Json) => manager);
        assert.deepEqual(managers, ['kube-controller-manager', 'kubelet']);
        assert.ok(follower.informer.lister.size >= COUNT);
        assert.deepEqual(follower.errors, []);
      }));
  }

  it('change and go while they are listed, and end as the server has them', () =>
    withFactory(server.kubeConfig(), async (factory) => {
      const options = { indexers: { byNode: 'spec.nodeName' }, compression: 'gzip' as const };
      const follower = new Follower(factory, PODS, options);
      const labelled = keys.slice(0, 300);
      const deleted = keys.slice(300, 500);
      const changes = Promise.all([
        inParallel(labelled, (key) => server.api.patch(pathOf(key), { metadata: { labels: { wave: '1' } } })),
        inParallel(deleted, (key) => server.api.delete(pathOf(key, '?gracePeriodSeconds=0'))),
      ]);
      await factory.start();
      await changes;
      await follower.settled(server.api);

      const { lister } = follower.informer;
      const nodes = lister.indexValues('byNode');
      const indexed = nodes.reduce((sum, node) => sum + lister.indexKeys('byNode', node).length, 0);
      assert.equal(indexed, lister.list().filter((pod) => pod.spec.nodeName).length);
      assert.equal(
        deleted.some((key) => lister.has(key)),
        false,
      );
    }));
});

/** Pods of the fake API server, without what only a server may write: valid ones, as it turns out. */
async function makePods(): Promise<Json[]> {
  const fake = await FakeApiServer.start({ seed: 5 });
  try {
    await fake.seedPods(COUNT);
    return fake.list('pods').map(({ metadata, spec, status }: Json) => {
      const { name, namespace, labels, annotations, ownerReferences } = metadata;
      return { metadata: { name, namespace, labels, annotations, ownerReferences }, spec, status };
    });
  } finally {
    await fake.stop();
  }
}

function pathOf(key: string, query = ''): string {
  const [namespace, name] = key.split('/');
  return `/api/v1/namespaces/${namespace}/pods/${name}${query}`;
}
