import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as clientNode from '@kubernetes/client-node';
import {
  type CoreV1Event,
  type EventsV1Event,
  V1Container,
  V1Deployment,
  type V1Node,
  type V1Pod,
  V1PodList,
} from '@kubernetes/client-node';
import {
  customResource,
  type Json,
  type ObjectOf,
  resourceOf,
  resources,
  type SharedInformer,
  SharedInformerFactory,
  type TypedResource,
} from '../../src/index.ts';
import { classNameOf } from '../../src/types/index.ts';
import { emptyKubeConfig } from '../list-watch/home.ts';
import { holds, type Same } from './holds.ts';

/** client-node's generated clients have the paths of all resources. */
const CLIENTS = new URL('./gen/apis/', import.meta.resolve('@kubernetes/client-node'));

/** Can be listed, but not watched. */
const NOT_WATCHABLE = ['/api/v1/componentstatuses'];

/** An older version of a resource that the table has. */
const SUPERSEDED = ['/apis/autoscaling/v1/horizontalpodautoscalers'];

describe('resources', () => {
  const all: TypedResource<object>[] = Object.values(resources);

  it('are all that client-node knows of stable versions and that can be watched', () => {
    const paths = all.map(({ group, version, resource }) =>
      group === '' ? `/api/${version}/${resource}` : `/apis/${group}/${version}/${resource}`,
    );

    assert.deepEqual([...paths, ...NOT_WATCHABLE, ...SUPERSEDED].sort(), listedPaths());
  });

  it('are namespaced exactly when client-node has a path with a namespace', () => {
    const texts = clientTexts();
    for (const { group, version, resource, namespaced } of all) {
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      assert.equal(texts.includes(`'${root}/namespaces/{namespace}/${resource}'`), namespaced, resource);
    }
  });

  it('have kinds of which client-node has the class', () => {
    const models = clientNode as unknown as Record<
      string,
      { getAttributeTypeMap?: () => { name: string }[] }
    >;
    for (const resource of all) {
      const attributes = models[classNameOf(resource)]?.getAttributeTypeMap?.() ?? [];
      const names = attributes.map(({ name }) => name);
      assert.ok(names.includes('kind') && names.includes('metadata'), classNameOf(resource));
    }
  });

  it('know the type of their objects', () => {
    holds<Same<ObjectOf<typeof resources.pods>, Json<V1Pod>>>();
    holds<Same<ObjectOf<typeof resources.nodes>, Json<V1Node>>>();
    holds<Same<ObjectOf<typeof resources.events>, Json<CoreV1Event>>>();
    holds<Same<ObjectOf<typeof resources.eventsV1>, Json<EventsV1Event>>>();
    holds<Same<typeof resources.pods.namespaced, true>>();
    holds<Same<typeof resources.nodes.namespaced, false>>();
  });
});

describe('informerFor', () => {
  const factory = new SharedInformerFactory(emptyKubeConfig());

  it('takes the type of objects from the resource', () => {
    const pods = factory.informerFor(resources.pods);
    const podsOfWeb = factory.informerFor({ ...resources.pods, namespace: 'web' });

    holds<Same<typeof pods, SharedInformer<Json<V1Pod>>>>();
    holds<Same<typeof podsOfWeb, SharedInformer<Json<V1Pod>>>>();
    assert.equal(factory.informerFor({ group: '', version: 'v1', resource: 'pods' }), pods);
    assert.notEqual(podsOfWeb, pods);
  });

  it('takes the type of a custom resource', () => {
    const widgets = customResource<Widget>({
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    const informer = factory.informerFor(widgets);

    holds<Same<typeof informer, SharedInformer<Widget>>>();
  });

  it('takes a type argument for a resource without one, and objects for none', () => {
    const reference = { group: 'example.com', version: 'v1', resource: 'gadgets' };
    const gadgets = factory.informerFor<Widget>(reference);
    const objects = factory.informerFor({ ...reference, resource: 'others' });

    holds<Same<typeof gadgets, SharedInformer<Widget>>>();
    holds<Same<typeof objects, SharedInformer<object>>>();
  });

  it('refuses another type than that of the resource', () => {
    // @ts-expect-error: Pods are no Widgets
    factory.informerFor<Widget>(resources.pods);
  });
});

describe('resourceOf', () => {
  it('finds the resource of every class that the table has', () => {
    const models = clientNode as unknown as Record<string, typeof V1Pod>;
    for (const resource of Object.values(resources)) {
      assert.equal(resourceOf(models[classNameOf(resource)]!), resource);
    }
  });

  it('knows the type of the objects', () => {
    const deployments = resourceOf(V1Deployment);
    holds<Same<ObjectOf<typeof deployments>, Json<V1Deployment>>>();
  });

  it('refuses other classes, and says what to do', () => {
    const message = /V1PodList is the class of no built-in kind .* customResource/;
    assert.throws(() => resourceOf(V1PodList), { code: 'KUBERING_UNKNOWN_KIND', message });
    assert.throws(() => resourceOf(V1Container), { name: 'UnknownKindError' });
    assert.throws(() => resourceOf(undefined as never), { name: 'UnknownKindError' });
  });
});

describe('accessors of the factory', () => {
  const factory = new SharedInformerFactory(emptyKubeConfig());

  it('give the shared informer and its lister', () => {
    const informer = factory.pods().informer();

    assert.equal(informer, factory.informerFor(resources.pods));
    assert.equal(factory.pods().lister(), informer.lister);
    holds<Same<typeof informer, SharedInformer<Json<V1Pod>>>>();
  });

  it('take the options of the informer, and a namespace where there is one', () => {
    const informer = factory.pods('web').informer({ indexers: { byNode: 'spec.nodeName' } });

    assert.equal(informer.resource.namespace, 'web');
    assert.deepEqual(informer.lister.byIndex('byNode', 'n1'), []);
    // @ts-expect-error: Nodes lie in no namespace
    assert.throws(() => factory.nodes('web'), { name: 'TypeError', message: /Node lies in none/ });
  });

  it('exist for each built-in resource', () => {
    for (const name of Object.keys(resources) as (keyof typeof resources)[]) {
      assert.equal(factory[name]().informer().resource.resource, resources[name].resource);
    }
  });
});

interface Widget {
  spec: { size: number };
}

function clientTexts(): string {
  const files = readdirSync(CLIENTS).filter((name) => /V\d+Api\.js$/.test(name));
  assert.ok(files.length > 20, `only ${files.length} clients were found`);
  return files.map((name) => readFileSync(new URL(name, CLIENTS), 'utf8')).join('\n');
}

/** Paths that some client's `list…` method asks over all namespaces. */
function listedPaths(): string[] {
  const methods = clientTexts().split(/\n {4}async /);
  const paths = methods
    .filter((method) => method.startsWith('list'))
    .map((method) => /localVarPath = '([^'{]+)'/.exec(method)?.[1])
    .filter((path) => path !== undefined);
  return [...new Set(paths)].sort();
}
