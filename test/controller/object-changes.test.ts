import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { V1Condition, V1Deployment } from '@kubernetes/client-node';
import {
  ApiClient,
  addFinalizer,
  type Condition,
  type ConditionUpdate,
  controllerReference,
  hasFinalizer,
  mergePatch,
  patchStatus,
  removeFinalizer,
  setCondition,
} from '../../src/controller/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';

const MINE = 'shop.example.com/cleanup';
const OTHERS = 'kubernetes.io/pv-protection';
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

let server: FakeApiServer;
let client: ApiClient;

async function startServer(): Promise<void> {
  server = await FakeApiServer.start();
  client = new ApiClient(server.kubeConfig());
  server.create('deployments', { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 2 } });
}

async function stopServer(): Promise<void> {
  await client.close();
  await server.stop();
}

describe('finalizers', () => {
  beforeEach(startServer);
  afterEach(stopServer);

  it('are added behind those of others, guarded by the resourceVersion', () => {
    assert.deepEqual(addFinalizer(withFinalizers(), MINE), {
      metadata: { resourceVersion: '5', finalizers: [MINE] },
    });
    assert.deepEqual(addFinalizer(withFinalizers(OTHERS), MINE), {
      metadata: { resourceVersion: '5', finalizers: [OTHERS, MINE] },
    });
  });

  it('are removed from between those of others', () => {
    assert.deepEqual(removeFinalizer(withFinalizers('a', MINE, 'b'), MINE), {
      metadata: { resourceVersion: '5', finalizers: ['a', 'b'] },
    });
    assert.deepEqual(removeFinalizer(withFinalizers(MINE), MINE), {
      metadata: { resourceVersion: '5', finalizers: [] },
    });
  });

  it('need no patch when there is nothing to change', () => {
    assert.equal(addFinalizer(withFinalizers(MINE), MINE), null);
    assert.equal(removeFinalizer(withFinalizers(OTHERS), MINE), null);
    assert.equal(removeFinalizer({ metadata: {} }, MINE), null);
    assert.equal(hasFinalizer(withFinalizers(OTHERS, MINE), MINE), true);
    assert.equal(hasFinalizer({}, MINE), false);
  });

  it('leave the object as it was', () => {
    const object = withFinalizers(OTHERS);
    addFinalizer(object, MINE);
    removeFinalizer(object, OTHERS);
    assert.deepEqual(object, withFinalizers(OTHERS));
  });

  it('are not added to what is being deleted, but removed from it', () => {
    const { metadata, ...rest } = withFinalizers(MINE);
    const leaving = { ...rest, metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    assert.throws(() => addFinalizer(leaving, 'shop.example.com/other'), {
      code: 'KUBERING_USAGE',
      message: /Widget shop\/w is being deleted/,
    });
    assert.equal(addFinalizer(leaving, MINE), null);
    assert.deepEqual(removeFinalizer(leaving, MINE)?.metadata.finalizers, []);
  });

  for (const name of ['', 'cleanup', '/cleanup', 'shop.example.com/', 'Shop/x y', 'a/b/c']) {
    it(`are not named ${JSON.stringify(name)}`, () => {
      assert.throws(() => addFinalizer(withFinalizers(), name), { code: 'KUBERING_USAGE' });
    });
  }

  it('need an object that was read', () => {
    assert.throws(() => addFinalizer({ kind: 'Widget', metadata: { name: 'w' } }, MINE), {
      code: 'KUBERING_USAGE',
      message: /Widget w has no resourceVersion/,
    });
  });

  it('are not undone by one another on a server', async () => {
    const name = { namespace: 'shop', name: 'web' };
    const read = await client.get(DEPLOYMENTS, name);
    await client.patch(DEPLOYMENTS, name, addFinalizer(read, 'shop.example.com/first')!);
    const late = addFinalizer(read, 'shop.example.com/second')!;

    await assert.rejects(client.patch(DEPLOYMENTS, name, late), { code: 'conflict' });
    const metadata = server.get('deployments', 'shop/web')?.metadata as { finalizers?: string[] };
    assert.deepEqual(metadata.finalizers, ['shop.example.com/first']);
  });
});

describe('controllerReference', () => {
  it('names the owner as the one controller', () => {
    const owner = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', uid: 'u1' } };
    assert.deepEqual(controllerReference(owner), {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      name: 'w',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  it('says what an owner lacks', () => {
    const error = { code: 'KUBERING_USAGE', message: /without apiVersion, metadata.uid/ };
    assert.throws(() => controllerReference({ kind: 'Widget', metadata: { name: 'w' } }), error);
  });
});

describe('setCondition', () => {
  const now = Date.UTC(2030, 0, 1, 12, 0, 0, 789);
  const ready: Condition & ConditionUpdate = {
    type: 'Ready',
    status: 'False',
    reason: 'Starting',
    message: 'one of two',
    lastTransitionTime: '2029-12-31T00:00:00Z',
    observedGeneration: 1,
  };
  const other: Condition & ConditionUpdate = { ...ready, type: 'Other' };

  it('adds a condition behind the others, as of now', () => {
    const { lastTransitionTime: _time, ...update } = ready;
    assert.deepEqual(setCondition(undefined, update, now), [
      { ...update, lastTransitionTime: '2030-01-01T12:00:00Z' },
    ]);
    assert.deepEqual(setCondition([other], ready, now), [other, ready]);
  });

  it('changes the time of transition when the status changes', () => {
    const { lastTransitionTime: _time, ...update } = { ...ready, status: 'True' as const };
    assert.deepEqual(setCondition([ready, other], update, now), [
      { ...update, lastTransitionTime: '2030-01-01T12:00:00Z' },
      other,
    ]);
    const given = { ...update, lastTransitionTime: '2030-01-01T00:00:00Z' };
    assert.deepEqual(setCondition([ready, other], given, now), [given, other]);
  });

  it('keeps the time of transition when only the rest changes', () => {
    const update = { ...ready, message: 'two of two', lastTransitionTime: '2030-06-06T00:00:00Z' };
    assert.deepEqual(setCondition([other, ready], update, now), [other, { ...ready, message: 'two of two' }]);
    assert.deepEqual(setCondition([ready], { ...ready, reason: 'Slow' }, now)[0]!.reason, 'Slow');
    assert.deepEqual(
      setCondition([ready], { ...ready, observedGeneration: 2 }, now)[0]!.observedGeneration,
      2,
    );
  });

  it('drops an observedGeneration that is not given again, and keeps fields that it does not know', () => {
    const { observedGeneration: _generation, ...update } = { ...ready, message: 'new' };
    const stored = { ...ready, severity: 'low' };
    assert.deepEqual(setCondition([stored], update, now), [{ ...update, severity: 'low' }]);
  });

  it('gives back the very list when nothing changes, and never changes one', () => {
    const list = Object.freeze([Object.freeze(ready), Object.freeze(other)]);
    assert.equal(setCondition(list, { ...ready, lastTransitionTime: '2031-01-01T00:00:00Z' }, now), list);
    assert.notEqual(setCondition(list, { ...ready, status: 'True' }, now), list);
  });
});

describe("client-node's types", () => {
  beforeEach(startServer);
  afterEach(stopServer);

  it('are good for all of this', async () => {
    const read = await client.get<V1Deployment>(DEPLOYMENTS, { namespace: 'shop', name: 'web' });
    assert.equal(hasFinalizer(read, MINE), false);
    assert.equal(controllerReference(read).kind, 'Deployment');
    const { status } = await patchStatus(client, DEPLOYMENTS, read, { observedGeneration: 1 });
    assert.deepEqual(status, { observedGeneration: 1 });
    const conditions: V1Condition[] = [];
    const update = { type: 'Ready', status: 'True', reason: 'Done', message: '' } as const;
    assert.equal(setCondition(conditions, update)[0]!.status, 'True');
  });
});

describe('mergePatch', () => {
  for (const [what, before, after, patch] of [
    ['nothing for what is equal', { a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2 }] } }, undefined],
    ['only what differs', { a: 1, b: { c: 1, d: 1 } }, { a: 1, b: { c: 2, d: 1 } }, { b: { c: 2 } }],
    ['null for what is gone', { a: 1, b: { c: 1, d: 1 } }, { b: { c: 1 } }, { a: null, b: { d: null } }],
    ['null for what is undefined', { a: 1 }, { a: undefined }, { a: null }],
    ['nothing for null where nothing was', {}, { a: null }, undefined],
    ['whole lists', { a: [1, 2] }, { a: [2] }, { a: [2] }],
    ['objects in place of others', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['an empty object', {}, { a: {} }, { a: {} }],
  ] as const) {
    it(`gives ${what}`, () => {
      assert.deepEqual(mergePatch(before, after), patch);
    });
  }

  it('takes __proto__ for a name like others', () => {
    const patch = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    assert.equal(JSON.stringify(patch), '{"__proto__":{"polluted":true}}');
    assert.equal('polluted' in {}, false);
  });
});

describe('patchStatus', () => {
  beforeEach(startServer);
  afterEach(stopServer);

  it('writes what differs to the status subresource, and nothing when nothing does', async () => {
    const read = await client.get<Deployment>(DEPLOYMENTS, { namespace: 'shop', name: 'web' });
    const status = { replicas: 2, conditions: [{ type: 'Available', status: 'True' }] };
    const patched = await patchStatus(client, DEPLOYMENTS, read, status);
    assert.deepEqual(patched.status, status);
    assert.deepEqual(patched.spec, { replicas: 2 });
    const requests = server.requests.length;

    assert.equal(await patchStatus(client, DEPLOYMENTS, patched, { ...status }), patched);
    assert.equal(server.requests.length, requests);
  });

  it('is refused when the object has changed meanwhile', async () => {
    const read = await client.get<Deployment>(DEPLOYMENTS, { namespace: 'shop', name: 'web' });
    server.patch('deployments', 'shop/web', { spec: { replicas: 3 } });

    await assert.rejects(patchStatus(client, DEPLOYMENTS, read, { replicas: 2 }), { code: 'conflict' });
  });
});

interface Deployment {
  metadata: { name: string; namespace: string };
  spec?: object;
  status?: { replicas?: number; conditions?: object[] };
}

function withFinalizers(...finalizers: string[]) {
  const metadata = { name: 'w', namespace: 'shop', resourceVersion: '5' };
  return { kind: 'Widget', metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}
