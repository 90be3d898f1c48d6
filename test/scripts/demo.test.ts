/** The demo on a cluster, as users run it: in a process of its own, with a kubeconfig file. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { watchCluster } from '../../scripts/demo/cluster.ts';
import { Display, type LiveFigures } from '../../scripts/demo/display.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const DEMO = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url));
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

/** A process has to start, and threads in it, on a machine that may be busy. */
const START_MS = 30_000;

describe('the demo on a cluster', () => {
  let server: FakeApiServer;
  let directory: string;
  let config: string;
  let running: ChildProcess[];

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    directory = await mkdtemp(join(tmpdir(), 'kubering-demo-'));
    config = join(directory, 'config');
    await writeFile(config, server.kubeConfigYaml());
    running = [];
  });

  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('follows a resource until it is told to end, writes nothing, and prints one JSON line', async (t) => {
    const log = t.mock.method(console, 'log', () => {});
    server.create('configmaps', configMap('a'));
    const display = new JsonDisplay();
    const end = new AbortController();
    const options = { kubeconfig: config, context: undefined, resource: CONFIG_MAPS, signal: end.signal };
    const watching = watchCluster(options, display);
    await until('the first list is there', () => display.shown !== undefined, START_MS);
    server.create('configmaps', configMap('b'));
    await until('the change is shown', () => display.shown?.objects === 2);
    end.abort();
    const measured = await watching;

    assert.deepEqual([measured.objects, measured.events], [2, 1]);
    assert.deepEqual(
      log.mock.calls.map(({ arguments: [line] }) => JSON.parse(line)),
      [measured],
    );
    const verbs = new Set(server.requests.map(({ method }) => method));
    assert.deepEqual([...verbs], ['GET']);
    assert.equal(server.stats.openWatches, 0);
  });

  it('ends well when it is interrupted, and says what it saw', async () => {
    server.create('deployments', { metadata: { name: 'shop', namespace: 'default' } });
    const demo = run('--kubeconfig', config, '--resource', 'deployments.v1.apps');
    await until('it has synced', () => demo.output.includes('synced 1 deployments.v1.apps'), START_MS);
    demo.child.kill('SIGINT');

    assert.deepEqual(await demo.ended, [0, null], demo.errors);
    assert.match(demo.output, /1 deployments\.v1\.apps in the cache, .*\n0 events/);
    assert.equal(demo.errors, '');
  });

  it('ends by itself after the seconds that it is given, and says what it saw', async () => {
    const demo = run('--kubeconfig', config, '--context', 'kubering-fake', '--seconds', '3');

    // On a machine that is too busy to start in three seconds, it says that instead.
    const [code] = await demo.ended;
    if (code === 0) assert.match(demo.output, /0 pods\.v1 in the cache, synced in \d+ ms/);
    else assert.match(demo.errors, /caches are not synced/);
  });

  const misuses: [what: string, args: string[], message: RegExp, code: number][] = [
    ['a kubeconfig that is not there', ['--kubeconfig', '/none/config'], /\/none\/config can't be read/, 2],
    ['a context that is not there', ['--context', 'prod'], /has no context prod; it has kubering-fake/, 2],
    ['a resource that is written wrong', ['--resource', 'pods'], /such as pods\.v1, not 'pods'/, 2],
    ['options of the fake server', ['--context', 'a', '--rate', '1'], /--rate are of the fake server/, 2],
    ['a resource that the cluster has not', ['--resource', 'shops.v1.example.com'], /404.*check group/, 1],
  ];
  for (const [what, args, message, code] of misuses) {
    it(`ends with ${code} for ${what}, and says what to do`, async () => {
      const demo = run(...(args[0] === '--kubeconfig' ? args : ['--kubeconfig', config, ...args]));

      assert.deepEqual(await demo.ended, [code, null], demo.errors);
      assert.match(demo.errors, message);
      assert.doesNotMatch(demo.errors, /\n\s+at /, 'no stack');
    });
  }

  function run(...args: string[]) {
    const child = spawn(process.execPath, [DEMO, ...args], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    const demo = { child, output: '', errors: '', ended: once(child, 'close') };
    child.stdout.on('data', (chunk) => {
      demo.output += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      demo.errors += String(chunk);
    });
    return demo;
  }
});

/** Keeps what the live line would show. */
class JsonDisplay extends Display {
  shown: LiveFigures | undefined;

  constructor() {
    super({ isJson: true, what: 'configmaps.v1' });
  }

  override live(figures: LiveFigures): void {
    this.shown = figures;
  }
}

function configMap(name: string): object {
  return { metadata: { name, namespace: 'default' } };
}
