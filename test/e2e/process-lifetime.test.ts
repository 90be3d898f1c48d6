import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from './until.ts';

const PROGRAM = fileURLToPath(new URL('./process-program.ts', import.meta.url));

/** A process has to start, and threads in it, on a machine that may be busy. */
const START_MS = 30_000;

describe('a process with a running informer', () => {
  let server: FakeApiServer;
  let directory: string;
  let running: ChildProcess[];

  beforeEach(async () => {
    server = await FakeApiServer.start({ seed: 7 });
    directory = await mkdtemp(join(tmpdir(), 'kubering-process-'));
    await writeFile(join(directory, 'config'), server.kubeConfigYaml());
    running = [];
  });

  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('stays alive, though nothing else keeps it', async () => {
    const program = run('ref', 'a server');
    await until('it has synced', () => program.lines().includes('synced'), START_MS);

    for (const name of ['a', 'b', 'c']) {
      server.create('configmaps', { metadata: { name, namespace: 'default' } });
      await until('it prints', () => program.lines().includes(`default/${name}`));
    }
    assert.equal(program.child.exitCode, null);
  });

  for (const source of ['a server', 'functions']) {
    it(`ends by itself with unref, when the informer is fed by ${source}`, async () => {
      const program = run('unref', source);

      assert.deepEqual(await program.ended, [0, null], program.errors);
      assert.deepEqual(program.lines(), ['synced']);
    });

    it(`stops in good order with unref, when the informer is fed by ${source}`, async () => {
      const program = run('unref', source, 'stop');

      assert.deepEqual(await program.ended, [0, null], program.errors);
      assert.deepEqual(program.lines(), ['synced', 'stopped']);
    });
  }

  function run(...args: string[]) {
    const child = spawn(process.execPath, [PROGRAM, join(directory, 'config'), ...args], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    let output = '';
    const lines = () => output.trim().split('\n');
    const program = { child, errors: '', lines, ended: once(child, 'close') };
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      program.errors += String(chunk);
    });
    return program;
  }
});
