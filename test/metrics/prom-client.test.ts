import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import promClient, { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { SharedInformerFactory } from '../../src/informer/index.ts';
import { METRICS, MetricsRegistry, registerMetrics } from '../../src/metrics/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { QUEUE_METRICS } from '../../src/workqueue/index.ts';
import { makeThings, Scene } from '../controller/controller-set-up.ts';
import { thing } from '../informer/harness.ts';
import { parsePage } from './exposition.ts';
import { factoryOf, syncedHarness } from './metrics-set-up.ts';

describe('the page of prom-client', () => {
  it('shows all metrics of an informer that has listed from a server, in a form that scrapes accept', async () => {
    const server = await FakeApiServer.start({ seed: 7 });
    const factory = new SharedInformerFactory(server.kubeConfig());
    let page: string;
    try {
      await server.seedPods(20);
      factory.informerFor({ group: '', version: 'v1', resource: 'pods' });
      const register = new Registry();
      registerMetrics({ factory }, register);
      await factory.start();
      page = await register.metrics();
    } finally {
      await factory.stop();
      await server.stop();
    }

    const families = parsePage(page);
    assert.deepEqual(
      families.map(({ name, type }) => [name, type]),
      METRICS.map(({ name, type }) => [name, type]),
    );
    const objects = families.find(({ name }) => name === 'kubering_store_objects')!;
    const labels = { name: 'default', group: '', version: 'v1', resource: 'pods' };
    assert.deepEqual(objects.samples, [{ name: 'kubering_store_objects', labels, value: 20 }]);
    const memory = families.find(({ name }) => name === 'kubering_memory_bytes')!;
    for (const { labels, value } of memory.samples) assert.ok(value >= 0, `${labels.kind}: ${value}`);
  });

  it('shows histograms of queues and controllers, with names that have to be escaped', async () => {
    const register = new Registry();
    const metrics = registerMetrics({}, register);
    const name = 'a "name"\\ of\ntwo lines';
    const things = makeThings([thing('ns/a', 1)]);
    const scene = await new Scene({ for: things.informer, metrics, name, reconcile: () => {} }).start();
    await scene.stop();

    const families = parsePage(await register.metrics());
    const durations = families.find((family) => family.name === QUEUE_METRICS.workDuration.name)!;
    const count = durations.samples.find((sample) => sample.name.endsWith('_count'))!;
    assert.deepEqual(count.labels, { name });
    assert.equal(count.value, 1);
  });

  it('can be OpenMetrics, time and again', async () => {
    const register = new Registry<promClient.OpenMetricsContentType>();
    register.setContentType(promClient.openMetricsContentType as promClient.OpenMetricsContentType);
    const metrics = registerMetrics({}, register);
    metrics.counter(QUEUE_METRICS.adds, { name: 'q' }).inc();

    for (let scrape = 0; scrape < 2; scrape++) {
      const lines = (await register.metrics()).split('\n');
      assert.ok(lines.includes('# TYPE workqueue_adds counter'));
      assert.ok(lines.includes('workqueue_adds_total{name="q"} 1'));
      assert.deepEqual(lines.slice(-2), ['# EOF', '']);
    }
  });

  it('is read once, however many metrics it has', async () => {
    const factory = factoryOf([syncedHarness(1)]);
    let reads = 0;
    const counted = {
      informers: factory.informers,
      get stats() {
        reads++;
        return factory.stats;
      },
    };
    const register = new Registry();
    registerMetrics({ factory: counted }, register);
    assert.equal(reads, 0);

    await register.metrics();
    assert.equal(reads, 1);
    await register.metrics();
    assert.equal(reads, 2);
  });

  it('keeps what was counted when prom-client resets its metrics', async () => {
    const register = new Registry();
    const metrics = registerMetrics({}, register);
    metrics.counter(QUEUE_METRICS.adds, { name: 'q' }).inc();
    register.resetMetrics();

    assert.match(await register.metrics(), /workqueue_adds_total\{name="q"\} 1/);
  });

  it('takes the module for its default register, and a registry that exists already', async () => {
    const registry = new MetricsRegistry();
    try {
      assert.equal(registerMetrics({ registry }, promClient), registry);
      assert.match(await promClient.register.metrics(), /kubering_store_objects/);
    } finally {
      promClient.register.clear();
    }
  });

  it('tells the cluster module of prom-client how processes are merged', async () => {
    const register = new Registry();
    registerMetrics({ factory: factoryOf([syncedHarness(2)]) }, register);
    const page = await register.getMetricsAsJSON();
    const merged = await AggregatorRegistry.aggregate([page, page]).metrics();

    assert.match(merged, /^kubering_store_objects\{.*\} 4$/m);
    assert.match(merged, /^kubering_informer_synced\{.*\} 1$/m);
  });

  it('gets nothing when a name is taken', () => {
    const register = new Registry();
    const { name, help } = QUEUE_METRICS.adds;
    new Counter({ name, help, registers: [register] });

    assert.throws(() => registerMetrics({}, register), {
      code: 'KUBERING_METRICS',
      message: /there is a metric workqueue_adds_total already/,
    });
    assert.equal(register.getMetricsAsArray().length, 1);
  });

  for (const [what, target] of [
    ['nothing', undefined],
    ['an empty object', {}],
    ['another library', { register: { metrics() {} } }],
  ] as const) {
    it(`is not made with ${what}`, () => {
      assert.throws(() => registerMetrics({}, target as never), {
        code: 'KUBERING_METRICS',
        message: /prom-client/,
      });
    });
  }
});
