import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { FakeApiServer, makePod, Random } from '../../src/testing/index.ts';
import { call, configMap, fill, names, startServer, WIDGETS, widget, wire } from './helpers.ts';

const CONFIG_MAPS = '/api/v1/configmaps';

describe('testing: list', () => {
  let server: FakeApiServer;
  before(async () => {
    server = await FakeApiServer.start({ resources: [WIDGETS] });
    fill(server, 10);
    server.create('configmaps', { metadata: { name: 'z', namespace: 'another', labels: { app: 'web' } } });
  });
  after(() => server.stop());

  it('has items of built-in kinds without kind and apiVersion, in order of namespace and name', async () => {
    const { json } = await call(server, CONFIG_MAPS);
    assert.equal(json.kind, 'ConfigMapList');
    assert.equal(json.metadata.resourceVersion, server.resourceVersion);
    assert.deepEqual(Object.keys(json.items[0]), ['metadata']);
    assert.deepEqual(names(json).slice(0, 3), ['z', 'c000', 'c001']);
  });

  it('has only one namespace when the path has one', async () => {
    const { json } = await call(server, '/api/v1/namespaces/another/configmaps');
    assert.deepEqual(names(json), ['z']);
  });

  it('prints an empty list as the real server does', async (t) => {
    const fresh = await startServer(t, { resourceVersion: 852 });
    const { text, headers } = await call(fresh, '/api/v1/pods');
    assert.equal(text, wire('list-empty'));
    assert.equal(headers['content-length'], '85');
    assert.equal(headers['cache-control'], 'no-cache, private');
  });

  it('prints custom resources as the real server does: all keys sorted, metadata last', async (t) => {
    const fresh = await startServer(t, { resources: [WIDGETS], resourceVersion: 851 });
    const real = JSON.parse(wire('list-widgets'));
    fresh.create(
      'widgets',
      reversed({ ...real.items[0], metadata: without(real.items[0].metadata, 'resourceVersion') }),
    );
    const { text } = await call(fresh, '/apis/example.com/v1/widgets');
    assert.equal(text, wire('list-widgets'));
  });

  it('prints Pods with the fields of the real server in its order', async (t) => {
    const fresh = await startServer(t);
    await fresh.seedPods(40);
    const mine = (await call(fresh, '/api/v1/pods')).json.items;
    const real = JSON.parse(wire('list-pods')).items[0];
    const { containers } = real.spec;
    const usual = mine.find(
      (pod: { spec: { containers: { env: object[] }[]; nodeName?: string } }) =>
        pod.spec.nodeName !== undefined &&
        pod.spec.containers.length === containers.length &&
        pod.spec.containers[0]!.env.length === containers[0].env.length,
    );
    assert.deepEqual(shapeOf(usual.metadata, 1), shapeOf(real.metadata, 1));
    assert.deepEqual(Object.keys(usual.spec), Object.keys(real.spec));
    assert.deepEqual(shapeOf(usual.status, 2), shapeOf(real.status, 2));
    assert.equal(fieldNames(usual), fieldNames(real));
  });

  it('gives pages of one snapshot, whatever is written meanwhile', async () => {
    const first = (await call(server, `${CONFIG_MAPS}?limit=4`)).json;
    assert.equal(first.metadata.remainingItemCount, 7);
    server.delete('configmaps', 'default/c003');
    server.create('configmaps', configMap('c0035'));
    const second = (await call(server, `${CONFIG_MAPS}?limit=4&continue=${first.metadata.continue}`)).json;
    const third = (await call(server, `${CONFIG_MAPS}?limit=4&continue=${second.metadata.continue}`)).json;
    assert.deepEqual(names(second), ['c003', 'c004', 'c005', 'c006']);
    assert.deepEqual(names(third), ['c007', 'c008', 'c009']);
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
    assert.equal(third.metadata.continue, undefined);
    server.delete('configmaps', 'default/c0035');
    server.create('configmaps', configMap('c003'));
  });

  it('ignores the limit of a list at resourceVersion 0, unless told otherwise', async (t) => {
    assert.equal((await call(server, `${CONFIG_MAPS}?limit=4&resourceVersion=0`)).json.items.length, 11);
    const paging = await startServer(t, { pageAtZero: true });
    fill(paging, 5);
    assert.equal((await call(paging, `${CONFIG_MAPS}?limit=4&resourceVersion=0`)).json.items.length, 4);
  });

  it('answers a continue token that was compacted with 410 and a token for the rest', async () => {
    const first = (await call(server, `${CONFIG_MAPS}?limit=4`)).json;
    server.patch('configmaps', 'default/c009', { data: { later: 'than the token' } });
    server.compact();
    const expired = await call(server, `${CONFIG_MAPS}?limit=4&continue=${first.metadata.continue}`);
    assert.equal(expired.status, 410);
    const real = JSON.parse(wire('list-continue-expired'));
    const token = expired.json.metadata.continue;
    assert.deepEqual({ ...expired.json, metadata: {} }, { ...real, metadata: {} });
    assert.match(
      Buffer.from(token, 'base64url').toString(),
      /^\{"v":"meta.k8s.io\/v1","rv":-1,"start":"default\/c002/,
    );
    const rest = (await call(server, `${CONFIG_MAPS}?continue=${token}`)).json;
    assert.equal(rest.items[0].metadata.name, 'c003');
    assert.equal(rest.metadata.resourceVersion, server.resourceVersion);
  });

  it('reads an exact old state from the history', async () => {
    const then = server.resourceVersion;
    server.create('configmaps', configMap('late'));
    server.patch('configmaps', 'default/c001', { data: { a: '1' } });
    const old = (await call(server, `${CONFIG_MAPS}?resourceVersion=${then}&resourceVersionMatch=Exact`))
      .json;
    assert.equal(old.metadata.resourceVersion, then);
    assert.ok(!names(old).includes('late'));
    assert.ok(old.items.every((item: { data?: { a?: string } }) => item.data?.a === undefined));
    const now = (
      await call(server, `${CONFIG_MAPS}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`)
    ).json;
    assert.ok(names(now).includes('late'));
    server.delete('configmaps', 'default/late');
  });

  it('answers 410 to an exact state that is forgotten', async () => {
    server.compact();
    const { status, json } = await call(
      server,
      `${CONFIG_MAPS}?resourceVersion=5&resourceVersionMatch=Exact`,
    );
    assert.equal(status, 410);
    assert.equal(json.reason, 'Expired');
  });

  for (const [capture, query, status] of [
    ['list-bad-rv', 'resourceVersion=abc', 400],
    ['list-bad-selector', 'labelSelector===', 400],
    ['list-rv-too-large', 'resourceVersion=99999999', 504],
  ] as const) {
    it(`answers ${query} as the real server does`, async (t) => {
      const fresh = await startServer(t, { resourceVersion: 855 });
      const answer = await call(fresh, `/api/v1/pods?${query}`);
      assert.equal(answer.status, status);
      assert.equal(answer.text, wire(capture));
      assert.equal(answer.headers['retry-after'], status === 504 ? '1' : undefined);
    });
  }

  it('answers an unknown resource with the text of the real server', async () => {
    const { status, text, headers } = await call(server, '/apis/example.com/v1/gadgets');
    assert.equal(status, 404);
    assert.equal(text, wire('list-unknown-resource'));
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  });

  it('answers a client that takes no JSON with 406', async () => {
    const { status, text } = await call(server, CONFIG_MAPS, { headers: { accept: 'image/png' } });
    assert.equal(status, 406);
    assert.equal(text, wire('list-not-acceptable'));
  });

  for (const query of [
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=Exact&resourceVersion=0',
    'resourceVersionMatch=Newest',
  ]) {
    it(`refuses ${query}`, async () => {
      const { status, json } = await call(server, `${CONFIG_MAPS}?${query}`);
      assert.equal(status, 422);
      assert.equal(json.details.causes[0].field, 'resourceVersionMatch');
    });
  }

  it('refuses a continue token that is none, and one together with a resourceVersion', async () => {
    assert.equal((await call(server, `${CONFIG_MAPS}?continue=nonsense`)).status, 400);
    const { metadata } = (await call(server, `${CONFIG_MAPS}?limit=1`)).json;
    const both = await call(server, `${CONFIG_MAPS}?continue=${metadata.continue}&resourceVersion=5`);
    assert.equal(both.status, 400);
  });

  it('gives metadata only to clients that ask for it', async () => {
    await server.seedPods(3);
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { json } = await call(server, '/api/v1/pods?limit=2', { headers: { accept } });
    const real = JSON.parse(wire('list-partial-metadata'));
    assert.deepEqual(Object.keys(json), Object.keys(real));
    assert.deepEqual(Object.keys(json.items[0]), Object.keys(real.items[0]));
    assert.deepEqual(Object.keys(json.items[0].metadata), Object.keys(real.items[0].metadata));
    const whole = (await call(server, '/api/v1/pods?limit=2')).json;
    assert.deepEqual(json.items[0].metadata, whole.items[0].metadata);
  });

  it('compresses long lists when it may and the client can', async (t) => {
    const zipped = await startServer(t, { gzip: true });
    await zipped.seedPods(40);
    const response = await request(`${zipped.url}/api/v1/pods`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers['content-encoding'], 'gzip');
    const list = JSON.parse(gunzipSync(Buffer.from(await response.body.arrayBuffer())).toString());
    assert.equal(list.items.length, 40);
    const plain = await call(zipped, '/api/v1/pods');
    assert.equal(plain.headers['content-encoding'], undefined);
  });

  it('keeps the digits of numbers that do not fit a double', async () => {
    const body = JSON.stringify(widget('big')).replace('{"n":1}', '{"n":12345678901234567890,"f":1.10}');
    const created = await call(server, '/apis/example.com/v1/namespaces/default/widgets', {
      method: 'POST',
      body,
    });
    assert.equal(created.status, 201);
    const { text } = await call(server, '/apis/example.com/v1/widgets');
    assert.match(text, /"spec":\{"f":1.10,"n":12345678901234567890\}/);
  });

  it('escapes what HTML would see, and counts bytes, not characters', async () => {
    server.create('widgets', widget('awkward', { text: '<ä&€> "quoted" \u2028 𝄞' }));
    const { text, json } = await call(server, '/apis/example.com/v1/namespaces/default/widgets/awkward');
    assert.match(text, /\\u003cä\\u0026€\\u003e/);
    assert.equal(json.spec.text, '<ä&€> "quoted" \u2028 𝄞');
    server.delete('widgets', 'default/awkward');
  });
});

describe('testing: pods', () => {
  it('are the same for the same seed, and others for another one', async (t) => {
    const bodies = await Promise.all([7, 7, 8].map((seed) => podsOfSeed(t, seed)));
    assert.equal(bodies[0], bodies[1]);
    assert.notEqual(bodies[0], bodies[2]);
  });

  it('are from 5 to 13 KB, and about half of a Pod is managedFields', async (_t) => {
    const random = new Random(3);
    const pods = Array.from({ length: 400 }, (_, i) => makePod(i, random));
    const sizes = pods.map((pod) => JSON.stringify(pod).length);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    assert.ok(
      Math.min(...sizes) > 5000 && Math.max(...sizes) < 13_500,
      `${Math.min(...sizes)}–${Math.max(...sizes)}`,
    );
    assert.ok(mean > 8500 && mean < 10_500, `mean ${mean}`);
    assert.equal(new Set(pods.map((pod) => (pod.metadata as { name: string }).name)).size, pods.length);
  });
});

async function podsOfSeed(t: TestContext, seed: number): Promise<string> {
  const server = await startServer(t, { seed });
  await server.seedPods(20);
  return (await call(server, '/api/v1/pods')).text;
}

function without(object: Record<string, unknown>, key: string): Record<string, unknown> {
  const { [key]: _, ...rest } = object;
  return rest;
}

/** The same object with its keys in reverse order, so that a server that sorts them shows it. */
function reversed(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value as object;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

/** What managedFields says, without the names and addresses that differ from Pod to Pod. */
function fieldNames(pod: {
  spec: { containers: { name: string }[] };
  metadata: { managedFields: object[] };
}): string {
  const text = JSON.stringify(pod.metadata.managedFields).replaceAll(pod.spec.containers[0]!.name, 'APP');
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|10(\.\d+){3}|\d{4}-\d\d-\d\dT[\d:]+Z/g, 'X');
}

function shapeOf(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return depth === 0 ? 'list' : [shapeOf(value[0], depth - 1)];
  if (typeof value !== 'object' || value === null) return typeof value;
  if (depth === 0) return 'object';
  return Object.entries(value).map(([key, inner]) => [key, shapeOf(inner, depth - 1)]);
}
