import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  drop,
  type InformerError,
  type InformerOptions,
  indexBy,
  keep,
  type SharedInformer,
  SharedInformerFactory,
} from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

interface Pod {
  metadata: {
    name: string;
    namespace: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    managedFields?: unknown[];
    ownerReferences?: { uid: string; controller?: boolean }[];
  };
  spec: { nodeName?: string; containers: { name: string; image: string }[] };
  status: { phase: string; conditions?: { type: string; status: string }[] };
}

describe('indexes, columns and projections of an informer with a worker', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 11 });
    factory = new SharedInformerFactory(server.kubeConfig());
    await server.seedPods(120);
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  const start = async (options: InformerOptions<Pod>): Promise<SharedInformer<Pod>> => {
    const informer = factory.informerFor<Pod>(PODS, options);
    await factory.start();
    return informer;
  };

  const churn = async (informer: SharedInformer<Pod>): Promise<void> => {
    await server.churn({ resource: 'pods', rate: Number.POSITIVE_INFINITY, count: 300, seed: 5 });
    await until(
      'all changes are in the cache',
      () => informer.lister.resourceVersion === server.resourceVersion,
    );
  };

  it('find what plain functions find, from the start and added while Pods change', async () => {
    const informer = await start({
      indexers: {
        byNode: indexBy.nodeName,
        byController: indexBy.controllerUid,
        byOwner: indexBy.ownerUid,
        byReady: indexBy.condition('Ready'),
        byApp: indexBy.label('app'),
        byLabelName: indexBy.labelName,
        byPhase: ({ status }) => status.phase,
      },
    });
    const changes = churn(informer);
    const ready = informer.addIndexers({
      lateNode: indexBy.nodeName,
      lateController: indexBy.controllerUid,
      lateImage: 'spec.containers[*].image',
      latePhase: ({ status }) => status.phase,
    });
    await Promise.all([changes, ready]);
    informer.removeIndexer('byPhase');

    const pods = [...server.list('pods')] as unknown as Pod[];
    const plain: Record<string, (pod: Pod) => (string | undefined)[]> = {
      byNode: ({ spec }) => [spec.nodeName],
      byController: ({ metadata }) => controllersOf(metadata),
      byOwner: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid),
      byReady: ({ status }) => conditionsOf(status),
      byApp: ({ metadata }) => [metadata.labels?.app],
      byLabelName: ({ metadata }) => Object.keys(metadata.labels ?? {}),
      lateNode: ({ spec }) => [spec.nodeName],
      lateController: ({ metadata }) => controllersOf(metadata),
      lateImage: ({ spec }) => spec.containers.map(({ image }) => image),
      latePhase: ({ status }) => [status.phase],
    };
    for (const [index, valuesOf] of Object.entries(plain)) {
      const keys = new Map<string, Set<string>>();
      for (const pod of pods) {
        for (const value of valuesOf(pod)) {
          if (value === undefined) continue;
          keys.set(
            value,
            (keys.get(value) ?? new Set()).add(`${pod.metadata.namespace}/${pod.metadata.name}`),
          );
        }
      }
      assert.deepEqual(informer.lister.indexValues(index).sort(), [...keys.keys()].sort(), index);
      for (const [value, expected] of keys) {
        assert.deepEqual(informer.lister.indexKeys(index, value), [...expected].sort(), `${index} ${value}`);
      }
    }
    assert.ok(informer.lister.indexValues('byController').length > 1);
    assert.ok(informer.lister.indexValues('byReady').length > 0);
    assert.throws(() => informer.lister.indexValues('byPhase'), { name: 'UnknownFieldError' });
  });

  it('keeps of Pods from list and watch only what is wanted, and indexes by the rest', async () => {
    const informer = await start({
      project: keep('metadata.labels', 'spec.containers[*].image'),
      indexers: { byNode: indexBy.nodeName },
      columns: { phase: 'status.phase', ready: indexBy.condition('Ready') },
    });
    await churn(informer);

    for (const pod of server.list('pods') as unknown as Pod[]) {
      const { namespace, name, labels } = pod.metadata;
      const ref = informer.lister.ref(`${namespace}/${name}`)!;
      const { kind, apiVersion, metadata, spec, ...rest } = ref.object as Pod & {
        kind: string;
        apiVersion: string;
      };
      assert.deepEqual([kind, apiVersion, rest], ['Pod', 'v1', {}]);
      assert.deepEqual(Object.keys(metadata).sort(), keysOf(labels));
      assert.deepEqual(metadata.labels, labels);
      assert.deepEqual(spec, { containers: pod.spec.containers.map(({ image }) => ({ image })) });
      assert.equal(ref.column('phase'), pod.status.phase);
      assert.equal(ref.column('ready'), conditionsOf(pod.status)[0]);
    }
    assert.ok(informer.lister.indexValues('byNode').length > 1);
    assert.throws(() => informer.addIndexers({ byPhase: indexBy.phase, byZone: 'spec.zone' }), {
      code: 'FIELD_PATH_PROJECTED',
    });
    await informer.addIndexers({ byPhase: indexBy.phase });
    assert.ok(informer.lister.count() > 0 && informer.lister.indexValues('byPhase').length > 0);
  });

  it('tells the first failure of an index function, counts all, and keeps every object', async () => {
    const errors: InformerError[] = [];
    const informer = factory.informerFor<Pod>(PODS, {
      project: drop('metadata.managedFields'),
      indexers: {
        broken: () => {
          throw new Error('not today');
        },
        byPhase: ({ status }) => status.phase,
      },
    });
    informer.on('error', (error) => errors.push(error));
    await factory.start();

    assert.deepEqual(
      errors.map(({ code }) => code),
      ['index-failed'],
    );
    assert.match(
      errors[0]!.message,
      /^the index 'broken' of pods\S* failed on \S+\/\S+, which is kept without a value/,
    );
    assert.equal((errors[0]!.cause as Error).message, 'not today');
    assert.equal(informer.stats.indexErrors, 120);
    assert.equal(informer.lister.size, 120);
    assert.equal(informer.lister.query({ byPhase: 'Running' }).count() > 0, true);
    assert.deepEqual(informer.lister.indexValues('broken'), []);
  });

  it('gives up new indexes when it is stopped', async () => {
    const informer = await start({});
    const ready = informer.addIndexers({ byNode: indexBy.nodeName });
    await Promise.all([assert.rejects(ready, { name: 'StoppedError' }), informer.stop()]);

    assert.throws(() => informer.addIndexers({ other: 'spec' }), { name: 'StoppedError' });
  });
});

function controllersOf({ ownerReferences = [] }: Pod['metadata']): string[] {
  return ownerReferences.filter(({ controller }) => controller === true).map(({ uid }) => uid);
}

function conditionsOf({ conditions = [] }: Pod['status']): string[] {
  return conditions.filter(({ type }) => type === 'Ready').map(({ status }) => status);
}

function keysOf(labels: object | undefined): string[] {
  const identity = ['name', 'namespace', 'resourceVersion', 'uid'];
  return (labels === undefined ? identity : [...identity, 'labels']).sort();
}
