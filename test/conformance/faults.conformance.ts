/** The API server crashes, etcd stands still, history is forgotten: nothing is lost and nothing is told twice. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { until } from '../e2e/until.ts';
import { ADMIN, kubeConfigOf } from './harness/cluster-access.ts';
import { Relay } from './harness/relay.ts';
import { collectionPath, Follower, withFactory } from './suite/follower.ts';
import { openRealServer, type RealServer } from './suite/real-server.ts';
import { defineWidgets, newNamespace, WIDGETS, WIDGETS_DEFINITION } from './suite/server-under-test.ts';
import { Writers } from './suite/writers.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
/** The API server has no watch cache for them (see `harness/cluster.ts`): what etcd forgets is gone at once. */
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };

const LIMIT_MS = 60_000;

describe('faults of a real cluster', () => {
  let server: RealServer;
  before(async () => {
    server = await openRealServer();
  });
  afterEach(() => server.control.restore());
  after(() => server.close());

  /** Informers behind a relay, which can be cut off while others still write. */
  async function behindRelay(body: (relay: Relay) => Promise<void>, options = {}): Promise<void> {
    const relay = await Relay.start(server.access, options);
    try {
      await body(relay);
    } finally {
      await relay.stop();
    }
  }

  for (const initialList of ['list', 'watchList'] as const) {
    it(`an API server that is killed and started again while objects change loses nothing (${initialList})`, async () => {
      const namespace = await newNamespace(server.api);
      const resources = [CONFIG_MAPS, SECRETS, WIDGETS].map((resource) => ({ ...resource, namespace }));
      await withFactory(server.kubeConfig(), async (factory) => {
        const followers = resources.map((resource) => new Follower(factory, resource, { initialList }));
        await factory.start();
        const writers = new Writers(server.api, resources);
        await writers.wrote(60);
        await until('all follow', () => followers.every(({ told }) => told.length > 0), LIMIT_MS);
        await server.control.killApiServer();
        await until('all know', () => followers.every(({ errors }) => errors.length > 0), LIMIT_MS);
        await server.control.startApiServer();
        await writers.wrote(60);
        await writers.stop();
        for (const follower of followers) await follower.settled(server.api);
      });
    });
  }

  it('etcd that stands still for a while holds up, and loses nothing', async () => {
    const resource = { ...CONFIG_MAPS, namespace: await newNamespace(server.api) };
    const path = collectionPath(resource);
    for (const name of ['a', 'b']) await server.api.create(path, { metadata: { name } });
    await withFactory(server.kubeConfig(), async (factory) => {
      const follower = new Follower(factory, resource);
      await factory.start();
      await server.control.pauseEtcd();
      const writes = Promise.all([
        server.api.patch(`${path}/a`, { data: { text: 'written to an etcd that stands still' } }),
        server.api.delete(`${path}/b`),
        server.api.create(path, { metadata: { name: 'c' } }),
      ]);
      // Begins meanwhile: it may wait or read the API server's memory, but must end with the same.
      const late = new Follower(factory, { ...SECRETS, namespace: resource.namespace });
      const started = factory.start();
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await server.control.resumeEtcd();
      await writes;
      await started;
      await follower.settled(server.api);
      await late.settled(server.api);

      assert.deepEqual(follower.story.slice(2).sort(), ['add c', 'delete b', 'update a']);
    });
  });

  it('410 after etcd was compacted and the API server started anew: one list tells what changed', () =>
    behindRelay(async (relay) => {
      const resource = { ...CONFIG_MAPS, namespace: await newNamespace(server.api) };
      const path = collectionPath(resource);
      for (const name of ['changed', 'gone', 'replaced', 'same']) {
        await server.api.create(path, { metadata: { name } });
      }
      await withFactory(kubeConfigOf(relay, { token: ADMIN.token }), async (factory) => {
        const follower = new Follower(factory, resource);
        await factory.start();
        relay.cut();
        await server.api.patch(`${path}/changed`, { data: { text: 'x' } });
        await server.api.delete(`${path}/gone`);
        await server.api.delete(`${path}/replaced`);
        for (const name of ['replaced', 'new']) await server.api.create(path, { metadata: { name } });
        await server.control.compact();
        await server.control.killApiServer();
        await server.control.startApiServer();
        relay.mend();
        await follower.settled(server.api);

        assert.deepEqual(follower.story.slice(4).sort(), [
          'add new',
          'add replaced',
          'delete gone',
          'delete replaced',
          'update changed',
        ]);
        const lost = follower.told.filter(({ isFinalStateUnknown }) => isFinalStateUnknown);
        assert.deepEqual(lost.map(({ key }) => key.split('/')[1]).sort(), ['gone', 'replaced']);
        assert.ok(follower.errors.some(({ code, status }) => code === 'expired' && status === 410));
        assert.equal(follower.informer.health().relists, 1);
      });
    }));

  it('410 of a resource without a watch cache, right after etcd was compacted', () =>
    behindRelay(async (relay) => {
      const resource = { ...SECRETS, namespace: await newNamespace(server.api) };
      const path = collectionPath(resource);
      await server.api.create(path, { metadata: { name: 'a' } });
      await withFactory(kubeConfigOf(relay, { token: ADMIN.token }), async (factory) => {
        const follower = new Follower(factory, resource);
        await factory.start();
        relay.cut();
        await server.api.create(path, { metadata: { name: 'b' } });
        await server.api.delete(`${path}/a`);
        await server.control.compact();
        relay.mend();
        await follower.settled(server.api);

        assert.deepEqual(follower.story.slice(1).sort(), ['add b', 'delete a']);
        assert.ok(follower.errors.some(({ code }) => code === 'expired'));
      });
    }));

  it('watches that the server ends after their time go on without a list', () =>
    behindRelay(
      async (relay) => {
        const resource = { ...CONFIG_MAPS, namespace: await newNamespace(server.api) };
        const path = collectionPath(resource);
        await withFactory(kubeConfigOf(relay, { token: ADMIN.token }), async (factory) => {
          const follower = new Follower(factory, resource);
          await factory.start();
          for (let i = 0; relay.watches.length < 4; i++) {
            await server.api.create(path, { metadata: { name: `n${i}` } });
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          await follower.settled(server.api);

          assert.equal(relay.lists.length, 1);
          assert.deepEqual(follower.errors, []);
        });
      },
      { rewrite: (path: string) => path.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=1') },
    ));

  it('pages of a list are followed to the last', () =>
    behindRelay(async (relay) => {
      const { namespace } = await manySecrets(server);
      await withFactory(kubeConfigOf(relay, { token: ADMIN.token }), async (factory) => {
        const follower = new Follower(factory, { ...SECRETS, namespace }, { pageLimit: 10 });
        await factory.start();
        await follower.settled(server.api);

        assert.equal(relay.lists.length, 4);
        assert.equal(relay.lists.filter((path) => path.includes('continue=')).length, 3);
        assert.deepEqual(follower.errors, []);
      });
    }));

  it('pages whose token was forgotten in the middle are given up for a whole list', async () => {
    const { namespace, path } = await manySecrets(server);
    const between = async (asked: string) => {
      if (!asked.includes('continue=') || relay.requests.length !== 2) return;
      await server.api.delete(`${path}/n00`);
      await server.api.create(path, { metadata: { name: 'zz' } });
      await server.control.compact();
    };
    const relay = await Relay.start(server.access, { hold: between });
    try {
      await withFactory(kubeConfigOf(relay, { token: ADMIN.token }), async (factory) => {
        const follower = new Follower(factory, { ...SECRETS, namespace }, { pageLimit: 10 });
        await factory.start();
        await follower.settled(server.api);

        assert.equal(follower.errors.length, 1);
        assert.deepEqual([follower.errors[0]!.code, follower.errors[0]!.status], ['expired', 410]);
        assert.doesNotMatch(relay.lists.at(-1)!, /limit|continue/);
      });
    } finally {
      await relay.stop();
    }
  });

  it('a resourceVersion that the server has not reached is answered by a list of the latest', () =>
    behindRelay(
      async (relay) => {
        const resource = { ...CONFIG_MAPS, namespace: await newNamespace(server.api) };
        await server.api.create(collectionPath(resource), { metadata: { name: 'a' } });
        await withFactory(kubeConfigOf(relay, { token: ADMIN.token }), async (factory) => {
          const follower = new Follower(factory, resource);
          await factory.start();
          await follower.settled(server.api);

          const [error] = follower.errors;
          assert.deepEqual([error!.code, error!.status], ['resource-version-too-large', 504]);
          assert.equal(relay.lists.length, 2);
          assert.doesNotMatch(relay.lists[1]!, /resourceVersion/);
        });
      },
      { rewrite: (path: string) => path.replace(/resourceVersion=0$/, 'resourceVersion=999999999999') },
    ));

  it('a custom resource whose definition is deleted is told with the remedy, and holds up nobody else', async () => {
    const definition = gadgets();
    const { group } = definition.spec;
    const path = `/apis/${group}/v1/namespaces/default/gadgets`;
    await defineWidgets(server.api, definition);
    await server.api.create(path, { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'a' } });
    await withFactory(server.kubeConfig(), async (factory) => {
      const follower = new Follower(factory, { group, version: 'v1', resource: 'gadgets' });
      const neighbour = new Follower(factory, CONFIG_MAPS);
      await factory.start();
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await server.api.delete(`${definitions}/${definition.metadata.name}`);
      await until('it is told', () => follower.errors.some(({ status }) => status === 404), LIMIT_MS);

      assert.match(follower.errors.at(-1)!.message, /custom resource definition is installed/);
      // The API server may end the watch before it has told that the object is gone: then it stays in the cache.
      const isTold = follower.told.length === 2;
      assert.deepEqual(follower.story, isTold ? ['add a', 'delete a'] : ['add a']);
      assert.equal(follower.informer.lister.size, isTold ? 0 : 1);
      assert.equal(follower.informer.health().degraded, true);
      await neighbour.settled(server.api);
      assert.deepEqual(neighbour.errors, []);
    });
  });
});

/** 35 Secrets in a namespace of their own. */
async function manySecrets(server: RealServer): Promise<{ namespace: string; path: string }> {
  const namespace = await newNamespace(server.api);
  const path = collectionPath({ ...SECRETS, namespace });
  for (let i = 0; i < 35; i++) {
    await server.api.create(path, { metadata: { name: `n${String(i).padStart(2, '0')}` } });
  }
  return { namespace, path };
}

function gadgets() {
  const definition = structuredClone(WIDGETS_DEFINITION);
  definition.metadata.name = `gadgets.${WIDGETS.group}`;
  definition.spec.names = { plural: 'gadgets', kind: 'Gadget' };
  return definition;
}
