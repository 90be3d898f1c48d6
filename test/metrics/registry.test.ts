import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CONTROLLER_METRICS } from '../../src/controller/index.ts';
import { MAX_SERIES_PER_METRIC, METRICS, MetricsError, MetricsRegistry } from '../../src/metrics/index.ts';
import { StatusWriter } from '../../src/worker/index.ts';
import { QUEUE_METRICS, WorkQueue } from '../../src/workqueue/index.ts';
import { makeThings, Scene } from '../controller/controller-set-up.ts';
import { ManualClock, settle } from '../controller/manual-clock.ts';
import { Harness, thing } from '../informer/harness.ts';
import { factoryOf, sampleOf, syncedHarness } from './metrics-set-up.ts';

const THINGS = { name: 'default', group: '', version: 'v1', resource: 'things' };

describe('a metrics registry', () => {
  let registry: MetricsRegistry;

  beforeEach(() => {
    registry = new MetricsRegistry();
  });

  it('collects the metrics that it lists, in their order, and none of them twice', () => {
    const names = registry.collect().map(({ name }) => name);

    assert.deepEqual(
      names,
      METRICS.map(({ name }) => name),
    );
    assert.equal(new Set(names).size, names.length);
  });

  it('gives each sample the labels of its metric, and no others', () => {
    registry.addFactory(factoryOf([syncedHarness(1)]));
    for (const { type, labels, samples } of registry.collect()) {
      for (const sample of samples) {
        const names = Object.keys(sample.labels).filter((label) => type !== 'histogram' || label !== 'le');
        assert.deepEqual(names, labels);
      }
    }
  });

  describe('of informers', () => {
    it('reads them when it is asked, and not before', () => {
      const harness = syncedHarness(3);
      registry.addFactory(factoryOf([harness]));
      assert.equal(sampleOf(registry, 'kubering_store_objects', THINGS), 3);

      harness.added(thing('ns/new', 2));
      harness.work();
      assert.equal(sampleOf(registry, 'kubering_store_objects', THINGS), 4);
      assert.equal(sampleOf(registry, 'kubering_informer_synced', THINGS), 1);
    });

    it('has no sample for what is not known yet', () => {
      registry.addFactory(factoryOf([new Harness()]));

      assert.equal(sampleOf(registry, 'kubering_informer_synced'), 0);
      assert.equal(sampleOf(registry, 'kubering_reflector_last_contact_age_seconds'), undefined);
      assert.equal(sampleOf(registry, 'informer_store_resource_version'), undefined);
    });

    it('shows the last 15 digits of a resourceVersion, as client-go does', () => {
      const harness = syncedHarness(1);
      harness.bookmark('12345678901234567890');
      harness.work();
      registry.addFactory(factoryOf([harness]));

      assert.equal(sampleOf(registry, 'informer_store_resource_version'), 678901234567890);
    });

    it('counts handlers that throw', async () => {
      const harness = syncedHarness(2);
      harness.informer.addEventHandler({
        onEvent() {
          throw new Error('no');
        },
      });
      harness.work();
      await settle();
      registry.addFactory(factoryOf([harness]));

      assert.equal(sampleOf(registry, 'kubering_handler_errors_total'), 2);
      assert.equal(sampleOf(registry, 'kubering_handler_registered'), 1);
    });

    it('times handlers from when it first saw their informer, and until their promises settle', async () => {
      const harness = new Harness();
      const works = Promise.withResolvers<void>();
      harness.informer.addEventHandler({ onEvent: () => harness.clock.advance(3) });
      harness.informer.addEventHandler({ onEvent: () => works.promise });
      harness.list([thing('ns/before', 1)], '1');
      harness.work();
      registry.addFactory(factoryOf([harness]));
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_count'), 0);

      harness.added(thing('ns/a', 2));
      harness.work();
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_count'), 1);
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_sum'), 0.003);
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_bucket', { le: '0.001' }), 0);
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_bucket', { le: '0.005' }), 1);
      assert.equal(sampleOf(registry, 'informer_processing_latency_seconds_count'), 1);
      assert.equal(sampleOf(registry, 'informer_processing_latency_seconds_sum'), 0.003);
      works.resolve();
      await settle();
      await new Promise(setImmediate);
      await settle();
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_count'), 2);
    });

    it('times handlers that throw, and those of batches', async () => {
      const harness = syncedHarness(2);
      registry.addFactory(factoryOf([harness]));
      harness.informer.addEventHandler({
        onEvent() {
          harness.clock.advance(20);
          throw new Error('no');
        },
      });
      harness.informer.addEventHandler({ onBatch: () => harness.clock.advance(100) });
      for (let i = 0; i < 4; i++) await settle();
      await new Promise(setImmediate);

      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_count'), 3);
      assert.equal(sampleOf(registry, 'kubering_handler_duration_seconds_bucket', { le: '0.05' }), 2);
    });

    it('counts bodies, decodes, looks that found an object decoded, and parses that never happened', () => {
      const harness = syncedHarness(3);
      harness.modified(thing('ns/0', 2));
      harness.work();
      registry.addFactory(factoryOf([harness]));
      const { lister } = harness.informer;
      for (let i = 0; i < 3; i++) lister.get('ns/0');

      assert.equal(sampleOf(registry, 'kubering_store_bodies_total'), 4);
      assert.equal(sampleOf(registry, 'kubering_store_decodes_total'), 1);
      assert.equal(sampleOf(registry, 'kubering_store_decode_hits_total'), 2);
      assert.equal(sampleOf(registry, 'kubering_store_skipped_parses'), 3);
    });

    it('keeps the laps of handlers that were removed', async () => {
      const harness = syncedHarness(1);
      const never = new Promise<void>(() => {});
      const options = { backlogLimit: 1 };
      const registration = harness.informer.addEventHandler({ onEvent: () => never }, options);
      for (let i = 0; i < 4; i++) await settle();
      for (let version = 2; version < 6; version++) harness.modified(thing('ns/0', version));
      harness.work();
      const laps = harness.informer.stats.laps;
      void registration.remove();
      registry.addFactory(factoryOf([harness]));

      assert.ok(laps > 0);
      assert.equal(sampleOf(registry, 'kubering_handler_laps'), 0);
      assert.equal(sampleOf(registry, 'kubering_handler_laps_total'), laps);
    });

    it('reads what the worker writes: bytes, and waits for the ring and for memory', () => {
      const harness = new Harness();
      const status = new StatusWriter(harness.feed.health.status, performance.timeOrigin);
      status.received(2 ** 31);
      status.received(2 ** 31);
      status.received(1);
      status.waited(true);
      status.waited(false);
      status.waited(true);
      registry.addFactory(factoryOf([harness]));

      assert.equal(sampleOf(registry, 'kubering_reflector_received_bytes_total'), 2 ** 32 + 1);
      assert.equal(sampleOf(registry, 'kubering_reflector_ring_waits_total'), 2);
      assert.equal(sampleOf(registry, 'kubering_reflector_memory_waits_total'), 1);
    });

    it('shows each state of a reflector, 1 for the one that it is in', () => {
      const harness = new Harness();
      harness.informer.notice({ type: 'state', state: 'backingOff' });
      registry.addFactory(factoryOf([harness]));

      assert.equal(sampleOf(registry, 'kubering_reflector_state', { state: 'backingOff' }), 1);
      assert.equal(sampleOf(registry, 'kubering_reflector_state', { state: 'watching' }), 0);
    });

    it('makes one sample of two informers of a resource: sums, and the worse of two states', () => {
      registry.addFactory(factoryOf([syncedHarness(2), new Harness()]));

      assert.equal(sampleOf(registry, 'kubering_store_objects', THINGS), 2);
      assert.equal(sampleOf(registry, 'kubering_informer_synced', THINGS), 0);
      assert.equal(sampleOf(registry, 'kubering_reflector_state', { state: 'idle' }), 2);
    });
  });

  describe('of factories', () => {
    it('splits memory by its kind', () => {
      const harness = syncedHarness(2);
      const { indexBytes } = harness.informer.stats;
      const stats = { arenaBytes: 1000, sharedBytes: 1000 + indexBytes + 64 };
      registry.addFactory(factoryOf([harness], stats));

      assert.equal(sampleOf(registry, 'kubering_memory_bytes', { kind: 'bodies' }), 1000);
      assert.equal(sampleOf(registry, 'kubering_memory_bytes', { kind: 'indexes' }), indexBytes);
      assert.equal(sampleOf(registry, 'kubering_memory_bytes', { kind: 'rings' }), 64);
      assert.equal(sampleOf(registry, 'kubering_memory_bytes', { kind: 'decoded' }), 0);
    });

    it('tells two by their names, and refuses a second one of a name', () => {
      registry.addFactory(factoryOf([syncedHarness(1)]), { name: 'east' });
      registry.addFactory(factoryOf([syncedHarness(2)]), { name: 'west' });

      assert.equal(sampleOf(registry, 'kubering_store_objects', { name: 'west' }), 2);
      assert.throws(() => registry.addFactory(factoryOf([]), { name: 'east' }), {
        name: 'MetricsError',
        code: 'KUBERING_METRICS',
        message: /"east" is there already/,
      });
    });

    it('refuses what is no factory, and a name that is none', () => {
      assert.throws(() => registry.addFactory(undefined as never), MetricsError);
      assert.throws(() => registry.addFactory({} as never), MetricsError);
      assert.throws(() => registry.addFactory(factoryOf([]), { name: '' }), MetricsError);
      assert.throws(() => registry.addController({} as never), MetricsError);
    });

    it('forgets one that was taken out, and then takes its name again', () => {
      const remove = registry.addFactory(factoryOf([syncedHarness(1)]));
      remove();
      assert.equal(sampleOf(registry, 'kubering_store_objects'), undefined);

      registry.addFactory(factoryOf([syncedHarness(2)]));
      remove();
      assert.equal(sampleOf(registry, 'kubering_store_objects'), 2);
    });
  });

  describe('of queues', () => {
    it('counts what a queue tells it, with buckets that add up', async () => {
      const clock = new ManualClock();
      const queue = new WorkQueue<string>({ name: 'keys', metrics: registry, clock });
      queue.add('a');
      queue.add('b');
      await clock.advance(50);
      queue.done((await queue.get()) as string);
      queue.shutDown();

      const labels = { name: 'keys' };
      assert.equal(sampleOf(registry, 'workqueue_adds_total', labels), 2);
      assert.equal(sampleOf(registry, 'workqueue_depth', labels), 1);
      assert.equal(sampleOf(registry, 'workqueue_queue_duration_seconds_count', labels), 1);
      assert.equal(sampleOf(registry, 'workqueue_queue_duration_seconds_sum', labels), 0.05);
      assert.equal(sampleOf(registry, 'workqueue_queue_duration_seconds_bucket', { le: '0.01' }), 0);
      assert.equal(sampleOf(registry, 'workqueue_queue_duration_seconds_bucket', { le: '0.1' }), 1);
      assert.equal(sampleOf(registry, 'workqueue_queue_duration_seconds_bucket', { le: '+Inf' }), 1);
    });

    it('puts a value that is a bound into the bucket of that bound', () => {
      registry.histogram(QUEUE_METRICS.workDuration, { name: 'q' }).observe(0.1);

      assert.equal(sampleOf(registry, 'workqueue_work_duration_seconds_bucket', { le: '0.01' }), 0);
      assert.equal(sampleOf(registry, 'workqueue_work_duration_seconds_bucket', { le: '0.1' }), 1);
    });

    it('counts those beyond the limit of series together, and says how many', () => {
      for (let i = 0; i < MAX_SERIES_PER_METRIC + 2; i++)
        registry.counter(QUEUE_METRICS.adds, { name: `q${i}` }).inc();

      const adds = registry.collect().find(({ name }) => name === QUEUE_METRICS.adds.name)!;
      assert.equal(adds.samples.length, MAX_SERIES_PER_METRIC + 1);
      assert.equal(sampleOf(registry, 'workqueue_adds_total', { name: 'other' }), 2);
      assert.equal(sampleOf(registry, 'kubering_metrics_overflowing_series'), 2);
    });

    it('keeps the result of a reconcile when the name of its controller finds no room', () => {
      for (let i = 0; i < MAX_SERIES_PER_METRIC; i++) {
        registry.counter(CONTROLLER_METRICS.reconciles, { controller: `c${i}`, result: 'success' });
      }
      registry.counter(CONTROLLER_METRICS.reconciles, { controller: 'late', result: 'error' }).inc();

      const labels = { controller: 'other', result: 'error' };
      assert.equal(sampleOf(registry, 'controller_runtime_reconcile_total', labels), 1);
    });

    for (const [what, ask] of [
      ['a metric that is not ours', () => registry.counter({ name: 'mine_total', help: '' }, { name: 'q' })],
      ['a gauge that is asked for as a counter', () => registry.counter(QUEUE_METRICS.depth, { name: 'q' })],
      ['labels of another metric', () => registry.counter(QUEUE_METRICS.adds, { controller: 'c' })],
    ] as const) {
      it(`refuses ${what}`, () => {
        assert.throws(ask, MetricsError);
      });
    }
  });

  it('counts what a controller and its queue tell it, and reads its state', async () => {
    const things = makeThings([thing('ns/a', 1), thing('ns/b', 1)]);
    const scene = new Scene({ for: things.informer, metrics: registry, name: 'things', reconcile: () => {} });
    registry.addController(scene.controller);
    await scene.start();
    await scene.advance(1000);

    const reconciled = { controller: 'things', result: 'success' };
    assert.equal(sampleOf(registry, 'controller_runtime_reconcile_total', reconciled), 2);
    assert.equal(sampleOf(registry, 'controller_runtime_reconcile_time_seconds_count'), 2);
    assert.equal(sampleOf(registry, 'workqueue_adds_total', { name: 'things' }), 2);
    assert.equal(sampleOf(registry, 'kubering_controller_waiting_for_cache', { controller: 'things' }), 0);
    assert.equal(sampleOf(registry, 'kubering_controller_leading'), undefined);
    assert.throws(() => registry.addController(scene.controller), MetricsError);
    await scene.stop();
  });
});
