import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

const PROGRAM = new URL('./process-program.ts', import.meta.url).pathname;

describe('a process with a drop-in informer', () => {
  it('ends by itself when the informer was stopped', async (t) => {
    const { child, lines } = await run(t, 'stop');
    const [code] = (await once(child, 'exit')) as [number | null];

    assert.equal(code, 0);
    assert.deepEqual(lines, ['add a', 'started', 'stopped']);
  });

  it('lives as long as the informer runs', async (t) => {
    const { child, lines, server } = await run(t, 'run');
    await until('it started', () => lines.includes('started'));
    server.create('configmaps', { metadata: { name: 'b' } });
    await until('it was told', () => lines.includes('add b'));

    assert.equal(child.exitCode, null);
  });
});

async function run(t: TestContext, mode: 'stop' | 'run') {
  const server = await FakeApiServer.start();
  t.after(() => server.stop());
  server.create('configmaps', { metadata: { name: 'a' } });
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, server.url, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const lines: string[] = [];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
  return { child, lines, server };
}
