import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  type AuditReport,
  drop,
  type InformerError,
  type InformerEvent,
  type InformerOptions,
  ListWatch,
  type SharedInformer,
  SharedInformerFactory,
} from '../../src/index.ts';
import { MetricsRegistry } from '../../src/metrics/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

interface ConfigMap {
  metadata: { namespace: string; name: string; labels?: Record<string, string> };
  data?: Record<string, string>;
}

describe('audit', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7, bookmarkIntervalMs: 100 });
    factory = new SharedInformerFactory(server.kubeConfig());
    for (let i = 0; i < 30; i++) server.create('configmaps', configMap(`c${i}`));
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  /** Starts an informer whose watch loses its first events. */
  async function started(lost = 0, options: InformerOptions<ConfigMap> = {}) {
    for (let i = 0; i < lost; i++) server.faults.add({ fault: 'lost', on: 'watch', times: 1, afterItems: i });
    const informer = factory.informerFor<ConfigMap>(CONFIG_MAPS, options);
    await factory.start();
    await until('the watch is open', () => server.stats.openWatches > 0);
    return informer;
  }

  it('finds nothing in a cache that is right, by the hashes of its shards alone', async () => {
    const informer = await started();
    const reports: AuditReport[] = [];
    informer.on('audit', (report) => reports.push(report));
    const report = await informer.audit({ pageLimit: 7, pauseMs: 0 });

    assert.deepEqual(brief(report), { outcome: 'clean', objects: 30, differingShards: 0, suspects: 0 });
    assert.equal(report.shards, 16);
    assert.deepEqual(reports, [report]);
    assert.deepEqual(figures(informer), { audits: 1, auditFailures: 0, drifts: 0, repairs: 0 });
    const asked = server.requests.filter(({ verb }) => verb === 'list').slice(1);
    assert.equal(asked.length, 5, 'in pages');
  });

  it('finds what lost events left wrong, tells of it, and puts it right', async () => {
    const informer = await started(3);
    const errors: InformerError[] = [];
    informer.on('error', (error) => errors.push(error));
    const told: string[] = [];
    informer.addEventHandler({ onEvent: (event) => void (event.isInitial || told.push(tell(event))) });
    loseThree(server);
    const report = await informer.audit({ pauseMs: 0 });

    assert.equal(report.outcome, 'drifted');
    assert.deepEqual([...report.drifts].sort(byKey), [
      { key: 'default/c1', kind: 'stale' },
      { key: 'default/c2', kind: 'leftover' },
      { key: 'default/new', kind: 'missing' },
    ]);
    const { missing, stale, leftover, repaired, unconfirmed } = report;
    assert.deepEqual([missing, stale, leftover, repaired, unconfirmed], [1, 1, 1, 3, 0]);
    await until('the handlers know', () => told.length === 3);
    assert.deepEqual(told.sort(), ['add default/new', 'delete default/c2 unknown', 'update default/c1']);
    assert.deepEqual(informer.lister.get('default/c1')?.data, { changed: 'yes' });
    assert.deepEqual(cached(informer), stored(server));
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['drift'],
    );
    assert.match(errors[0]!.message, /3 objects of configmaps .*\(1 missing, 1 stale, 1 left over\)/);
    assert.equal(informer.health().degraded, false);
    assert.deepEqual(figures(informer), { audits: 1, auditFailures: 0, drifts: 3, repairs: 3 });

    assert.equal((await informer.audit({ pauseMs: 0 })).outcome, 'clean');
  });

  it('goes on from a repair as from any event: the version of the cache never goes back', async () => {
    const informer = await started(3);
    loseThree(server);
    const before = BigInt(informer.lister.resourceVersion);
    await informer.audit({ pauseMs: 0 });
    const after = BigInt(informer.lister.resourceVersion);
    server.update('configmaps', configMap('c1', { changed: 'again' }));
    server.delete('configmaps', 'default/new');
    await informer.atLeast(String(Number(after) + 2));

    assert.ok(after >= before);
    assert.deepEqual(cached(informer), stored(server));
  });

  it('only reports when it is asked to repair nothing', async () => {
    const informer = await started(3);
    loseThree(server);
    const report = await informer.audit({ pauseMs: 0, repair: false });

    assert.equal(report.drifts.length, 3);
    assert.equal(report.repaired, 0);
    assert.equal(informer.lister.get('default/new'), undefined);
    assert.ok(informer.lister.get('default/c2'));
  });

  it('leaves what it may not ask for to the next audit, and says so', async () => {
    const informer = await started(3);
    loseThree(server);
    const first = await informer.audit({ pauseMs: 0, maxSuspects: 2 });
    const second = await informer.audit({ pauseMs: 0, maxSuspects: 2 });

    assert.deepEqual([first.repaired, first.unconfirmed], [2, 1]);
    assert.deepEqual([second.repaired, second.unconfirmed], [1, 0]);
    assert.deepEqual(cached(informer), stored(server));
  });

  it('takes no change for drift, however many there are meanwhile', async () => {
    const informer = await started();
    const end = new AbortController();
    const churn = server.churn({
      resource: 'configmaps',
      rate: 1500,
      count: 1_000_000,
      mix: { create: 1, update: 2, delete: 1 },
      seed: 11,
      signal: end.signal,
    });
    const reports: AuditReport[] = [];
    for (let i = 0; i < 5; i++) reports.push(await informer.audit({ pageLimit: 10, pauseMs: 1 }));
    end.abort();
    await churn;

    assert.ok(reports.some(({ differingShards }) => differingShards > 0));
    for (const { outcome, drifts, error } of reports) {
      assert.deepEqual([outcome, drifts, error?.message], ['clean', [], undefined]);
    }
  });

  it('asks with the selectors of the informer, and finds what should have left its selection', async () => {
    server.update('configmaps', configMap('c1', {}, { app: 'web' }));
    server.update('configmaps', configMap('c2', {}, { app: 'web' }));
    const informer = await started(1, { labelSelector: 'app=web' });
    server.update('configmaps', configMap('c1', {}, { app: 'db' }));
    const report = await informer.audit({ pauseMs: 0 });

    assert.equal(report.objects, 1);
    assert.deepEqual(report.drifts, [{ key: 'default/c1', kind: 'leftover' }]);
    assert.deepEqual(informer.lister.keys(), ['default/c2']);
  });

  it('audits each namespace of an informer of several', async () => {
    for (const namespace of ['a', 'b']) server.create('configmaps', configMap('x', {}, {}, namespace));
    const informer = await started(0, { namespaces: ['a', 'b', 'default'] });
    const report = await informer.audit({ pauseMs: 0 });

    assert.deepEqual(brief(report), { outcome: 'clean', objects: 32, differingShards: 0, suspects: 0 });
  });

  it('repairs with what the informer keeps of an object', async () => {
    const options: InformerOptions<ConfigMap> = {
      project: drop('data'),
      columns: { app: 'metadata.labels.app' },
    };
    const informer = await started(1, options);
    server.create('configmaps', configMap('new', { secret: 'x' }, { app: 'web' }));
    await informer.audit({ pauseMs: 0 });

    const ref = informer.lister.ref('default/new');
    assert.equal(ref?.column('app'), 'web');
    assert.equal(ref?.object.data, undefined);
  });

  it('repairs with what a transform of the informer makes of an object', async () => {
    const transform = {
      module: new URL('../e2e/modules/functions.ts', import.meta.url),
      export: 'transform',
    };
    const informer = await started(1, { transform });
    server.create('configmaps', configMap('new', { v: 'kept' }));
    const report = await informer.audit({ pauseMs: 0 });

    assert.deepEqual(report.drifts, [{ key: 'default/new', kind: 'missing' }]);
    assert.equal((informer.lister.get('default/new') as unknown as { value: string }).value, 'kept');
  });

  it('counts audits in the metrics of the informer', async () => {
    const informer = await started(3);
    loseThree(server);
    await informer.audit({ pauseMs: 0 });
    const metrics = new MetricsRegistry();
    metrics.addFactory(factory);
    const values = metrics
      .collect()
      .filter(({ name }) => name.startsWith('kubering_audit_'))
      .map(({ name, samples }) => [name, samples[0]?.value]);

    assert.deepEqual(Object.fromEntries(values), {
      kubering_audit_runs_total: 1,
      kubering_audit_failures_total: 0,
      kubering_audit_drifts_total: 3,
      kubering_audit_repairs_total: 3,
    });
  });

  it('says that nothing can be said when the server does not answer, and the cache stays trusted', async () => {
    const informer = await started();
    server.faults.add({ fault: 'status', code: 403, on: 'list' });
    const report = await informer.audit({ pauseMs: 0 });

    assert.equal(report.outcome, 'failed');
    assert.equal(report.error?.code, 'audit-failed');
    assert.equal(report.error?.status, 403);
    assert.match(report.error?.message ?? '', /an audit of configmaps came to no result \(forbidden\)/);
    assert.equal(informer.health().degraded, false);
    assert.deepEqual(figures(informer), { audits: 1, auditFailures: 1, drifts: 0, repairs: 0 });
  });

  it('ends with its signal, and with the informer', async () => {
    const informer = await started();
    server.faults.add({ fault: 'silence', on: 'list' });
    const reason = new Error('enough');
    const end = new AbortController();
    const aborted = informer.audit({ signal: end.signal });
    const stopped = informer.audit();
    end.abort(reason);
    await assert.rejects(aborted, reason);
    await informer.stop();

    await assert.rejects(stopped, { code: 'KUBERING_STOPPED' });
    assert.throws(() => informer.audit(), { code: 'KUBERING_STOPPED' });
  });

  it('refuses options out of range, and informers without an API server', () => {
    const informer = factory.informerFor(CONFIG_MAPS);
    for (const options of [
      { every: 9 },
      { every: Number.NaN },
      { maxSuspects: 0 },
      { pageLimit: 1.5 },
      { pauseMs: -1 },
    ]) {
      assert.throws(() => informer.audit(options), { code: 'KUBERING_USAGE' });
    }
    const listerWatcher = new ListWatch({
      listFunc: async () => ({ metadata: { resourceVersion: '1' }, items: [] }),
      watchFunc: async function* () {},
    });
    const ofFunctions = factory.informerFor(CONFIG_MAPS, { view: 'functions', listerWatcher });
    assert.throws(() => ofFunctions.audit(), { code: 'KUBERING_USAGE', message: /listerWatcher/ });
  });
});

/** An update, a delete and a create, of which the watch brings nothing. */
function loseThree(server: FakeApiServer): void {
  server.update('configmaps', configMap('c1', { changed: 'yes' }));
  server.delete('configmaps', 'default/c2');
  server.create('configmaps', configMap('new'));
}

function configMap(
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
  namespace = 'default',
): ConfigMap {
  return { metadata: { name, namespace, labels }, data };
}

function brief({ outcome, objects, differingShards, suspects }: AuditReport) {
  return { outcome, objects, differingShards, suspects };
}

function figures({ stats }: SharedInformer<ConfigMap>) {
  const { audits, auditFailures, drifts, repairs } = stats;
  return { audits, auditFailures, drifts, repairs };
}

function tell({ type, key, isFinalStateUnknown }: InformerEvent<ConfigMap>): string {
  return `${type} ${key}${isFinalStateUnknown ? ' unknown' : ''}`;
}

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : 1;
}

function cached({ lister }: SharedInformer<ConfigMap>): string[] {
  return lister
    .refs()
    .map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`)
    .sort();
}

function stored(server: FakeApiServer): string[] {
  return server
    .states('configmaps')
    .map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`)
    .sort();
}
