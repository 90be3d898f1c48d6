import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Agent, request } from 'undici';
import { FakeApiServer, TEST_CA_CERT } from '../../src/testing/index.ts';
import { call, configMap, fill, type Json, startServer, WIDGETS, watch, wire } from './helpers.ts';

describe('testing: server', () => {
  it('listens on the loopback interface, and not after it was stopped', async () => {
    const server = await FakeApiServer.start();
    assert.equal(server.url, `http://127.0.0.1:${server.port}`);
    await server.stop();
    await assert.rejects(call(server, '/readyz'), /ECONNREFUSED/);
  });

  it('rejects when its port is taken', async (t) => {
    const first = await startServer(t);
    await assert.rejects(FakeApiServer.start({ port: first.port }), { code: 'EADDRINUSE' });
  });

  it('answers readyz, version and discovery', async (t) => {
    const server = await startServer(t, { resources: [WIDGETS] });
    for (const path of ['/readyz', '/livez', '/healthz']) assert.equal((await call(server, path)).text, 'ok');
    assert.equal((await call(server, '/version')).json.major, '1');
    assert.deepEqual((await call(server, '/api')).json.versions, ['v1']);
    const groups = (await call(server, '/apis')).json.groups.map((group: Json) => group.name);
    assert.ok(groups.includes('apps') && groups.includes('example.com'));
    const core = (await call(server, '/api/v1')).json.resources.map((resource: Json) => resource.name);
    assert.ok(core.includes('pods') && core.includes('pods/status'));
    const [widgets] = (await call(server, '/apis/example.com/v1')).json.resources;
    assert.deepEqual([widgets.name, widgets.kind, widgets.namespaced], ['widgets', 'Widget', true]);
  });

  for (const path of ['/', '/apis/none/v1', '/apis/none/v1/things', '/apis/example.com/v1/gadgets']) {
    it(`does not know ${path}`, async (t) => {
      const server = await startServer(t, { resources: [WIDGETS] });
      const { status, text } = await call(server, path);
      assert.deepEqual([status, text], [404, wire('list-unknown-resource')]);
    });
  }

  for (const path of [
    '/api/v1/gadgets',
    '/api/v9/pods',
    '/apis/apps/v1/gadgets',
    '/apis/apps/v9/deployments',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/pods/no-namespace',
    '/api/v1/namespaces/%zz/gadgets',
    '/api/v1/namespaces/default/configmaps/a/status',
    '/api/v1/namespaces/default/pods/a/gadgets',
  ]) {
    it(`knows the group of ${path}, and not what is asked for`, async (t) => {
      const server = await startServer(t);
      const { status, json } = await call(server, path);
      assert.equal(status, 404);
      assert.deepEqual([json.reason, json.details], ['NotFound', {}]);
      assert.equal(json.message, 'the server could not find the requested resource');
    });
  }

  it('serves namespaces themselves, and what is in them', async (t) => {
    const server = await startServer(t);
    server.create('namespaces', { metadata: { name: 'web' }, status: { phase: 'Active' } });
    server.create('configmaps', { metadata: { name: 'a', namespace: 'web' } });
    assert.equal((await call(server, '/api/v1/namespaces')).json.items.length, 1);
    assert.equal((await call(server, '/api/v1/namespaces/web')).json.kind, 'Namespace');
    const patched = await call(server, '/api/v1/namespaces/web/status', {
      method: 'PATCH',
      body: { status: { phase: 'Terminating' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    assert.equal(patched.json.status.phase, 'Terminating');
    assert.equal((await call(server, '/api/v1/namespaces/web/configmaps/a')).json.metadata.name, 'a');
  });

  it('speaks TLS with a certificate that its authority signed for localhost', async (t) => {
    const server = await startServer(t, { tls: true });
    const dispatcher = new Agent({ connect: { ca: TEST_CA_CERT } });
    for (const host of ['127.0.0.1', 'localhost']) {
      const { statusCode, body } = await request(`https://${host}:${server.port}/readyz`, { dispatcher });
      assert.deepEqual([statusCode, await body.text()], [200, 'ok']);
    }
    await assert.rejects(request(`${server.url}/readyz`), /certificate/);
    await dispatcher.close();
  });

  it('lets only bearers of its tokens in, and answers others as the real server does', async (t) => {
    const server = await startServer(t, { tokens: ['old'] });
    const withToken = (token: string) =>
      call(server, '/api/v1/pods', { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await withToken('old')).status, 200);
    const refused = await call(server, '/api/v1/pods');
    assert.deepEqual([refused.status, refused.text], [401, wire('list-unauthorized')]);
    server.acceptTokens(['new']);
    assert.equal((await withToken('old')).status, 401);
    assert.equal((await withToken('new')).status, 200);
  });

  it('gives a KubeConfig with which client-node can list, create, patch and delete', async (t) => {
    for (const tls of [false, true]) {
      const server = await startServer(t, { tls, tokens: ['secret'] });
      const { CoreV1Api, KubeConfig } = await import('@kubernetes/client-node');
      const fromText = new KubeConfig();
      fromText.loadFromString(server.kubeConfigYaml());
      for (const config of [server.kubeConfig(), fromText]) {
        const api = config.makeApiClient(CoreV1Api);
        const namespace = 'default';
        const created = await api.createNamespacedConfigMap({
          namespace,
          body: { metadata: { name: 'a' }, data: { x: '1' } },
        });
        await api.replaceNamespacedConfigMap({
          namespace,
          name: 'a',
          body: { ...created, data: { x: '2' } },
        });
        const body = [{ op: 'add', path: '/data/y', value: '3' }];
        await api.patchNamespacedConfigMap({ namespace, name: 'a', body });
        const { items } = await api.listNamespacedConfigMap({ namespace });
        assert.deepEqual(
          items.map((item) => item.data),
          [{ x: '2', y: '3' }],
        );
        await api.deleteNamespacedConfigMap({ namespace, name: 'a' });
        await assert.rejects(api.readNamespacedConfigMap({ namespace, name: 'a' }), { code: 404 });
      }
    }
  });

  it('feeds an informer of client-node', async (t) => {
    const server = await startServer(t);
    await server.seedPods(20);
    const { CoreV1Api, makeInformer } = await import('@kubernetes/client-node');
    const config = server.kubeConfig();
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
    const seen: string[] = [];
    const sawNew = new Promise<void>((resolve) => {
      informer.on('add', (pod) => {
        seen.push(pod.metadata!.name!);
        if (pod.metadata!.name === 'new') resolve();
      });
    });
    await informer.start();
    assert.equal(seen.length, 20);
    server.create('pods', { metadata: { name: 'new' }, spec: {} });
    await sawNew;
    await informer.stop();
  });

  it('logs requests, bounded, without credentials', async (t) => {
    const server = await startServer(t, { requestLogLimit: 2 });
    for (const path of ['/api/v1/pods', '/api/v1/nodes/x', '/version']) {
      await call(server, path, { headers: { authorization: 'Bearer secret', 'user-agent': 'tester' } });
    }
    const [first, second] = server.requests;
    assert.equal(server.requests.length, 2);
    const { verb, resource, name, status, url, userAgent } = first!;
    assert.deepEqual(
      [verb, resource, name, status, url, userAgent],
      ['get', 'nodes', 'x', 404, '/api/v1/nodes/x', 'tester'],
    );
    assert.equal(second!.verb, 'other');
    assert.ok(!JSON.stringify(server.requests).includes('secret'));
  });

  it('counts what it does and what it has open', async (t) => {
    const server = await startServer(t);
    fill(server, 2);
    await call(server, '/api/v1/configmaps');
    await call(server, '/api/v1/configmaps/none');
    const events = await watch(server, '/api/v1/configmaps?watch=1');
    await events.take(2);
    const { lists, watches, openWatches, eventsSent, failures, bytesSent } = server.stats;
    assert.deepEqual([lists, watches, openWatches, eventsSent, failures], [1, 1, 1, 2, 1]);
    assert.ok(bytesSent > 200);
    server.dropConnections();
    await assert.rejects(events.line());
  });

  it('counts resourceVersions on from where it is told, over all resources', async (t) => {
    const server = await startServer(t, { resourceVersion: 9_007_199_254_000 });
    server.create('configmaps', configMap('a'));
    const pod: Json = server.create('pods', { metadata: { name: 'p' } });
    assert.equal(pod.metadata.resourceVersion, '9007199254002');
    assert.match((await call(server, '/api/v1/pods')).text, /"resourceVersion":"9007199254002"/);
  });
});
