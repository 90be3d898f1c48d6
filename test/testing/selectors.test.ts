import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FakeApiServer } from '../../src/testing/index.ts';
import { call, names, WIDGETS } from './helpers.ts';

describe('testing: selectors', () => {
  let server: FakeApiServer;
  before(async () => {
    server = await FakeApiServer.start({ resources: [WIDGETS] });
    const pods: [string, object, string, string][] = [
      ['a', { app: 'web', tier: 'front', weight: '3' }, 'node-1', 'Running'],
      ['b', { app: 'web' }, 'node-2', 'Pending'],
      ['c', { app: 'db', 'example.com/zone': 'x' }, 'node-1', 'Running'],
      ['d', {}, 'node-3', 'Failed'],
    ];
    for (const [name, labels, nodeName, phase] of pods) {
      server.create('pods', { metadata: { name, labels }, spec: { nodeName }, status: { phase } });
    }
    server.create('widgets', { metadata: { name: 'w' }, spec: { color: 'red' } });
  });
  after(() => server.stop());

  const LABELS: [string, string][] = [
    ['app=web', 'a b'],
    ['app==web', 'a b'],
    ['app!=web', 'c d'],
    ['app in (web, db)', 'a b c'],
    ['app notin (web)', 'c d'],
    ['app', 'a b c'],
    ['!app', 'd'],
    ['!tier,app=web', 'b'],
    ['example.com/zone=x', 'c'],
    ['weight>2', 'a'],
    ['weight<2', ''],
    ['app=', ''],
    ['constructor', ''],
    ['!constructor', 'a b c d'],
    [' app = web , tier = front ', 'a'],
  ];
  for (const [selector, expected] of LABELS) {
    it(`selects by labels: ${selector}`, async () => {
      const { json } = await call(server, `/api/v1/pods?labelSelector=${encodeURIComponent(selector)}`);
      assert.equal(names(json).join(' '), expected);
    });
  }

  const FIELDS: [string, string][] = [
    ['metadata.name=a', 'a'],
    ['metadata.name!=a', 'b c d'],
    ['metadata.namespace==default', 'a b c d'],
    ['spec.nodeName=node-1', 'a c'],
    ['spec.nodeName=node-1,status.phase=Running', 'a c'],
    ['status.phase!=Running', 'b d'],
    ['metadata.labels.tier=front', 'a'],
    ['spec.unknown=', 'a b c d'],
  ];
  for (const [selector, expected] of FIELDS) {
    it(`selects by fields: ${selector}`, async () => {
      const { json } = await call(server, `/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`);
      assert.equal(names(json).join(' '), expected);
    });
  }

  for (const selector of [
    'a=b=c',
    'app in',
    'app in (web',
    'app in web',
    ',',
    'app,',
    '!',
    'app ? web',
    '(',
  ]) {
    it(`refuses the label selector ${selector}`, async () => {
      const { status, json } = await call(
        server,
        `/api/v1/pods?labelSelector=${encodeURIComponent(selector)}`,
      );
      assert.equal(status, 400);
      assert.equal(json.reason, 'BadRequest');
    });
  }

  it('refuses a field selector without an operator', async () => {
    const { status, json } = await call(server, '/api/v1/pods?fieldSelector=metadata.name');
    assert.equal(status, 400);
    assert.match(json.message, /^invalid selector/);
  });

  it('pages through a selection without a count of the rest', async () => {
    const first = (await call(server, '/api/v1/pods?labelSelector=app&limit=2')).json;
    assert.deepEqual(names(first), ['a', 'b']);
    assert.equal(first.metadata.remainingItemCount, undefined);
    const path = `/api/v1/pods?labelSelector=app&limit=2&continue=${first.metadata.continue}`;
    assert.deepEqual(names((await call(server, path)).json), ['c']);
  });

  it('selects custom resources by any simple path', async () => {
    const path = '/apis/example.com/v1/widgets?fieldSelector=spec.color';
    assert.deepEqual(names((await call(server, `${path}=red`)).json), ['w']);
    assert.deepEqual(names((await call(server, `${path}=blue`)).json), []);
  });
});
