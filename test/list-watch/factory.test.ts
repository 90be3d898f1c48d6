import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { drop, ListWatch, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until as untilTime } from '../e2e/until.ts';
import { added, Events, emptyKubeConfig, script, type Thing, thing, thingList } from './home.ts';

const THINGS = { group: '', version: 'v1', resource: 'things' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

describe('a factory with sources that are functions', () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  function factoryOf(kubeConfig = emptyKubeConfig()) {
    const factory = new SharedInformerFactory(kubeConfig);
    cleanups.push(() => factory.stop());
    return factory;
  }

  it('runs them without threads and without a server', async () => {
    const watch = new Events();
    const factory = factoryOf();
    const informer = factory.informerFor<Thing>(THINGS, {
      listerWatcher: script([thingList([thing('ns/a', 1)], '5')], [watch]).listerWatcher,
    });
    await factory.start();
    watch.give(added(thing('ns/b', 6)));
    await untilTime('it came', () => informer.lister.size === 2);

    assert.equal(factory.fleet, undefined);
    assert.equal(factory.stats.objects, 2);
    assert.ok(factory.stats.arenaBytes > 0);
    assert.ok(factory.stats.sharedBytes > factory.stats.arenaBytes);
  });

  it('keeps their objects as JSON where records are asked for, which a worker would have to make', async () => {
    const factory = factoryOf();
    const { listerWatcher } = script([thingList([thing('ns/a', 1)], '5')], [new Events()]);
    const informer = factory.informerFor<Thing>(THINGS, { listerWatcher, bodies: 'record' });
    await factory.start();

    assert.equal(informer.lister.get('ns/a')!.metadata.name, 'a');
    assert.equal(informer.stats.decodedRecords, 0);
  });

  it('gives the same informer for the same source, and refuses another one', () => {
    const { listerWatcher } = script([thingList([], '5')]);
    const factory = factoryOf();
    const informer = factory.informerFor(THINGS, { listerWatcher });

    assert.equal(factory.informerFor(THINGS, { listerWatcher }), informer);
    assert.equal(factory.informerFor(THINGS), informer);
    const other = script([thingList([], '5')]).listerWatcher;
    assert.throws(() => factory.informerFor(THINGS, { listerWatcher: other }), /with other options/);
    assert.throws(() => factory.informerFor(THINGS, {}), /with other options/);
  });

  it('refuses a source that is none', () => {
    const factory = factoryOf();
    const listerWatcher = { list: async () => thingList([], '5') };
    assert.throws(() => factory.informerFor(THINGS, { listerWatcher: listerWatcher as never }), {
      code: 'KUBERING_USAGE',
      message: /methods list and watch/,
    });
    assert.throws(() => new ListWatch({ listFunc: async () => thingList([], '5') } as never), TypeError);
  });

  it('stops one of them alone, and gives its memory back', async () => {
    const first = new Events();
    const second = new Events();
    const factory = factoryOf();
    const things = factory.informerFor<Thing>(THINGS, {
      listerWatcher: script([thingList([thing('ns/a', 1)], '5')], [first]).listerWatcher,
    });
    const others = factory.informerFor<Thing>(
      { ...THINGS, resource: 'others' },
      { listerWatcher: script([thingList([], '5')], [second]).listerWatcher },
    );
    await factory.start();
    await things.stop();
    assert.equal(things.lister.size, 0);
    assert.equal(first.returned, true);
    second.give(added(thing('ns/b', 6)));
    await untilTime('the neighbour follows', () => others.lister.size === 1);
  });

  it('keeps what the API server’s own answers would give, beside an informer that asks it', async () => {
    const server = await FakeApiServer.start({ seed: 5 });
    cleanups.push(() => server.stop());
    await server.seedPods(300);
    const items = server.list('pods');
    const options = {
      indexers: { byNode: 'spec.nodeName', byOwner: 'metadata.ownerReferences[*].uid' },
      columns: { phase: 'status.phase', restarts: 'status.containerStatuses[0].restartCount' },
      project: drop('metadata.managedFields', 'spec.containers[*].env'),
    };
    const list = {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(server.resourceVersion) },
      items,
    };
    const factory = factoryOf(server.kubeConfig());
    const overHttp = factory.informerFor<Thing>(PODS, options);
    const ofObjects = factory.informerFor<Thing>(
      { ...PODS, namespace: 'copy' },
      { ...options, listerWatcher: script([list]).listerWatcher },
    );
    await factory.start();

    assert.equal(ofObjects.lister.size, 300);
    assert.deepEqual(ofObjects.lister.keys().sort(), overHttp.lister.keys().sort());
    for (const ref of overHttp.lister.refs()) {
      const copy = ofObjects.lister.ref(ref.key)!;
      assert.deepEqual(copy.object, ref.object);
      assert.deepEqual(Object.keys(copy.object), Object.keys(ref.object));
      for (const column of ['phase', 'restarts']) assert.deepEqual(copy.column(column), ref.column(column));
    }
    for (const index of ['byNode', 'byOwner']) {
      const values = overHttp.lister.indexValues(index).sort();
      assert.deepEqual(ofObjects.lister.indexValues(index).sort(), values);
      for (const value of values) {
        const keys = overHttp.lister.indexKeys(index, value).sort();
        assert.deepEqual(ofObjects.lister.indexKeys(index, value).sort(), keys);
      }
    }
  });
});
