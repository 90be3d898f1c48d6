import assert from 'node:assert/strict';
import { rmSync, statSync, utimesSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { Folder, rejects, source } from './kube-configs.ts';

const folder = new Folder();
after(() => folder.remove());

/** The ways in which a user entry can name the file. */
const ENTRIES: [string, (tokenFile: string) => Record<string, unknown>][] = [
  ['tokenFile', (tokenFile) => ({ tokenFile })],
  ['token-file', (tokenFile) => ({ 'token-file': tokenFile, token: 'read once' })],
  ['an auth provider', (tokenFile) => ({ authProvider: { name: 'tokenFile', config: { tokenFile } } })],
];

describe('a token file', () => {
  for (const [what, entry] of ENTRIES) {
    it(`named by ${what} gives its token without the newline, and another one when it changed (B53)`, async () => {
      const path = folder.write('token', 'first\n');
      const asked = source({ user: entry(path) });
      assert.equal((await asked.read({})).headers.Authorization, 'Bearer first');

      folder.write('token', 'the second\n');
      assert.equal((await asked.read({})).headers.Authorization, 'Bearer the second');
    });
  }

  it('is read again after a minute, or when its token was refused, also when it looks unchanged', async () => {
    let now = 0;
    const path = folder.write('still', 'one');
    const { atime, mtime } = statSync(path);
    const asked = source({ user: { tokenFile: path } }, () => now);
    const tokens: unknown[] = [];
    const ask = async (content: string, at: number, refresh = false) => {
      folder.write('still', content);
      utimesSync(path, atime, mtime);
      now = at;
      tokens.push((await asked.read({ refresh })).headers.Authorization);
    };
    await ask('one', 0);
    await ask('two', 59_000);
    await ask('two', 60_000);
    await ask('six', 61_000, true);

    assert.deepEqual(tokens, ['Bearer one', 'Bearer one', 'Bearer two', 'Bearer six']);
  });

  it('that is gone for a moment, or empty, leaves its last token in use until that is refused', async () => {
    const path = folder.write('coming', 'one');
    const asked = source({ user: { tokenFile: path } });
    await asked.read({});
    folder.write('coming', '');
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer one');
    rmSync(path);
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer one');

    await assert.rejects(asked.read({ refresh: true }), { code: 'file-unreadable', message: /coming/ });
  });

  it('of each user is its own', async () => {
    const kubeConfig = new KubeConfig();
    const user = (name: string) => ({
      name,
      authProvider: { name: 'tokenFile', config: { tokenFile: folder.write(name, `of ${name}`) } },
    });
    kubeConfig.loadFromOptions({
      clusters: [{ name: 'c', server: 'https://example.com', skipTLSVerify: false }],
      users: [user('ann'), user('bob')],
      contexts: ['ann', 'bob'].map((name) => ({ name, cluster: 'c', user: name })),
      currentContext: 'ann',
    });
    const asked = source(kubeConfig);
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer of ann');

    kubeConfig.setCurrentContext('bob');
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer of bob');
  });

  it('that was never there, or holds no token, is told with its path', async () => {
    await rejects({ user: { tokenFile: '/nowhere/token' } }, 'file-unreadable', /\/nowhere\/token/);

    const empty = folder.write('empty', '\n');
    await rejects({ user: { tokenFile: empty } }, 'token-file-empty', /empty holds no token: it is empty/);
  });
});
