import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiStatusError, FakeApiServer, UnknownResourceError } from '../../src/testing/index.ts';
import {
  type CallOptions,
  call,
  configMap,
  type Json,
  names,
  startServer,
  WIDGETS,
  watch,
  widget,
} from './helpers.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WIDGET_PATH = '/apis/example.com/v1/namespaces/default/widgets';

describe('testing: writes', () => {
  let server: FakeApiServer;
  before(async () => {
    const clock = () => Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    server = await FakeApiServer.start({ resources: [WIDGETS], clock });
  });
  after(() => server.stop());

  const send = (method: CallOptions['method'], path: string, body?: unknown, type = 'application/json') =>
    call(server, path, { method, body, headers: { 'content-type': type } } as CallOptions);

  it('creates an object with uid, timestamp and resourceVersion', async () => {
    const { status, json } = await send('POST', DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 1 },
    });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(json), ['kind', 'apiVersion', 'metadata', 'spec']);
    assert.match(json.metadata.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(json.metadata.creationTimestamp, '2026-01-02T03:04:05Z');
    assert.equal(json.metadata.generation, 1);
    assert.equal(json.metadata.resourceVersion, server.resourceVersion);
  });

  it('makes names from generateName', async () => {
    const { json } = await send('POST', MAPS, { metadata: { generateName: 'some-' } });
    assert.match(json.metadata.name, /^some-[a-z0-9]{5}$/);
  });

  it('refuses a second object of the same name', async () => {
    await send('POST', MAPS, configMap('twice'));
    const { status, text } = await send('POST', MAPS, configMap('twice'));
    assert.equal(status, 409);
    assert.equal(
      text,
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \\"twice\\" already exists","reason":"AlreadyExists","details":{"name":"twice","kind":"configmaps"},"code":409}\n',
    );
  });

  it('names the group in errors about grouped resources', async () => {
    const { status, json } = await call(server, `${DEPLOYMENTS}/none`);
    assert.equal(status, 404);
    assert.equal(json.message, 'deployments.apps "none" not found');
    assert.deepEqual(json.details, { name: 'none', group: 'apps', kind: 'deployments' });
  });

  const REFUSED: [string, string, unknown, number][] = [
    ['no name', MAPS, { metadata: {} }, 422],
    ['another namespace', MAPS, { metadata: { name: 'x', namespace: 'other' } }, 400],
    ['another kind', MAPS, { kind: 'Secret', metadata: { name: 'x' } }, 400],
    ['a resourceVersion', MAPS, { metadata: { name: 'x', resourceVersion: '1' } }, 500],
    ['broken JSON', MAPS, '{"metadata":', 400],
    ['a list as body', MAPS, [], 400],
    ['no namespace in the path', '/api/v1/configmaps', configMap('x'), 405],
    ['too large a body', MAPS, configMap('x', { data: { a: 'x'.repeat(4_000_000) } }), 413],
  ];
  for (const [what, path, body, code] of REFUSED) {
    it(`refuses to create with ${what}`, async () => {
      const { status, json } = await send('POST', path, body);
      assert.equal(status, code);
      assert.equal(json.code, code);
    });
  }

  it('replaces an object, and bumps its generation only when its spec changed', async () => {
    const { json: before } = await send('POST', WIDGET_PATH, widget('gen'));
    const labelled = { ...before, metadata: { ...before.metadata, labels: { a: 'b' } } };
    const { json: after } = await send('PUT', `${WIDGET_PATH}/gen`, labelled);
    assert.equal(after.metadata.generation, 1);
    const { json: last } = await send('PUT', `${WIDGET_PATH}/gen`, { ...after, spec: { n: 2 } });
    assert.equal(last.metadata.generation, 2);
    assert.equal(last.metadata.uid, before.metadata.uid);
  });

  it('keeps the resourceVersion, and sends no event, when a write changes nothing', async () => {
    const { json } = await send('POST', MAPS, configMap('same', { data: { a: '1' } }));
    const events = await watch(
      server,
      `/api/v1/configmaps?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    const { json: again } = await send('PUT', `${MAPS}/same`, json);
    assert.equal(again.metadata.resourceVersion, json.metadata.resourceVersion);
    await send('PATCH', `${MAPS}/same`, { data: { a: '1' } }, 'application/merge-patch+json');
    await send('POST', MAPS, configMap('marker'));
    assert.deepEqual(await events.take(1), ['ADDED marker']);
  });

  it('refuses an update that is based on an older state', async () => {
    const { json } = await send('POST', MAPS, configMap('raced'));
    await send('PUT', `${MAPS}/raced`, { ...json, data: { a: '1' } });
    const { status, json: conflict } = await send('PUT', `${MAPS}/raced`, { ...json, data: { a: '2' } });
    assert.equal(status, 409);
    assert.equal(conflict.reason, 'Conflict');
    assert.match(
      conflict.message,
      /^Operation cannot be fulfilled on configmaps "raced": the object has been modified/,
    );
  });

  it('accepts an update without resourceVersion for built-in kinds, not for custom ones', async () => {
    await send('POST', MAPS, configMap('free'));
    assert.equal((await send('PUT', `${MAPS}/free`, configMap('free', { data: {} }))).status, 200);
    await send('POST', WIDGET_PATH, widget('strict'));
    assert.equal((await send('PUT', `${WIDGET_PATH}/strict`, widget('strict', { n: 2 }))).status, 422);
  });

  it('writes the status through /status only, where the kind has it', async () => {
    const pod = { metadata: { name: 'p' }, spec: { a: 1 }, status: { phase: 'Running' } };
    const { json: created } = await send('POST', PODS, pod);
    assert.equal(created.status, undefined);
    const { json: put } = await send('PUT', `${PODS}/p/status`, {
      ...created,
      spec: { a: 2 },
      status: pod.status,
    });
    assert.deepEqual([put.spec, put.status], [{ a: 1 }, { phase: 'Running' }]);
    const type = 'application/strategic-merge-patch+json';
    const { json: patched } = await send(
      'PATCH',
      `${PODS}/p/status`,
      { status: { podIP: '10.0.0.1' } },
      type,
    );
    assert.deepEqual(patched.status, { phase: 'Running', podIP: '10.0.0.1' });
    const { json: main } = await send('PATCH', `${PODS}/p`, { status: { phase: 'Failed' } }, type);
    assert.equal(main.status.phase, 'Running');
  });

  it('merges a merge patch: null removes, lists are replaced', async () => {
    await send(
      'POST',
      WIDGET_PATH,
      widget('merge', { keep: 1, drop: 2, list: [1, 2], deep: { a: 1, b: 2 } }),
    );
    const patch = { spec: { drop: null, list: [3], deep: { b: null, c: 3 } } };
    const { json } = await send('PATCH', `${WIDGET_PATH}/merge`, patch, 'application/merge-patch+json');
    assert.deepEqual(json.spec, { deep: { a: 1, c: 3 }, keep: 1, list: [3] });
  });

  it('applies a JSON patch, and refuses one whose test fails', async () => {
    await send('POST', WIDGET_PATH, widget('steps', { list: ['a', 'c'], 'x/y': 1, old: true }));
    const steps = [
      { op: 'test', path: '/spec/list/0', value: 'a' },
      { op: 'add', path: '/spec/list/1', value: 'b' },
      { op: 'add', path: '/spec/list/-', value: 'd' },
      { op: 'replace', path: '/spec/x~1y', value: 2 },
      { op: 'copy', from: '/spec/list', path: '/spec/copy' },
      { op: 'move', from: '/spec/old', path: '/spec/new' },
      { op: 'remove', path: '/spec/list/0' },
    ];
    const { json } = await send('PATCH', `${WIDGET_PATH}/steps`, steps, 'application/json-patch+json');
    assert.deepEqual(json.spec, { copy: ['a', 'b', 'c', 'd'], list: ['b', 'c', 'd'], new: true, 'x/y': 2 });
    const failing = [{ op: 'test', path: '/spec/new', value: false }];
    assert.equal(
      (await send('PATCH', `${WIDGET_PATH}/steps`, failing, 'application/json-patch+json')).status,
      422,
    );
    assert.equal(
      (await send('PATCH', `${WIDGET_PATH}/steps`, [{ op: 'add' }], 'application/json-patch+json')).status,
      400,
    );
    const strategic = 'application/strategic-merge-patch+json';
    for (const type of ['text/plain', strategic]) {
      const refused = await send('PATCH', `${WIDGET_PATH}/steps`, {}, type);
      assert.equal(refused.status, 415);
      assert.match(refused.json.message, /accepted media types include: application\/json-patch\+json, /);
    }
  });

  it('creates or merges by server-side apply, from JSON or YAML', async () => {
    const type = 'application/apply-patch+yaml';
    const path = `${MAPS}/applied?fieldManager=test`;
    assert.equal((await send('PATCH', path, { data: { a: '1' } }, type)).status, 201);
    const { status, json } = await send('PATCH', path, 'data:\n  b: "2"\n', type);
    assert.equal(status, 200);
    assert.deepEqual(json.data, { a: '1', b: '2' });
    assert.equal((await send('PATCH', `${MAPS}/applied`, {}, type)).status, 422);
  });

  it('deletes with a Status, or with the object for Pods', async () => {
    const { json: created } = await send('POST', MAPS, configMap('gone'));
    const { json } = await send('DELETE', `${MAPS}/gone`);
    const details = { name: 'gone', kind: 'configmaps', uid: created.metadata.uid };
    assert.deepEqual([json.status, json.details], ['Success', details]);
    assert.equal((await send('DELETE', `${MAPS}/gone`)).status, 404);
    await send('POST', PODS, { metadata: { name: 'gone' } });
    assert.equal((await send('DELETE', `${PODS}/gone`)).json.kind, 'Pod');
  });

  it('checks the preconditions of a delete', async () => {
    await send('POST', MAPS, configMap('guarded'));
    const { status, json } = await send('DELETE', `${MAPS}/guarded`, { preconditions: { uid: 'another' } });
    assert.equal(status, 409);
    assert.match(
      json.message,
      /on ConfigMap "guarded": the UID in the precondition \(another\) does not match/,
    );
    const other = { preconditions: { resourceVersion: '1' } };
    assert.equal((await send('DELETE', `${MAPS}/guarded`, other)).status, 409);
  });

  it('keeps an object with finalizers until the last one is gone', async () => {
    const guarded = configMap('held');
    guarded.metadata.finalizers = ['example.com/hold'];
    await send('POST', MAPS, guarded);
    const { json } = await send('DELETE', `${MAPS}/held`);
    assert.equal(json.metadata.deletionTimestamp, '2026-01-02T03:04:05Z');
    assert.equal((await call(server, `${MAPS}/held`)).status, 200);
    const type = 'application/merge-patch+json';
    await send('PATCH', `${MAPS}/held`, { metadata: { finalizers: null } }, type);
    assert.equal((await call(server, `${MAPS}/held`)).status, 404);
  });

  it('deletes what a selector selects in one namespace', async () => {
    const path = '/api/v1/namespaces/many/configmaps';
    for (const name of ['a', 'b', 'c']) {
      await send('POST', path, { metadata: { name, labels: { keep: String(name === 'b') } } });
    }
    const { json } = await send('DELETE', `${path}?labelSelector=keep!%3Dtrue`);
    assert.deepEqual(names(json), ['a', 'c']);
    assert.equal(json.items[0].kind, undefined);
    assert.deepEqual(names((await call(server, path)).json), ['b']);
  });

  it('changes nothing in a dry run', async () => {
    const before = server.resourceVersion;
    const { status, json } = await send('POST', `${MAPS}?dryRun=All`, configMap('dry'));
    assert.equal(status, 201);
    assert.equal(json.metadata.resourceVersion, undefined);
    assert.equal(server.resourceVersion, before);
    assert.equal((await call(server, `${MAPS}/dry`)).status, 404);
  });

  it('answers methods that make no sense with 405', async () => {
    assert.equal((await send('PUT', MAPS, {})).status, 405);
    assert.equal((await send('POST', `${MAPS}/x`, {})).status, 405);
  });
});

describe('testing: the methods of the server', () => {
  it('create, update, patch, get, list and delete', async (t) => {
    const server = await startServer(t);
    const created: Json = server.create('pods', { metadata: { name: 'a' }, status: { phase: 'Running' } });
    assert.equal(created.status.phase, 'Running');
    server.update('pods', { ...created, spec: { x: 1 } });
    assert.throws(() => server.update('pods', { ...created, spec: { x: 2 } }), ApiStatusError);
    const patched: Json = server.patch('pods', 'default/a', { status: { phase: 'Failed' } });
    assert.deepEqual(server.get('pods', 'default/a'), patched);
    assert.deepEqual([patched.kind, patched.spec, patched.status.phase], ['Pod', { x: 1 }, 'Failed']);
    assert.equal(server.list('pods').length, 1);
    server.delete('pods', 'default/a');
    assert.equal(server.get('pods', 'default/a'), undefined);
    assert.equal(server.count('pods'), 0);
  });

  it('find resources by plural, by group, and by all parts', async (t) => {
    const server = await startServer(t, { resources: [WIDGETS] });
    for (const name of ['widgets', 'widgets.example.com', WIDGETS]) assert.equal(server.count(name), 0);
    assert.throws(() => server.count('gadgets'), UnknownResourceError);
  });

  it('generate objects from a function or from a template', async (t) => {
    const server = await startServer(t, { resources: [WIDGETS] });
    await server.generate({
      resource: 'nodes',
      count: 3,
      make: (i) => ({ metadata: { name: `node-${i}` } }),
    });
    const template = { metadata: { name: 'w{i}', namespace: 'ns{i}' }, spec: { text: 'number {i}' } };
    assert.equal(await server.generate({ resource: 'widgets', count: 1200, template }), 1200);
    assert.equal(server.count('nodes'), 3);
    assert.deepEqual((server.get('widgets', 'ns7/w7') as Json).spec, { text: 'number 7' });
  });
});
