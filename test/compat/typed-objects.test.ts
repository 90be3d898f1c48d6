import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KubernetesObject, V1Pod } from '@kubernetes/client-node';
// What client-node's generated clients use. It is not in its index, so only this test reaches for it.
import { ObjectSerializer } from '@kubernetes/client-node/dist/serializer.js';
import { typedObject } from '../../src/compat/typed-objects.ts';
import { FakeApiServer } from '../../src/testing/index.ts';

const TIME = '2026-11-30T10:00:00Z';

describe('typed objects', () => {
  it('are what the generated clients give, for realistic Pods', async (t) => {
    const server = await FakeApiServer.start({ seed: 3 });
    t.after(() => server.stop());
    await server.seedPods(20);
    for (const pod of server.list('pods') as KubernetesObject[]) {
      const typed = typedObject(pod);
      assert.ok(typed instanceof V1Pod);
      assert.deepEqual(typed, ObjectSerializer.deserialize(pod, 'V1Pod'));
    }
  });

  for (const [name, object] of [
    ['V1Lease', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: { renewTime: TIME } }],
    ['CoreV1Event', { apiVersion: 'v1', kind: 'Event', firstTimestamp: TIME, eventTime: null }],
    ['EventsV1Event', { apiVersion: 'events.k8s.io/v1', kind: 'Event', deprecatedFirstTimestamp: TIME }],
    ['V1Secret', { apiVersion: 'v1', kind: 'Secret', data: { password: 'cGFzc3dvcmQ=' } }],
    [
      'V2HorizontalPodAutoscaler',
      { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', status: { lastScaleTime: TIME } },
    ],
    [
      'V1NetworkPolicy',
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        spec: { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }] }] },
      },
    ],
    [
      'V1CustomResourceDefinition',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        spec: {
          versions: [
            {
              name: 'v1',
              schema: {
                openAPIV3Schema: { properties: { a: { 'x-kubernetes-int-or-string': true, enum: [1] } } },
              },
            },
          ],
        },
      },
    ],
  ] as const) {
    it(`are what the generated clients give, for ${name}`, () => {
      const json = {
        ...object,
        metadata: { name: 'a', creationTimestamp: TIME },
      } as unknown as KubernetesObject;

      assert.deepEqual(typedObject(json), ObjectSerializer.deserialize(json, name));
    });
  }

  it('have typed metadata when client-node has no class for them', () => {
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a', creationTimestamp: TIME },
      spec: { startTime: TIME },
    };
    const typed = typedObject(widget as unknown as KubernetesObject & { spec: object });

    assert.deepEqual(typed.metadata?.creationTimestamp, new Date(TIME));
    assert.equal(typed.spec, widget.spec);
  });

  it('never take a word for a class that is none', () => {
    for (const kind of ['constructor', '__proto__', '', 'KubeConfig']) {
      const object = { apiVersion: '', kind, metadata: { name: 'a' } };
      assert.equal(typedObject(object).metadata?.name, 'a');
    }
  });
});
