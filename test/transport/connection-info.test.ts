import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { CredentialsError, connectionInfo } from '../../src/transport/index.ts';
import { pem } from './servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubering-'));
after(() => rmSync(folder, { recursive: true }));

const SERVER = 'https://api.example.com:6443';

describe('connectionInfo', () => {
  it('takes server and token, trimmed', async () => {
    const info = await connectionInfo(config({ user: { token: 'abc\n' } }), false);

    assert.deepEqual(info, { server: SERVER, headers: { Authorization: 'Bearer abc' }, tls: {} });
  });

  it('takes the token of a file without its newline, and reads the file again when it was refused', async () => {
    const tokenFile = file('token', 'first\n');
    const kubeConfig = config({ user: { authProvider: { name: 'tokenFile', config: { tokenFile } } } });
    const token = async (refresh: boolean) =>
      (await connectionInfo(kubeConfig, refresh)).headers.Authorization;
    assert.equal(await token(false), 'Bearer first');

    file('token', 'second\n');
    assert.equal(await token(false), 'Bearer first');
    assert.equal(await token(true), 'Bearer second');
  });

  it('takes CA, client certificate and key from data and from files, as text', async () => {
    const expected = { ca: pem('ca'), cert: pem('client'), key: pem('client.key') };
    const data = config({
      cluster: { caData: base64(pem('ca')) },
      user: { certData: base64(pem('client')), keyData: base64(pem('client.key')) },
    });
    assert.deepEqual((await connectionInfo(data, false)).tls, expected);

    const files = config({
      cluster: { caFile: file('ca', pem('ca')) },
      user: { certFile: file('cert', pem('client')), keyFile: file('key', pem('client.key')) },
    });
    assert.deepEqual((await connectionInfo(files, false)).tls, expected);
  });

  it('takes the CA of a cluster also for a context without a user', async () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(
      JSON.stringify({
        clusters: [
          {
            name: 'c',
            cluster: {
              server: SERVER,
              'certificate-authority-data': base64(pem('ca')),
              'tls-server-name': 'inner',
            },
          },
        ],
        contexts: [{ name: 'x', context: { cluster: 'c' } }],
        'current-context': 'x',
      }),
    );

    const info = await connectionInfo(kubeConfig, false);
    assert.deepEqual(info, { server: SERVER, headers: {}, tls: { ca: pem('ca'), servername: 'inner' } });
  });

  it('takes server name and the wish to verify nothing', async () => {
    const { tls } = await connectionInfo(
      config({ cluster: { tlsServerName: 'inner', skipTLSVerify: true } }),
      false,
    );

    assert.deepEqual(tls, { servername: 'inner', rejectUnauthorized: false });
  });

  it('takes user and password, and who is to be impersonated', async () => {
    const user = { username: 'ann', password: 'secret', impersonateUser: 'bob' };
    const { headers } = await connectionInfo(config({ user }), false);

    assert.deepEqual(headers, { Authorization: `Basic ${base64('ann:secret')}`, 'Impersonate-User': 'bob' });
  });

  it('keeps a path prefix of the server URL, without the slash at its end', async () => {
    const info = await connectionInfo(
      config({ cluster: { server: 'https://user:pass@example.com/k8s/c-1/' } }),
      false,
    );

    assert.equal(info.server, 'https://example.com/k8s/c-1');
  });

  it('takes an http URL only when TLS verification is off', async () => {
    const server = 'http://127.0.0.1:8080';
    const info = await connectionInfo(config({ cluster: { server, skipTLSVerify: true } }), false);
    assert.equal(info.server, server);

    await rejects(config({ cluster: { server } }), 'insecure-server', /insecure-skip-tls-verify/);
  });

  it('takes a proxy', async () => {
    const proxyUrl = 'http://proxy.example.com:3128';
    assert.equal((await connectionInfo(config({ cluster: { proxyUrl } }), false)).proxyUrl, proxyUrl);

    await rejects(
      config({ cluster: { proxyUrl: 'socks5://user:pass@proxy' } }),
      'bad-proxy-url',
      /^((?!pass).)*$/,
    );
  });

  it('can be posted to a worker', async () => {
    const info = await connectionInfo(
      config({ cluster: { caData: base64(pem('ca')) }, user: { token: 't' } }),
      false,
    );

    assert.deepEqual(structuredClone(info), info);
  });

  it('leaves the KubeConfig as it was', async () => {
    const kubeConfig = config({ user: { token: 't' } });
    const before = Object.keys(kubeConfig);
    await connectionInfo(kubeConfig, true);

    assert.deepEqual(Object.keys(kubeConfig), before);
    assert.equal(typeof kubeConfig.createDispatcherOptions, 'function');
  });

  it('asks a custom authenticator', async () => {
    const kubeConfig = config({ user: { authProvider: { name: 'mine' } } });
    kubeConfig.addAuthenticator({
      isAuthProvider: (user) => user.authProvider?.name === 'mine',
      async applyAuthentication(_user, options) {
        Object.assign(options.headers!, { Authorization: 'Custom 1' });
        Object.assign(options, { cert: [pem('client')] });
      },
    });

    const info = await connectionInfo(kubeConfig, false);
    assert.deepEqual([info.headers.Authorization, info.tls.cert], ['Custom 1', pem('client')]);
  });

  it('says so when there is no current cluster', async () => {
    await rejects(new KubeConfig(), 'no-cluster', /no cluster for its current context.*set current-context/);
  });

  it('says so when the server is no URL, without passwords in it', async () => {
    for (const server of ['example.com', 'ftp://ann:secret@example.com', '']) {
      await rejects(
        config({ cluster: { server } }),
        'bad-server-url',
        /^((?!secret).)*no http or https URL((?!secret).)*$/,
      );
    }
  });

  it('says which file is missing', async () => {
    await rejects(
      config({ cluster: { caFile: '/nowhere/ca.crt' } }),
      'file-unreadable',
      /\/nowhere\/ca\.crt/,
    );
  });

  it('refuses a token that no header can hold, without showing it', async () => {
    await rejects(
      config({ user: { token: 'top\nsecret' } }),
      'invalid-header',
      /^((?!secret).)*Authorization((?!secret).)*$/,
    );
  });
});

describe('connectionInfo with an exec plugin', () => {
  it('takes token and client certificate, and runs the plugin again only when they were refused', async () => {
    const script = `
      const fs = require('node:fs');
      fs.appendFileSync(process.argv[1] + '.runs', '.');
      const token = 'run-' + fs.readFileSync(process.argv[1] + '.runs').length;
      const status = { token, clientCertificateData: 'CERT', clientKeyData: 'KEY' };
      console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));`;
    const kubeConfig = config({ user: { exec: plugin(script) } });
    const first = await connectionInfo(kubeConfig, false);
    assert.deepEqual(first.headers, { Authorization: 'Bearer run-1' });
    assert.deepEqual(first.tls, { cert: 'CERT', key: 'KEY' });

    assert.equal((await connectionInfo(kubeConfig, false)).headers.Authorization, 'Bearer run-1');
    assert.equal((await connectionInfo(kubeConfig, true)).headers.Authorization, 'Bearer run-2');
  });

  it('repeats what a failing plugin says, without what looks like a token', async () => {
    const token = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ';
    const exec = plugin(`console.error('session expired: ${token}'); process.exit(1)`);
    await rejects(
      config({ user: { exec } }),
      'exec-failed',
      /failed: session expired: \[redacted\]; run it by hand/,
    );
  });

  it('shows nothing of what a plugin printed that is not JSON', async () => {
    const exec = plugin(`console.log('{"token": "short-secret"')`);
    await rejects(config({ user: { exec } }), 'exec-failed', /did not print JSON/, /short-secret/);
  });

  it('says so when there is no such plugin', async () => {
    await rejects(
      config({ user: { exec: { command: '/nowhere/plugin' } } }),
      'exec-failed',
      /\/nowhere\/plugin was not found/,
    );
  });
});

interface Parts {
  cluster?: Record<string, unknown>;
  user?: Record<string, unknown>;
}

function config({ cluster = {}, user = {} }: Parts): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'test', server: SERVER, skipTLSVerify: false, ...cluster },
    { name: 'ann', ...user },
  );
  return kubeConfig;
}

async function rejects(kubeConfig: KubeConfig, code: string, message: RegExp, never?: RegExp): Promise<void> {
  await assert.rejects(connectionInfo(kubeConfig, false), (error) => {
    assert.ok(error instanceof CredentialsError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    if (never !== undefined) assert.doesNotMatch(`${error.message} ${String(error.cause)}`, never);
    return true;
  });
}

function plugin(script: string) {
  const path = file(`plugin-${script.length}.cjs`, script);
  chmodSync(path, 0o700);
  return { command: process.execPath, args: [path] };
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
