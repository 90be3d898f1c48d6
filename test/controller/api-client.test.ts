import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { ApiClient, ApiError } from '../../src/controller/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const NODES = { group: '', version: 'v1', resource: 'nodes' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

interface ConfigMap {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; resourceVersion?: string; annotations?: object };
  data?: Record<string, string>;
}

describe('ApiClient', () => {
  let server: FakeApiServer;
  let client: ApiClient;

  beforeEach(async () => {
    server = await FakeApiServer.start();
    client = new ApiClient(server.kubeConfig(), { userAgent: 'web-operator/1.0' });
  });

  afterEach(async () => {
    await client.close();
    await server.stop();
  });

  it('creates, reads, replaces and patches objects', async () => {
    const created = await client.create(CONFIG_MAPS, configMap('a', { v: '1' }));
    assert.deepEqual(await client.get(CONFIG_MAPS, { namespace: 'shop', name: 'a' }), created);
    const updated = await client.update(CONFIG_MAPS, { ...created, data: { v: '2' } });
    assert.equal(updated.data?.v, '2');
    const patched = await client.patch<ConfigMap>(
      CONFIG_MAPS,
      { namespace: 'shop', name: 'a' },
      { data: { v: null, w: '3' } },
    );
    assert.deepEqual(patched.data, { w: '3' });
    assert.deepEqual(server.get('configmaps', 'shop/a'), patched);
  });

  it('deletes an object, and says which', async () => {
    const name = { namespace: 'shop', name: 'a' };
    const { uid } = (await client.create(CONFIG_MAPS, configMap('a'))).metadata as { uid?: string };
    assert.deepEqual(await client.delete(CONFIG_MAPS, name), { metadata: { ...name, uid } });
    assert.equal(server.get('configmaps', 'shop/a'), undefined);
    await assert.rejects(client.delete(CONFIG_MAPS, name), { code: 'not-found' });
  });

  it('gives the object back that is still there, because of its finalizers', async () => {
    server.create('configmaps', {
      metadata: { namespace: 'shop', name: 'a', finalizers: ['example.com/x'] },
    });
    const { metadata } = await client.delete(CONFIG_MAPS, { namespace: 'shop', name: 'a' });
    assert.notEqual(metadata?.deletionTimestamp, undefined);
    assert.deepEqual(metadata?.finalizers, ['example.com/x']);
  });

  it('deletes no other object than the one that is meant', async () => {
    await client.create(CONFIG_MAPS, configMap('a'));
    const another = { preconditions: { uid: 'of-another-object' } };
    await assert.rejects(client.delete(CONFIG_MAPS, { namespace: 'shop', name: 'a' }, another), {
      code: 'conflict',
    });
    assert.notEqual(server.get('configmaps', 'shop/a'), undefined);
  });

  it('asks for objects without a namespace, of groups, and of subresources', async () => {
    server.create('nodes', { metadata: { name: 'node-1' } });
    server.create('deployments', { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 2 } });
    await client.get(NODES, { name: 'node-1' });
    const patch = { status: { readyReplicas: 2 } };
    await client.patch({ ...DEPLOYMENTS, namespace: 'other' }, { namespace: 'shop', name: 'web' }, patch, {
      subresource: 'status',
    });

    assert.deepEqual(
      server.requests.map(({ method, url, status }) => `${method} ${url} ${status}`),
      ['GET /api/v1/nodes/node-1 200', 'PATCH /apis/apps/v1/namespaces/shop/deployments/web/status 200'],
    );
    assert.equal(server.requests[0]!.userAgent, 'web-operator/1.0');
  });

  it('gives and sends objects as they are, also what nobody knows', async () => {
    const strange = {
      ...configMap('strange'),
      metadata: {
        name: 'strange',
        namespace: 'shop',
        annotations: { time: '2030-01-01T00:00:00.123456789Z' },
      },
      unknown: { list: [1, 2.5, 'text', null, true], deep: { deeper: {} } },
      fromUnicode: 'ä€😀',
    };
    const created = await client.create(CONFIG_MAPS, strange);

    assert.deepEqual(created.unknown, strange.unknown);
    assert.equal(created.fromUnicode, strange.fromUnicode);
    assert.deepEqual(created.metadata.annotations, strange.metadata.annotations);
  });

  it('says what the server refused, and why', async () => {
    await client.create(CONFIG_MAPS, configMap('a'));
    const stale = { ...configMap('a'), metadata: { name: 'a', namespace: 'shop', resourceVersion: '1' } };
    for (const [request, code, status] of [
      [() => client.get(CONFIG_MAPS, { namespace: 'shop', name: 'b' }), 'not-found', 404],
      [() => client.create(CONFIG_MAPS, configMap('a')), 'already-exists', 409],
      [() => client.update(CONFIG_MAPS, stale), 'conflict', 409],
    ] as const) {
      await assert.rejects(request, (error: ApiError) => {
        assert.ok(error instanceof ApiError);
        assert.deepEqual([error.code, error.status], [code, status]);
        assert.match(error.message, new RegExp(`configmaps.* failed with HTTP ${status} .*"[ab]"`));
        return true;
      });
    }
  });

  it('says when the server wants to be asked again', async () => {
    server.faults.add({ fault: 'status', code: 429, retryAfterSeconds: 7, times: 1 });
    await assert.rejects(client.get(NODES, { name: 'x' }), {
      code: 'too-many-requests',
      retryAfterMs: 7_000,
    });
  });

  it('copes with a proxy that answers in HTML', async () => {
    server.faults.add({ fault: 'status', code: 502, body: '<html>bad</html>', contentType: 'text/html' });
    await assert.rejects(client.get(NODES, { name: 'x' }), {
      code: 'http-502',
      message: 'GET /api/v1/nodes/x failed with HTTP 502',
    });
    server.faults.clear();
    server.faults.add({ fault: 'status', code: 200, body: 'hello', contentType: 'text/plain' });
    await assert.rejects(client.get(NODES, { name: 'x' }), { code: 'bad-body', message: /not JSON/ });
  });

  it('repeats nothing that the server says of a Secret', async () => {
    const body = { kind: 'Status', reason: 'Invalid', code: 422, message: 'Invalid value: "hunter2"' };
    server.faults.add({ fault: 'status', code: 422, body: JSON.stringify(body) });
    await assert.rejects(client.get(SECRETS, { namespace: 'shop', name: 's' }), {
      code: 'invalid',
      message: 'GET /api/v1/namespaces/shop/secrets/s failed with HTTP 422 Invalid',
    });
  });

  for (const name of ['', '.', '..', 'a/b', 'a%2fb', '../secrets/s']) {
    it(`refuses ${JSON.stringify(name)} as a name, without a request`, async () => {
      await assert.rejects(client.get(CONFIG_MAPS, { namespace: 'shop', name }), TypeError);
      assert.equal(server.requests.length, 0);
    });
  }

  it('rejects with the reason of its signal, before and while it waits', async () => {
    const reason = new Error('no longer needed');
    await assert.rejects(
      client.get(NODES, { name: 'x' }, { signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
    const id = server.faults.add({ fault: 'silence' });
    const controller = new AbortController();
    const request = client.get(NODES, { name: 'x' }, { signal: controller.signal });
    await until('the request has come', () => server.faults.hits(id) > 0);
    controller.abort(reason);
    await assert.rejects(request, (error) => error === reason);
  });

  it('gives up on a server that does not answer, and says which', async () => {
    server.faults.add({ fault: 'silence' });
    const hasty = new ApiClient(server.kubeConfig(), { requestLimitMs: 50 });
    await assert.rejects(hasty.get(NODES, { name: 'x' }), {
      name: 'TransportError',
      code: 'request-timeout',
      message: /^http:\/\/127\.0\.0\.1:\d+: no answer in 0\.05 s/,
    });
    await hasty.close();
  });

  it('says that a server can not be reached', async () => {
    const kubeConfig = server.kubeConfig();
    await server.stop();
    const lost = new ApiClient(kubeConfig);
    await assert.rejects(lost.get(NODES, { name: 'x' }), { name: 'TransportError', code: 'connect-failed' });
    await lost.close();
  });

  it('asks once more with new credentials when the old ones were refused', async () => {
    const tokens = ['old', 'new'];
    const { url, server: http } = await tokenServer('new');
    const authenticated = new ApiClient(kubeConfigWith(url, () => tokens.shift() ?? 'new'));
    try {
      assert.deepEqual(await authenticated.get(NODES, { name: 'x' }), { kind: 'Node' });
    } finally {
      await authenticated.close();
      http.close();
    }
  });

  it('goes through TLS and a path prefix', async () => {
    const secure = await FakeApiServer.start({ tls: true });
    secure.create('nodes', { metadata: { name: 'node-1' } });
    const overTls = new ApiClient(secure.kubeConfig());
    try {
      await overTls.get(NODES, { name: 'node-1' });
    } finally {
      await overTls.close();
      await secure.stop();
    }
    const { url, server: http, paths } = await tokenServer('t');
    const prefixed = new ApiClient(kubeConfigWith(`${url}/clusters/one/`, () => 't'));
    try {
      await prefixed.get(NODES, { name: 'x' });
      assert.deepEqual(paths, ['/clusters/one/api/v1/nodes/x']);
    } finally {
      await prefixed.close();
      http.close();
    }
  });
});

function configMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data };
}

/** A server that lets in one token. */
async function tokenServer(token: string): Promise<{ url: string; server: Server; paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    const isKnown = request.headers.authorization === `Bearer ${token}`;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json', connection: 'close' });
    response.end(isKnown ? '{"kind":"Node"}' : '{"kind":"Status","reason":"Unauthorized"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, paths };
}

/** A KubeConfig that asks for its token each time. */
function kubeConfigWith(url: string, token: () => string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'c', server: url, skipTLSVerify: true }],
    users: [{ name: 'u', authProvider: { name: 'ours' } }],
    contexts: [{ name: 'c', cluster: 'c', user: 'u' }],
    currentContext: 'c',
  });
  kubeConfig.addAuthenticator({
    isAuthProvider: (user) => user.authProvider?.name === 'ours',
    async applyAuthentication(_user, options) {
      options.headers = { ...options.headers, Authorization: `Bearer ${token()}` };
    },
  });
  return kubeConfig;
}
