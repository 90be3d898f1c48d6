/** The examples as users run them: in a process of their own, with a kubeconfig file. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeApiServer, type KubernetesObject } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

/** A process has to start, and threads in it, on a machine that may be busy. */
const START_MS = 30_000;

describe('examples', () => {
  let server: FakeApiServer;
  let directory: string;
  let running: Example[] = [];

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    directory = await mkdtemp(join(tmpdir(), 'kubering-example-'));
    await writeFile(join(directory, 'config'), server.kubeConfigYaml());
  });

  afterEach(async () => {
    for (const example of running) example.kill();
    running = [];
    await server.stop();
    await rm(directory, { recursive: true });
  });

  function run(name: string, ...args: string[]): Example {
    const example = new Example(name, args, join(directory, 'config'));
    running.push(example);
    return example;
  }

  it('print-events prints what exists and what happens, until it is interrupted', async () => {
    server.create('configmaps', configMap('default', 'a', { v: '1' }));
    const example = run('print-events', 'configmaps');
    await example.printed(/^= 1 configmaps$/);
    server.create('configmaps', configMap('other', 'b', { v: '1' }));
    server.update('configmaps', { ...server.get('configmaps', 'other/b'), data: { v: '2' } });
    server.delete('configmaps', 'default/a');
    await example.printed(/^- default\/a/);
    await example.interrupt();

    const events = example.lines.filter((line) => !line.startsWith('='));
    assert.deepEqual(
      events.map((line) => line.replace(/ \d+$/, '')),
      ['+ default/a', '+ other/b', '~ other/b', '- default/a'],
    );
    assert.equal(example.errors, '');
  });

  it('replicate-configmap keeps copies, mends them, leaves others alone, and takes them away', async () => {
    for (const name of ['default', 'team-a', 'team-b']) server.create('namespaces', namespace(name));
    server.create('configmaps', configMap('default', 'ca-bundle', { pem: '1' }));
    server.create('configmaps', configMap('team-b', 'ca-bundle', { pem: 'own' }));
    const example = run('replicate-configmap', 'default/ca-bundle');
    await holds(() => pem('team-a') === '1', START_MS);

    server.create('namespaces', namespace('team-c'));
    await holds(() => pem('team-c') === '1');
    server.update('configmaps', configMap('default', 'ca-bundle', { pem: '2' }));
    await holds(() => pem('team-a') === '2' && pem('team-c') === '2');
    server.delete('configmaps', 'team-a/ca-bundle');
    await holds(() => pem('team-a') === '2');
    server.update('configmaps', {
      ...server.get('configmaps', 'team-c/ca-bundle'),
      data: { pem: 'broken' },
    });
    await holds(() => pem('team-c') === '2');
    server.delete('configmaps', 'default/ca-bundle');
    await holds(() => pem('team-a') === undefined && pem('team-c') === undefined);
    await example.interrupt();

    assert.equal(pem('team-b'), 'own');

    function pem(of: string): string | undefined {
      const inNamespace = ({ metadata }: KubernetesObject) =>
        (metadata as { namespace?: string }).namespace === of;
      const object = server.list('configmaps').find(inNamespace);
      return (object as { data?: { pem?: string } } | undefined)?.data?.pem;
    }
    function holds(claim: () => boolean, limitMs?: number): Promise<void> {
      return until(`${claim} (printed: ${example.lines.join(', ')} ${example.errors})`, claim, limitMs);
    }
  });

  it('count-pods-per-node counts in another thread, and follows what happens', async () => {
    for (const [name, node] of Object.entries({ a: 'n1', b: 'n2', c: 'n1' })) {
      server.create('pods', pod(name, node));
    }
    const example = run('count-pods-per-node');
    await example.printed(/^3 Pods: n1 2, n2 1$/);
    server.create('pods', pod('d', 'n3'));
    server.delete('pods', 'default/b');
    await example.printed(/^3 Pods: n1 2, n3 1$/);
    await example.interrupt();

    assert.equal(example.errors, '');
  });
});

/** A running example, and what it printed. */
class Example {
  readonly lines: string[] = [];
  errors = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;

  constructor(name: string, args: readonly string[], kubeConfig: string) {
    const path = fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url));
    this.#child = spawn(process.execPath, [path, ...args], {
      env: { ...process.env, KUBECONFIG: kubeConfig, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'exit');
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.lines.push(line));
    this.#child.stderr!.on('data', (chunk) => {
      this.errors += String(chunk);
    });
  }

  async printed(line: RegExp): Promise<void> {
    const has = () => this.lines.some((printed) => line.test(printed));
    await until(`${line} is printed`, () => has() || this.#child.exitCode !== null, START_MS);
    assert.ok(has(), `printed: ${this.lines.join('\n')}\n${this.errors}`);
  }

  /** As Ctrl-C does. It has to end by itself, without an error. */
  async interrupt(): Promise<void> {
    this.#child.kill('SIGINT');
    assert.deepEqual(await this.#ended, [0, null], this.errors);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function configMap(inNamespace: string, name: string, data: Record<string, string>): object {
  return { metadata: { name, namespace: inNamespace }, data };
}

function pod(name: string, nodeName: string): object {
  return { metadata: { name, namespace: 'default' }, spec: { nodeName } };
}

function namespace(name: string): object {
  return { metadata: { name }, status: { phase: 'Active' } };
}
