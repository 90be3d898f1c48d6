/** The demo as people run it: in a process of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parsePage } from './exposition.ts';

const DEMO = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url));

describe('npm run demo -- --metrics-port', () => {
  it('serves a page that scrapes accept while the demo runs, and ends with it', async () => {
    const demo = start('--metrics-port', '0', '--pods', '50', '--rate', '20', '--seconds', '3');
    const exit = once(demo, 'exit');
    try {
      const url = await addressOf(demo.stdout);
      const response = await fetch(url);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
      const families = parsePage(await response.text());
      assert.ok(families.some(({ name }) => name === 'kubering_ring_fill_ratio'));
      assert.equal((await fetch(new URL('/', url))).status, 404);

      assert.deepEqual(await exit, [0, null]);
    } finally {
      demo.kill();
    }
  });

  for (const port of ['-1', '65536', 'http']) {
    it(`refuses ${port} and says what it takes`, async () => {
      const demo = start('--metrics-port', port);
      let text = '';
      demo.stderr.on('data', (chunk) => {
        text += chunk;
      });
      const [code] = await once(demo, 'close');

      assert.equal(code, 2);
      assert.match(text, /--metrics-port/);
    });
  }
});

function start(...args: string[]) {
  // `=`, so that a value with a dash is not taken for an option.
  const [name, value, ...others] = args;
  return spawn(process.execPath, [DEMO, `${name}=${value}`, ...others], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What is printed later is read and dropped, so that the pipe does not fill. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: output });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    lines.on('close', () => reject(new Error('the demo ended without an address')));
  });
}
