/** The operator example on a real API server: one process works, and another one when that is gone. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { APPLY_PATCH, type Json } from './harness/connection.ts';
import { inParallel } from './suite/in-parallel.ts';
import { reconcilesBegun, shiftsOf } from './suite/operator-log.ts';
import { openRealServer, type RealServer } from './suite/real-server.ts';
import { newNamespace, servesWatches } from './suite/server-under-test.ts';

const MAIN = fileURLToPath(new URL('../../examples/operator/main.ts', import.meta.url));
const CRD = new URL('../../examples/operator/crd.yaml', import.meta.url);

const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/websites.example.com';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/website-operator';

/** A leader on a busy machine keeps it: it may be late by five seconds. */
const LEASE_MS = 8_000;
/** The lease; what a follower is late to see the last renewal and the end, with jitter; a busy machine. */
const TAKEOVER_LIMIT_MS = LEASE_MS + 2 * 2.2 * (LEASE_MS / 8) + 5_000;

/** A process has to start, or to wait for the lease, on a machine that may be busy. */
const LIMIT_MS = 60_000;
const POLL_MS = 20;

/** More than are reconciled at a time, so that a leader is killed in the middle of its work. */
const SITES = 40;

describe('examples/operator', () => {
  let server: RealServer;
  let namespace: string;
  let folder: string;
  let log: string;
  let processes: ChildProcess[];

  before(async () => {
    server = await openRealServer();
    // The server reads the text itself, as it would kubectl's.
    const [definition] = (await readFile(CRD, 'utf8')).split('\n---\n');
    await server.api.patch(`${DEFINITION}?fieldManager=conformance`, definition, APPLY_PATCH);
    await servesWatches(server.api, { group: 'example.com', version: 'v1', resource: 'websites' });
  });
  after(() => server.close());

  beforeEach(async () => {
    namespace = await newNamespace(server.api);
    folder = await mkdtemp(join(tmpdir(), 'kubering-operator-'));
    log = join(folder, 'log');
    await writeFile(log, '');
    await writeFile(join(folder, 'config'), server.kubeConfig().exportConfig());
    processes = [];
  });

  afterEach(async (t) => {
    for (const process of processes) await end(process, 'SIGKILL');
    // Who comes next would have to wait for the lease of a process that was killed.
    await server.api.send('DELETE', LEASE);
    // Their finalizers stay, and are the work of the next operator that starts.
    await server.api.send('DELETE', path('websites'));
    if ('passed' in t && !t.passed) console.error(await readLog());
    await rm(folder, { recursive: true });
  });

  it('makes an owned Deployment and tells how it does, and cleans up before a website goes', async () => {
    const created = await createSite('shop');
    await start('leads');
    await eventually('the status is there', async () => (await readiness('shop')) === 'False');
    const site = await server.api.get(path('websites', 'shop'));
    assert.deepEqual(site.metadata.finalizers, ['example.com/directory']);
    assert.equal(site.status.conditions[0].message, '0 of 2 Pods are ready');
    const { metadata, spec } = await server.api.get(path('deployments', 'shop'));
    assert.equal(spec.replicas, 2);
    const [{ uid, kind, controller, blockOwnerDeletion }] = metadata.ownerReferences;
    assert.deepEqual([uid, kind, controller], [created.metadata.uid, 'Website', true]);
    assert.equal(blockOwnerDeletion, true);
    assert.deepEqual((await server.api.get(path('configmaps', 'websites'))).data, { shop: 'nginx' });

    // As the controller of Deployments would, which this cluster does not have.
    const status = { replicas: 2, readyReplicas: 2 };
    await server.api.patch(path('deployments', 'shop', '/status'), { status });
    await eventually('it is ready', async () => (await readiness('shop')) === 'True');
    await server.api.patch(path('deployments', 'shop'), { spec: { replicas: 7 } });
    await eventually('the Deployment was mended', async () => (await replicas('shop')) === 2);

    await server.api.delete(path('websites', 'shop'));
    const isGone = async () => (await server.api.send('GET', path('websites', 'shop'))).status === 404;
    await eventually('it is gone', isGone);
    assert.deepEqual((await server.api.get(path('configmaps', 'websites'))).data ?? {}, {});
  });

  it('goes on in the other process when the leader is killed, and nothing is reconciled by both', async (t) => {
    await inParallel(sites(), createSite);
    const first = await start('leads');
    await eventually('all have a status', () => all(async (name) => (await readiness(name)) === 'False'));
    const begun = reconcilesBegun(await readLog());
    await start('stands by');
    const leader = (await lease()).holderIdentity;

    const changes = inParallel(sites(), (name) =>
      server.api.patch(path('websites', name), { spec: { replicas: 3 } }),
    );
    await eventually('it works on that', async () => reconcilesBegun(await readLog()) > begun);
    await end(first, 'SIGKILL');
    const { renewTime, holderIdentity } = await lease();
    assert.equal(holderIdentity, leader);
    await changes;
    await eventually('another one leads', async () => (await lease()).holderIdentity !== leader);
    const taken = await lease();
    await eventually('all were told', () => all(async (name) => (await replicas(name)) === 3));

    const tookMs = Date.parse(taken.acquireTime) - Date.parse(renewTime);
    t.diagnostic(`taken over ${tookMs} ms after the last renewal of a lease of ${LEASE_MS} ms`);
    assert.ok(tookMs >= LEASE_MS, `taken after ${tookMs} ms, while the other one could have led`);
    assert.ok(tookMs <= TAKEOVER_LIMIT_MS, `taken after ${tookMs} ms`);
    assert.equal(taken.leaseTransitions, 1);
    assert.deepEqual(shiftsOf(await readLog(), { killed: leader }), [leader, taken.holderIdentity]);
  });

  it('hands over at once when the leader is told to end, and nothing is reconciled by both', async () => {
    await inParallel(sites(), createSite);
    const first = await start('leads');
    await eventually('it works', async () => reconcilesBegun(await readLog()) > 0);
    const leader = (await lease()).holderIdentity;
    await start('stands by');
    assert.equal(await end(first, 'SIGTERM'), 0);
    await eventually('another one leads', async () => ![leader, ''].includes((await lease()).holderIdentity));
    const next = (await lease()).holderIdentity;
    await createSite('late');
    await eventually('all have a status', () => all(async (name) => (await readiness(name)) === 'False'));
    await eventually('so has the last', async () => (await readiness('late')) === 'False');

    assert.deepEqual(shiftsOf(await readLog()), [leader, next]);
  });

  /** Both processes write to one log, each line at once, so that the order of lines is that of what happened. */
  async function start(says: 'leads' | 'stands by'): Promise<ChildProcess> {
    const saidBefore = count(says);
    const output = openSync(log, 'a');
    const child = spawn(process.execPath, [MAIN, String(LEASE_MS / 1000)], {
      env: { ...process.env, KUBECONFIG: join(folder, 'config'), NODE_OPTIONS: '' },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    processes.push(child);
    await eventually(`a process ${says}`, async () => {
      assert.equal(child.exitCode, null, 'it has ended');
      return count(says) > saidBefore;
    });
    return child;
  }

  function count(line: string): number {
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((other) => other === line).length;
  }

  const readLog = () => readFile(log, 'utf8');
  const sites = () => Array.from({ length: SITES }, (_, i) => `site-${i}`);
  const all = async (holds: (name: string) => Promise<boolean>) => {
    for (const name of sites()) if (!(await holds(name))) return false;
    return true;
  };
  const lease = async () => (await server.api.get(LEASE)).spec;

  function path(resource: string, name?: string, subresource = ''): string {
    const group = { websites: '/apis/example.com/v1', deployments: '/apis/apps/v1' }[resource] ?? '/api/v1';
    const collection = `${group}/namespaces/${namespace}/${resource}`;
    return name === undefined ? collection : `${collection}/${name}${subresource}`;
  }

  function createSite(name: string): Promise<Json> {
    const spec = { image: 'nginx', replicas: 2 };
    const object = { apiVersion: 'example.com/v1', kind: 'Website', metadata: { name }, spec };
    return server.api.create(path('websites'), object);
  }

  async function readiness(name: string): Promise<string | undefined> {
    const { status } = await server.api.get(path('websites', name));
    return status?.conditions?.find(({ type }: Json) => type === 'Ready')?.status;
  }

  async function replicas(name: string): Promise<number> {
    return (await server.api.get(path('deployments', name))).spec.replicas;
  }
});

/** @returns the exit code; null when a signal ended it */
async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`waited for ${LIMIT_MS / 1000} s until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
