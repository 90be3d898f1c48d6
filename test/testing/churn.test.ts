import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, type Json, startServer, WIDGETS, watch } from './helpers.ts';

const FAST = Number.POSITIVE_INFINITY;

describe('testing: churn', () => {
  it('does as many writes as it is told, of the kinds it is told', async (t) => {
    const server = await startServer(t);
    await server.seedPods(100);
    const result = await server.churn({ rate: FAST, count: 600, mix: { create: 1, update: 4, delete: 1 } });
    assert.equal(result.created + result.updated + result.deleted, 600);
    assert.ok(result.created > 50 && result.deleted > 50 && result.updated > 300, JSON.stringify(result));
    assert.equal(server.count('pods'), 100 + result.created - result.deleted);
    assert.equal(result.resourceVersion, server.resourceVersion);
  });

  it('does rate times seconds writes', async (t) => {
    const server = await startServer(t);
    await server.seedPods(10);
    const { updated } = await server.churn({ rate: 1000, seconds: 0.2 });
    assert.equal(updated, 200);
  });

  it('is the same for the same seed, and its watch tells how to get from the old state to the new', async (t) => {
    const finals = [];
    for (const _ of [1, 2]) {
      const server = await startServer(t, { clock: () => Date.UTC(2026, 0, 1) });
      await server.seedPods(50);
      const model = new Map(server.list('pods').map((pod: Json) => [pod.metadata.uid, pod]));
      const events = await watch(server, `/api/v1/pods?watch=1&resourceVersion=${server.resourceVersion}`);
      await server.churn({ rate: FAST, count: 1000, seed: 9, mix: { create: 1, update: 5, delete: 1 } });
      for (let i = 0; i < 1000; i++) {
        const { type, object } = await events.event();
        if (type === 'DELETED') model.delete(object.metadata.uid);
        else model.set(object.metadata.uid, object);
      }
      const listed = server.list('pods');
      assert.deepEqual(byUid([...model.values()]), byUid(listed));
      finals.push((await call(server, '/api/v1/pods')).text);
    }
    assert.equal(finals[0], finals[1]);
  });

  it('changes status, and now and then a label or an annotation, and nothing else', async (t) => {
    const server = await startServer(t, { historyEvents: 5000 });
    await server.seedPods(64);
    const before = new Map(server.list('pods').map((pod: Json) => [pod.metadata.uid, pod]));
    await server.churn({ rate: FAST, count: 3000 });
    let changedLabels = 0;
    for (const pod of server.list('pods') as Json[]) {
      const old = before.get(pod.metadata.uid)!;
      assert.deepEqual(pod.spec, old.spec);
      if (JSON.stringify(pod.metadata.labels) !== JSON.stringify(old.metadata.labels)) changedLabels++;
    }
    assert.ok(changedLabels > 0);
    const version = (server.list('pods')[0] as Json).metadata.labels['app.kubernetes.io/version'];
    const selected = await call(server, `/api/v1/pods?labelSelector=app.kubernetes.io/version%3D${version}`);
    assert.ok(
      selected.json.items.every((pod: Json) => pod.metadata.labels['app.kubernetes.io/version'] === version),
    );
    assert.ok(selected.json.items.length > 0);
  });

  it('works on any resource, and on an empty one', async (t) => {
    const server = await startServer(t, { resources: [WIDGETS] });
    const result = await server.churn({
      resource: 'widgets',
      rate: FAST,
      count: 50,
      mix: { create: 1, update: 1 },
    });
    assert.equal(result.created + result.updated, 50);
    assert.equal(server.count('widgets'), result.created);
  });

  it('ends early when it is told to', async (t) => {
    const server = await startServer(t);
    await server.seedPods(5);
    const result = await server.churn({ rate: 1, seconds: 1000, signal: AbortSignal.timeout(5) });
    assert.ok(result.updated < 10);
  });

  it('must have an end', async (t) => {
    const server = await startServer(t);
    await assert.rejects(server.churn({ rate: 5 }), RangeError);
    await assert.rejects(server.churn({ rate: 0, seconds: 1 }), RangeError);
  });
});

function byUid(pods: Json[]): Json[] {
  return pods.sort((a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1));
}
