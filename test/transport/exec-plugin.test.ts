import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CredentialsBroker } from '../../src/transport/index.ts';
import { Authority, type Identity } from './certificates.ts';
import { base64, config, Folder, NAMES, rejects, source } from './kube-configs.ts';

const V1 = 'client.authentication.k8s.io/v1';
const folder = new Folder();
let client: Identity;

before(async () => {
  client = await (await Authority.create('kubering test')).issue('ann');
});

after(() => folder.remove());

describe('a credentials plugin', () => {
  it('gives a token, a client certificate or both, and is run again only when they were refused', async () => {
    const { exec, runs } = folder.plugin(`
      const [clientCertificateData, clientKeyData] = ${JSON.stringify([client.cert, client.key])};
      credential({ token: 'run-' + run, clientCertificateData, clientKeyData });`);
    const asked = source({ user: { exec } });
    const first = await asked.read({});
    assert.deepEqual([first.headers, first.tls], [{ Authorization: 'Bearer run-1' }, client]);

    assert.equal((await asked.read({})).headers.Authorization, 'Bearer run-1');
    assert.equal((await asked.read({ refresh: true })).headers.Authorization, 'Bearer run-2');
    assert.equal(runs(), 2);
  });

  it('runs once for ten who ask at the same time, also through two brokers (B52)', async () => {
    const { exec, runs } = folder.plugin(`credential({ token: 'run-' + run });`);
    const kubeConfig = config({ user: { exec } });
    const brokers = [new CredentialsBroker(), new CredentialsBroker()];
    const infos = await Promise.all(
      Array.from({ length: 10 }, (_, i) => brokers[i % 2]!.connectionInfo(kubeConfig, false)),
    );

    assert.equal(runs(), 1);
    assert.deepEqual(new Set(infos.map(({ headers }) => headers.Authorization)), new Set(['Bearer run-1']));
  });

  it('is not run by client-node too: its API clients get the same token', async () => {
    const { exec, runs } = folder.plugin(`credential({ token: 'run-' + run });`);
    const kubeConfig = config({ user: { exec } });
    await source(kubeConfig).read({});
    const options: { headers?: Record<string, string> } = {};
    await kubeConfig.applyToHTTPSOptions(options);

    assert.deepEqual([options.headers?.Authorization, runs()], ['Bearer run-1', 1]);
  });

  it('is run again half a minute before its credentials end', async () => {
    const { exec } = folder.plugin(
      `credential({ token: 'run-' + run, expirationTimestamp: '2030-01-01T00:10:00Z' });`,
    );
    let now = Date.parse('2030-01-01T00:00:00Z');
    const asked = source({ user: { exec } }, () => now);
    const tokens: unknown[] = [];
    for (const time of ['00:00:00', '00:09:29', '00:09:31']) {
      now = Date.parse(`2030-01-01T${time}Z`);
      tokens.push((await asked.read({})).headers.Authorization);
    }

    assert.deepEqual(tokens, ['Bearer run-1', 'Bearer run-1', 'Bearer run-2']);
  });

  it('whose credentials end sooner than that is run at most every five seconds', async () => {
    const { exec } = folder.plugin(
      `credential({ token: 'run-' + run, expirationTimestamp: '2030-01-01T00:00:10Z' });`,
    );
    let now = Date.parse('2030-01-01T00:00:00Z');
    const asked = source({ user: { exec } }, () => now);
    const tokens: unknown[] = [];
    for (const seconds of [0, 4, 5]) {
      now = Date.parse('2030-01-01T00:00:00Z') + seconds * 1000;
      tokens.push((await asked.read({})).headers.Authorization);
    }

    assert.deepEqual(tokens, ['Bearer run-1', 'Bearer run-1', 'Bearer run-2']);
  });

  it('is run anew when its entry changed', async () => {
    const { exec } = folder.plugin(`credential({ token: process.argv[2] ?? 'none' });`);
    const user = { exec };
    const asked = source({ user });
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer none');

    (exec.args as string[]).push('other');
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer other');
  });

  it('gets the environment of its entry, nothing to read, and who calls it', async () => {
    const { exec, infos } = folder.plugin(`
      credential({ token: process.env.GIVEN + fs.readFileSync(0, 'utf8') + '!' });`);
    Object.assign(exec, { apiVersion: V1, env: [{ name: 'GIVEN', value: 'mine' }] });
    const { headers } = await source({ user: { exec } }).read({});

    assert.equal(headers.Authorization, 'Bearer mine!');
    assert.deepEqual(infos(), [{ kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } }]);
  });

  it('is told of the cluster when it wants to know', async () => {
    const { exec, infos } = folder.plugin(`credential({ token: 't' });`);
    Object.assign(exec, { apiVersion: V1, provideClusterInfo: true });
    const { cert } = await Authority.create('of the cluster');
    const cluster = {
      server: 'https://127.0.0.1:6443',
      caFile: folder.write('ca', cert),
      tlsServerName: 'inner',
      proxyUrl: 'http://proxy:3128',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    };
    await source({ cluster, user: { exec } }).read({});

    assert.deepEqual((infos()[0] as { spec: object }).spec, {
      interactive: false,
      cluster: {
        server: 'https://127.0.0.1:6443',
        'tls-server-name': 'inner',
        'certificate-authority-data': base64(cert),
        'proxy-url': 'http://proxy:3128',
        config: { audience: 'x' },
      },
    });
  });
});

describe('a credentials plugin that', () => {
  const nonsense: [string, string, RegExp][] = [
    ['prints no JSON', `console.log('{"token": "s3cret"')`, /something else than a JSON object/],
    ['prints nothing', '', /printed nothing/],
    ['prints a number', `console.log('17')`, /something else than a JSON object/],
    ['prints another kind', `console.log('{"kind":"Pod","s3cret":1}')`, /another kind/],
    ['prints no status', `console.log('{"kind":"ExecCredential"}')`, /no status/],
    ['gives neither token nor certificate', `credential({ s3cret: 1 })`, /neither a token nor a certificate/],
    ['gives a token that is no text', `credential({ token: { s3cret: 1 } })`, /a token that is no text/],
    ['gives a certificate alone', `credential({ clientCertificateData: 's3cret' })`, /or a key alone/],
    [
      'gives an expiry that is none',
      `credential({ token: 's3cret', expirationTimestamp: 's3cret' })`,
      /expirationTimestamp that is no time/,
    ],
    ['prints more than a megabyte', `console.log('s3cret'.repeat(200_000))`, /more than 1024 KiB/],
  ];
  for (const [what, script, message] of nonsense) {
    it(`${what} is told as that, without what it printed`, async () => {
      const { exec } = folder.plugin(script);
      await rejects({ user: { exec } }, 'exec-bad-output', message, /s3cret/);
    });
  }

  it('gives a certificate that is none is told so', async () => {
    const { exec } = folder.plugin(
      `credential({ clientCertificateData: 's3cret', clientKeyData: 's3cret' })`,
    );
    await rejects(
      { user: { exec } },
      'bad-certificate',
      /and key that the credentials plugin .* printed can't be used/,
      /s3cret/,
    );
  });

  it('speaks another version than its entry says is told so', async () => {
    const { exec } = folder.plugin(
      `console.log('{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential"}')`,
    );
    Object.assign(exec, { apiVersion: V1 });
    await rejects(
      { user: { exec } },
      'exec-bad-output',
      /another apiVersion than the client\S+\/v1 of its entry/,
    );
  });

  it('fails is told with what it said, without what looks like a secret', async () => {
    const jwt = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ';
    const { exec } = folder.plugin(`
      console.error('session expired: ${jwt}, password=hunter2, of env-value');
      process.exit(1);`);
    Object.assign(exec, { env: [{ name: 'ANY', value: 'env-value' }] });
    await rejects(
      { user: { exec } },
      'exec-failed',
      /failed: session expired: \[redacted\], password=\[redacted\] of \[redacted\]; run it by hand/,
    );
  });

  it('fails without a word is told with its exit code', async () => {
    const { exec } = folder.plugin('process.exit(3)');
    await rejects({ user: { exec } }, 'exec-failed', /exit code 3/);
  });

  it('is not there is told with where to get it', async () => {
    const exec = { command: '/nowhere/plugin', installHint: 'brew install plugin' };
    await rejects(
      { user: { exec } },
      'exec-not-found',
      /\/nowhere\/plugin was not found; install it.*brew install plugin.*\(cluster test, user ann\)$/,
    );
  });

  it('hangs is ended and told, and asked anew the next time', async () => {
    const goPath = `${folder.path}/go`;
    const { exec } = folder.plugin(`
      if (fs.existsSync(${JSON.stringify(goPath)})) credential({ token: 'at last' });
      else setInterval(() => {}, 1000);`);
    const asked = source({ user: { exec } });
    await assert.rejects(asked.read({ pluginLimitMs: 300 }), {
      code: 'exec-timeout',
      message: new RegExp(`gave no answer in 0.3 s and was ended; .*credentialsTimeoutMs \\(${NAMES}\\)$`),
    });

    folder.write('go', '');
    assert.equal((await asked.read({})).headers.Authorization, 'Bearer at last');
  });

  it('hangs behind a shell that started it is told too', async () => {
    const exec = { command: 'sh', args: ['-c', 'sleep 20; echo never'] };
    await assert.rejects(source({ user: { exec } }).read({ pluginLimitMs: 200 }), { code: 'exec-timeout' });
  });
});
