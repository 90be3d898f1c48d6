/** Reconciles in threads that read the caches of this one, which follow an API server. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { threadId } from 'node:worker_threads';
import { Controller, type ControllerError, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const NODES = { group: '', version: 'v1', resource: 'nodes' };
const OBJECTS = 40;

/** Threads start in some hundred milliseconds, and later on a machine that is busy. */
const LIMIT_MS = 30_000;

interface Copy {
  data: { value: string; nodes: string; thread: string };
}

describe('a controller that reconciles in threads', () => {
  let server: FakeApiServer;
  let factory: SharedInformerFactory;
  let directory: string;

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    factory = new SharedInformerFactory(server.kubeConfig());
    directory = await mkdtemp(join(tmpdir(), 'kubering-threads-'));
    process.env.KUBERING_TEST_CONFIG = join(directory, 'config');
    await writeFile(process.env.KUBERING_TEST_CONFIG, server.kubeConfigYaml());
  });

  afterEach(async () => {
    await factory.stop();
    await server.stop();
    await rm(directory, { recursive: true });
    delete process.env.KUBERING_TEST_CONFIG;
  });

  it('reads there what the cache has here, follows changes, and makes nothing twice', async () => {
    server.create('nodes', { metadata: { name: 'n1' } });
    for (let i = 0; i < OBJECTS; i++) server.create('configmaps', source(i, 'one'));
    const controller = new Controller({
      for: factory.informerFor<object>(CONFIG_MAPS),
      listers: { nodes: factory.informerFor<object>(NODES) },
      reconcile: new URL('./thread-modules/copy.ts', import.meta.url),
      threads: 2,
    });
    const errors: ControllerError[] = [];
    controller.on('error', (error) => void errors.push(error));
    await factory.start();
    const stop = new AbortController();
    const running = controller.run({ signal: stop.signal });
    await until('all are copied', () => copies().length === OBJECTS, LIMIT_MS);
    for (let i = 0; i < OBJECTS; i++) server.update('configmaps', source(i, 'two'));
    await until('all were told', () => copies().every(({ data }) => data.value === 'two'), LIMIT_MS);
    stop.abort();
    await running;

    assert.deepEqual(errors, []);
    assert.ok(copies().every(({ data }) => data.nodes === 'n1'));
    const threads = new Set(copies().map(({ data }) => data.thread));
    assert.ok(!threads.has(String(threadId)), 'none was made on this thread');
  });

  function copies(): Copy[] {
    const isCopy = ({ metadata }: object & { metadata?: unknown }) =>
      (metadata as { namespace: string }).namespace === 'to';
    return server.list('configmaps').filter(isCopy) as unknown as Copy[];
  }
});

function source(i: number, value: string): object {
  return { metadata: { name: `c${i}`, namespace: 'from' }, data: { value } };
}
