import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { CredentialsSource } from '../../src/transport/credentials-source.ts';
import { Authority, EXPIRED, type Identity } from './certificates.ts';
import { base64, config, Folder, NAMES, rejects, SERVER, source } from './kube-configs.ts';

const folder = new Folder();
let ca: string;
let client: Identity;
let expired: Identity;

before(async () => {
  const authority = await Authority.create('kubering test');
  ca = authority.cert;
  client = await authority.issue('ann');
  expired = await authority.issue('ann', EXPIRED);
});

after(() => folder.remove());

describe('CredentialsSource', () => {
  it('takes server and token, trimmed, and names what they are of', async () => {
    const info = await source({ user: { token: 'abc\n' } }).read({});

    assert.deepEqual(info, {
      names: NAMES,
      server: SERVER,
      headers: { Authorization: 'Bearer abc' },
      tls: {},
    });
  });

  it('takes CA, client certificate and key from data and from files, as text', async () => {
    const expected = { ca, ...client };
    const data = source({
      cluster: { caData: base64(ca) },
      user: { certData: base64(client.cert), keyData: base64(client.key) },
    });
    assert.deepEqual((await data.read({})).tls, expected);

    const files = source({
      cluster: { caFile: folder.write('ca', ca) },
      user: { certFile: folder.write('cert', client.cert), keyFile: folder.write('key', client.key) },
    });
    assert.deepEqual((await files.read({})).tls, expected);
  });

  it('reads certificate files again when they changed', async () => {
    const caFile = folder.write('rotating-ca', ca);
    const rotating = source({ cluster: { caFile } });
    await rotating.read({});
    const { cert: other } = await Authority.create('another');
    folder.write('rotating-ca', other);

    assert.equal((await rotating.read({})).tls.ca, other);
  });

  it('takes the CA of a cluster also for a context without a user', async () => {
    const kubeConfig = new KubeConfig();
    const cluster = {
      server: SERVER,
      'certificate-authority-data': base64(ca),
      'tls-server-name': 'inner',
    };
    kubeConfig.loadFromString(
      JSON.stringify({
        clusters: [{ name: 'c', cluster }],
        contexts: [{ name: 'x', context: { cluster: 'c' } }],
        'current-context': 'x',
      }),
    );

    const info = await source(kubeConfig).read({});
    assert.deepEqual(info, {
      names: 'cluster c, user none',
      server: SERVER,
      headers: {},
      tls: { ca, servername: 'inner' },
    });
  });

  it('takes server name and the wish to verify nothing', async () => {
    const { tls } = await source({ cluster: { tlsServerName: 'inner', skipTLSVerify: true } }).read({});

    assert.deepEqual(tls, { servername: 'inner', rejectUnauthorized: false });
  });

  it('takes user and password', async () => {
    const { headers } = await source({ user: { username: 'ann', password: 'secret' } }).read({});

    assert.deepEqual(headers, { Authorization: `Basic ${base64('ann:secret')}` });
  });

  it('takes who is to be impersonated, with groups, uid and extra, under either name', async () => {
    const expected = {
      'Impersonate-User': 'bob',
      'Impersonate-Group': ['dev', 'ops'],
      'Impersonate-Uid': '17',
      'Impersonate-Extra-example.com%2Fscope': ['a', 'b'],
    };
    const extra = { 'example.com/scope': ['a', 'b'] };
    const asInMemory = { impersonateGroups: ['dev', 'ops'], impersonateUid: '17', impersonateExtra: extra };
    const asInFiles = { 'as-groups': ['dev', 'ops'], 'as-uid': '17', 'as-user-extra': extra };
    for (const fields of [asInMemory, asInFiles]) {
      const { headers } = await source({ user: { impersonateUser: 'bob', ...fields } }).read({});
      assert.deepEqual(headers, expected);
    }
  });

  it('sends names that are not ASCII as UTF-8', async () => {
    const { headers } = await source({ user: { impersonateUser: 'Jürgen' } }).read({});

    assert.equal(Buffer.from(String(headers['Impersonate-User']), 'latin1').toString('utf8'), 'Jürgen');
  });

  it('keeps a path prefix of the server URL, without the slash at its end', async () => {
    const { server } = await source({ cluster: { server: 'https://ann:pass@example.com/k8s/c-1/' } }).read(
      {},
    );

    assert.equal(server, 'https://example.com/k8s/c-1');
  });

  it('takes an http URL only when TLS verification is off', async () => {
    const server = 'http://127.0.0.1:8080';
    const info = await source({ cluster: { server, skipTLSVerify: true } }).read({});
    assert.equal(info.server, server);

    await rejects({ cluster: { server } }, 'insecure-server', /insecure-skip-tls-verify/);
  });

  it('can be posted to a worker', async () => {
    const user = { token: 't', impersonateUser: 'bob', impersonateGroups: ['dev'] };
    const info = await source({ cluster: { caData: base64(ca) }, user }).read({});

    assert.deepEqual(structuredClone(info), info);
  });

  it('follows a KubeConfig that is set to another context', async () => {
    const kubeConfig = config({ user: { token: 'one' } });
    const following = source(kubeConfig);
    await following.read({});
    kubeConfig.addUser({ name: 'bob', token: 'two' });
    kubeConfig.addContext({ name: 'other', cluster: 'test', user: 'bob' });
    kubeConfig.setCurrentContext('other');

    const { names, headers } = await following.read({});
    assert.deepEqual([names, headers.Authorization], ['cluster test, user bob', 'Bearer two']);
  });

  it('accepts an expired client certificate until it is refused, for clocks differ', async () => {
    const held = source({ user: { certData: base64(expired.cert), keyData: base64(expired.key) } });
    await held.read({});

    await assert.rejects(held.read({ refresh: true }), {
      code: 'client-certificate-expired',
      message: `the client certificate has expired at 2020-02-01T00:00:00.000Z; renew it (${NAMES})`,
    });
  });
});

describe('CredentialsSource tells what is wrong, with whom, and what to do', () => {
  it('when there is no current context', async () => {
    await rejects(new KubeConfig(), 'no-cluster', /no cluster for its current context.*set current-context/);
  });

  it('when the context names a user that is not there', async () => {
    const kubeConfig = config();
    kubeConfig.addContext({ name: 'other', cluster: 'test', user: 'nobody' });
    kubeConfig.setCurrentContext('other');

    await rejects(kubeConfig, 'no-user', /no user nobody.*\(cluster test, user none\)$/);
  });

  it('when the server is no URL, without passwords in it', async () => {
    for (const server of ['example.com', 'ftp://ann:secret@example.com', '']) {
      await rejects({ cluster: { server } }, 'bad-server-url', /no http or https URL.*correct it/, /secret/);
    }
  });

  it('when a file is missing', async () => {
    const caFile = '/nowhere/ca.crt';
    await rejects(
      { cluster: { caFile } },
      'file-unreadable',
      /\/nowhere\/ca\.crt.*\(cluster test, user ann\)$/,
    );
    await rejects({ user: { certFile: '/nowhere/crt' } }, 'file-unreadable', /\/nowhere\/crt/);
  });

  it('when a token has what no header can hold, without showing it', async () => {
    await rejects({ user: { token: 'top\nsecret' } }, 'invalid-header', /Authorization/, /top|secret/);
  });

  const nonsense: [string, () => Record<string, Record<string, string>>, RegExp][] = [
    [
      'the CA is no certificate',
      () => ({ cluster: { caData: base64('nonsense') } }),
      /the CA of the cluster is no certificate/,
    ],
    [
      'a client certificate has no key',
      () => ({ user: { certData: base64(client.cert) } }),
      /has no key; set client-key/,
    ],
    [
      'a key is of another certificate',
      () => ({ user: { certData: base64(client.cert), keyData: base64(expired.key) } }),
      /can't be used together: .*mismatch/,
    ],
    [
      'a key is none',
      () => ({ user: { certData: base64(client.cert), keyData: base64('k3y-nonsense') } }),
      /can't be used together/,
    ],
  ];
  for (const [what, parts, message] of nonsense) {
    it(`when ${what}`, async () => {
      await rejects(parts(), 'bad-certificate', message, /nonsense/);
    });
  }
});

describe('CredentialsSource and proxies', () => {
  const proxyUrl = 'http://ann:pass@proxy.example.com:3128';

  it('takes the one of the cluster, of HTTP and of SOCKS', async () => {
    for (const url of [
      proxyUrl,
      'https://proxy:443',
      'socks5://proxy:1080',
      'socks5h://proxy',
      'socks4a://p',
    ]) {
      assert.equal((await source({ cluster: { proxyUrl: url } }).read({})).proxyUrl, url);
    }
  });

  it('refuses what is none, without showing it', async () => {
    for (const url of ['ftp://ann:pass@proxy', 'proxy:3128']) {
      await rejects(
        { cluster: { proxyUrl: url } },
        'bad-proxy-url',
        /proxy-url of cluster test/,
        /pass|proxy:/,
      );
    }
  });

  it('takes the one of the environment, as kubectl does', async () => {
    const cases: [Record<string, string>, string | undefined][] = [
      [{ HTTPS_PROXY: proxyUrl }, proxyUrl],
      [{ https_proxy: 'proxy:3128' }, 'http://proxy:3128'],
      [{ HTTP_PROXY: proxyUrl }, undefined],
      [{ HTTPS_PROXY: proxyUrl, NO_PROXY: 'other.com' }, proxyUrl],
    ];
    for (const [environment, expected] of cases) {
      const { proxyUrl } = await new CredentialsSource(config(), { environment }).read({});
      assert.equal(proxyUrl, expected, JSON.stringify(environment));
    }
  });

  const exempt: [string, string, boolean][] = [
    ['https://api.example.com:6443', 'example.com', true],
    ['https://api.example.com:6443', '.example.com', true],
    ['https://example.com', '.example.com', false],
    ['https://api.example.com:6443', '*.example.com', true],
    ['https://notexample.com', 'example.com', false],
    ['https://api.example.com:6443', 'api.example.com:6443', true],
    ['https://api.example.com:6443', 'api.example.com:443', false],
    ['https://api.example.com', 'API.example.com:443 , x', true],
    ['https://anything', '*', true],
    ['https://10.1.2.3:6443', '10.0.0.0/8', true],
    ['https://11.1.2.3:6443', '10.0.0.0/8', false],
    ['https://10.1.2.3:6443', '10.1.2.3', true],
    ['https://[fd00::1]:6443', 'fd00::/8', true],
    ['https://[fd00::1]:6443', 'fd00::1', true],
    ['https://10.1.2.3:6443', '10.0.0.0/99', false],
    ['https://127.0.0.1:6443', '', true],
    ['https://localhost:6443', '', true],
  ];
  for (const [server, noProxy, isExempt] of exempt) {
    it(`${isExempt ? 'leaves out' : 'uses it for'} ${server} when NO_PROXY is '${noProxy}'`, async () => {
      const environment = { HTTPS_PROXY: proxyUrl, NO_PROXY: noProxy };
      const { proxyUrl: taken } = await new CredentialsSource(config({ cluster: { server } }), {
        environment,
      }).read({});

      assert.equal(taken, isExempt ? undefined : proxyUrl);
    });
  }
});
