/** The operator example on the fake API server, which runs no Deployments and collects no garbage. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { websiteOperator } from '../../examples/operator/operator.ts';
import { type ControllerError, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const WEBSITES = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  namespaced: true,
  statusSubresource: true,
};

/** A process has to start, and threads in it, on a machine that may be busy. */
const START_MS = 30_000;
/** Longer than any test: no leader loses its lease because the machine is busy. */
const LONG = { leaseDurationMs: 600_000, renewDeadlineMs: 300_000, retryPeriodMs: 100 };

interface Deployment {
  metadata: { ownerReferences: { uid: string; controller: boolean }[] };
  spec: { replicas: number };
}
interface Website {
  metadata: { uid: string; finalizers?: string[]; resourceVersion: string };
  status?: { readyReplicas: number; conditions: { type: string; status: string }[] };
}

describe('examples/operator', () => {
  let server: FakeApiServer;
  let ends: (() => Promise<unknown>)[];

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7, resources: [WEBSITES] });
    ends = [];
  });

  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    await server.stop();
  });

  async function start() {
    const stop = new AbortController();
    const kubeConfig = server.kubeConfig();
    const factory = new SharedInformerFactory(kubeConfig);
    const lease = { namespace: 'default', name: 'website-operator' };
    const operator = websiteOperator(kubeConfig, factory, { lease, ...LONG });
    const errors: ControllerError[] = [];
    operator.on('error', (error) => void errors.push(error));
    await factory.start();
    const running = operator.run({ signal: stop.signal });
    ends.push(async () => {
      stop.abort();
      await running;
      await factory.stop();
    });
    return { operator, errors };
  }

  const website = (name = 'shop') =>
    server.get('websites', `default/${name}`) as unknown as Website | undefined;
  const deployment = (name = 'shop') =>
    server.get('deployments', `default/${name}`) as unknown as Deployment | undefined;
  const directory = () =>
    (server.get('configmaps', 'default/websites') as { data?: object } | undefined)?.data;
  const isReady = () => website()?.status?.conditions.find(({ type }) => type === 'Ready')?.status;

  function create(name = 'shop', spec: object = { image: 'nginx', replicas: 2 }): void {
    const metadata = { name, namespace: 'default' };
    server.create('websites', { apiVersion: 'example.com/v1', kind: 'Website', metadata, spec });
  }

  it('makes a Deployment, follows its status, and mends it', async () => {
    create();
    const { errors } = await start();
    await until('the status is there', () => isReady() === 'False');
    assert.deepEqual(website()?.metadata.finalizers, ['example.com/directory']);
    assert.deepEqual(directory(), { shop: 'nginx' });
    const [owner] = deployment()?.metadata.ownerReferences ?? [];
    assert.deepEqual([owner?.uid, owner?.controller], [website()?.metadata.uid, true]);

    server.patch('deployments', 'default/shop', { status: { readyReplicas: 2 } });
    await until('it is ready', () => isReady() === 'True');
    server.patch('deployments', 'default/shop', { spec: { replicas: 7 } });
    await until('the Deployment was mended', () => deployment()?.spec.replicas === 2);
    server.delete('deployments', 'default/shop');
    await until('there is another one', () => deployment() !== undefined && isReady() === 'False');
    server.patch('websites', 'default/shop', { spec: { replicas: 3 } });
    await until('it was told', () => deployment()?.spec.replicas === 3);
    assert.deepEqual(errors, []);
  });

  it('comes to rest: what it writes does not wake it up for ever', async () => {
    create();
    const { operator } = await start();
    await until('the status is there', () => isReady() === 'False');
    await until('the cache has it all', () => {
      const { active, queued, waitingForCache } = operator.stats;
      return active + queued + waitingForCache === 0;
    });
    const { resourceVersion } = website()!.metadata;
    operator.enqueue('default/shop');
    const before = operator.stats.succeeded;
    await until('it was reconciled again', () => operator.stats.succeeded > before);

    assert.equal(website()?.metadata.resourceVersion, resourceVersion);
    assert.ok(operator.stats.succeeded < 20, `${operator.stats.succeeded} reconciles`);
  });

  it('cleans up before a website goes', async () => {
    create();
    await start();
    await until('it is in the directory', () => isReady() !== undefined);
    server.delete('websites', 'default/shop');
    await until('it is gone', () => website() === undefined);

    assert.deepEqual(directory(), {});
  });

  it('gives up on a spec that is wrong until it changes, and minds the others', async () => {
    create('broken', {});
    create('shop');
    const { operator, errors } = await start();
    await until('the other one has a status', () => isReady() !== undefined);
    await until('it was told', () => errors.length > 0);
    assert.deepEqual(
      errors.map(({ code, key }) => [code, key]),
      [['terminal', 'default/broken']],
    );
    assert.equal(operator.stats.terminal, 1);

    server.patch('websites', 'default/broken', { spec: { image: 'nginx' } });
    await until('it has a Deployment', () => deployment('broken') !== undefined);
  });

  it('gets through conflicts and a server that fails now and then', async () => {
    server.faults.add({ fault: 'status', code: 409, on: 'write', resource: 'websites', times: 2 });
    server.faults.add({ fault: 'status', code: 500, on: 'write', resource: 'deployments', times: 2 });
    create();
    const { errors } = await start();
    await until('the status is there', () => isReady() === 'False');

    assert.ok(errors.length >= 4, `${errors.length} errors`);
    assert.equal(server.count('deployments'), 1);
  });

  it('works in one process at a time, and in the other one when the first is killed', async () => {
    const directoryOfConfig = await mkdtemp(join(tmpdir(), 'kubering-operator-'));
    ends.push(() => rm(directoryOfConfig, { recursive: true }));
    const config = join(directoryOfConfig, 'config');
    await writeFile(config, server.kubeConfigYaml());
    create();
    const first = run(config);
    await first.printed('leads');
    await until('it works', () => isReady() === 'False');
    const second = run(config);
    await second.printed('stands by');
    first.process.kill('SIGKILL');
    create('other');
    await until('the second works', () => deployment('other') !== undefined, START_MS);

    assert.match(second.output, /leads/);
    second.process.kill('SIGTERM');
    const [code] = await once(second.process, 'exit');
    assert.equal(code, 0);
    const { spec } = server.get('leases', 'default/website-operator') as {
      spec?: { holderIdentity?: string };
    };
    assert.equal(spec?.holderIdentity, '', 'it released the lease');
  });

  function run(config: string) {
    const path = fileURLToPath(new URL('../../examples/operator/main.ts', import.meta.url));
    const child = spawn(process.execPath, [path, '4'], {
      env: { ...process.env, KUBECONFIG: config, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = {
      process: child,
      output: '',
      async printed(text: string): Promise<void> {
        const isOver = () => running.output.includes(text) || child.exitCode !== null;
        await until(`${text} is printed`, isOver, START_MS).catch(() => {});
        assert.ok(running.output.includes(text), `printed: ${running.output}`);
      },
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        running.output += String(chunk);
      });
    }
    ends.push(async () => void child.kill('SIGKILL'));
    return running;
  }
});
