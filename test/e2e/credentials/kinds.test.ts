import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { type InformerError, loadKubeConfig, SharedInformerFactory } from '../../../src/index.ts';
import { idToken, Provider } from '../../transport/identity-provider.ts';
import { base64, config, type Parts } from '../../transport/kube-configs.ts';
import { SocksServer } from '../../transport/socks-server.ts';
import { until } from '../until.ts';
import type { Visit } from './gate.ts';
import { CONFIG_MAPS, Ward } from './ward.ts';

let ward: Ward;
before(async () => {
  ward = await Ward.open();
});
afterEach(() => ward.clear());
after(() => ward.close());

type Entries = Parts | KubeConfig;
type Expected = Omit<Visit, 'verb'>;

const TIME = Date.now();
const EXEC_TOKEN = `credential({ token: 'of the plugin' });`;

/** A kind of credentials, the entries that have it, and what arrives at the server. */
const KINDS: [string, () => Entries | Promise<Entries>, Expected][] = [
  ['nothing but a CA', () => ward.parts(), {}],
  [
    'a CA from a file',
    () => ({ cluster: { server: ward.gate.url, caFile: ward.folder.write('ca', ward.serverCa.cert) } }),
    {},
  ],
  [
    'another server name',
    () => ward.parts({ cluster: { server: ward.gate.url, tlsServerName: 'localhost' } }),
    { servername: 'localhost' },
  ],
  [
    'no verification',
    () => ({ cluster: { server: ward.gate.url, skipTLSVerify: true }, user: { token: 't' } }),
    { authorization: 'Bearer t' },
  ],
  [
    'a context without a user',
    () => {
      const kubeConfig = config(ward.parts());
      delete (kubeConfig.contexts[0] as { user?: string }).user;
      return kubeConfig;
    },
    {},
  ],
  ['a bearer token', () => ward.parts({ user: { token: 't0' } }), { authorization: 'Bearer t0' }],
  [
    'a token file',
    () => ward.parts({ user: { tokenFile: ward.folder.write('token', 'of a file\n') } }),
    { authorization: 'Bearer of a file' },
  ],
  [
    'user and password',
    () => ward.parts({ user: { username: 'ann', password: 'pw' } }),
    { authorization: `Basic ${base64('ann:pw')}` },
  ],
  [
    'a client certificate',
    async () => {
      const { cert, key } = await ward.clientCa.issue('ann');
      return ward.parts({ user: { certData: base64(cert), keyData: base64(key) } });
    },
    { certificate: 'ann' },
  ],
  [
    'a client certificate from files',
    async () => {
      const { cert, key } = await ward.clientCa.issue('bob');
      const files = { certFile: ward.folder.write('cert', cert), keyFile: ward.folder.write('key', key) };
      return ward.parts({ user: files });
    },
    { certificate: 'bob' },
  ],
  [
    'a plugin’s token',
    () => ward.parts({ user: { exec: ward.folder.plugin(EXEC_TOKEN).exec } }),
    { authorization: 'Bearer of the plugin' },
  ],
  [
    'a plugin’s client certificate',
    async () => {
      const { cert, key } = await ward.clientCa.issue('exec');
      const status = JSON.stringify({ clientCertificateData: cert, clientKeyData: key });
      return ward.parts({ user: { exec: ward.folder.plugin(`credential(${status});`).exec } });
    },
    { certificate: 'exec' },
  ],
  [
    'an OIDC token that has to be renewed first',
    async () => {
      const identity = await ward.serverCa.issue('provider', { isServer: true });
      const provider = await Provider.start(identity, TIME);
      ward.atEnd(() => provider.close());
      const oidc = {
        'client-id': 'app',
        'idp-issuer-url': provider.url,
        'idp-certificate-authority-data': base64(ward.serverCa.cert),
        'id-token': idToken(Date.now() - 1),
        'refresh-token': 'refresh-1',
      };
      return ward.parts({ user: { authProvider: { name: 'oidc', config: oidc } } });
    },
    { authorization: `Bearer ${idToken(TIME + 3_600_000)}` },
  ],
  [
    'somebody to be impersonated',
    () => {
      const groups = { impersonateGroups: ['dev', 'ops'], impersonateUid: '17' };
      const extra = { impersonateExtra: { 'example.com/scope': ['a', 'b'] } };
      return ward.parts({ user: { token: 't', impersonateUser: 'bob', ...groups, ...extra } });
    },
    {
      authorization: 'Bearer t',
      impersonate: {
        'impersonate-user': ['bob'],
        'impersonate-group': ['dev', 'ops'],
        'impersonate-uid': ['17'],
        'impersonate-extra-example.com%2fscope': ['a', 'b'],
      },
    },
  ],
  ['the account of a Pod', () => inCluster(), { authorization: 'Bearer of the Pod' }],
  [
    'a kubeconfig file that has all that client-node drops',
    () => loadKubeConfig({ file: writeKubeConfig() }),
    {
      authorization: 'Bearer of a relative file',
      impersonate: { 'impersonate-user': ['bob'], 'impersonate-group': ['dev'] },
    },
  ],
  [
    'an authenticator that was added',
    () => {
      const kubeConfig = config(ward.parts({ user: { authProvider: { name: 'mine' } } }));
      kubeConfig.addAuthenticator({
        isAuthProvider: (user) => user.authProvider?.name === 'mine',
        async applyAuthentication(_user, options) {
          Object.assign(options.headers!, { Authorization: 'Custom mine' });
        },
      });
      return kubeConfig;
    },
    { authorization: 'Custom mine' },
  ],
  [
    'a derived class with private fields',
    () => config(ward.parts(), new VaultConfig()),
    { authorization: 'Bearer of the vault' },
  ],
  [
    'a bearer token through an HTTP proxy',
    async () => {
      const proxyUrl = `http://ann:pw@127.0.0.1:${await startProxy()}`;
      return ward.parts({ cluster: { server: ward.gate.url, proxyUrl }, user: { token: 't' } });
    },
    { authorization: 'Bearer t' },
  ],
  [
    'a bearer token through a SOCKS proxy',
    async () => {
      const proxy = await SocksServer.start(ward.gate.port, { account: 'ann:pw' });
      ward.atEnd(() => proxy.close());
      const proxyUrl = `socks5://ann:pw@127.0.0.1:${proxy.port}`;
      return ward.parts({ cluster: { server: ward.gate.url, proxyUrl }, user: { token: 't' } });
    },
    { authorization: 'Bearer t' },
  ],
];

describe('informers reach a server over TLS with', () => {
  // One factory for all: each kind is another cluster to it.
  let factory: SharedInformerFactory;
  before(() => {
    factory = new SharedInformerFactory(config());
  });
  after(() => factory.stop());

  for (const [what, entries, expected] of KINDS) {
    it(what, async () => {
      const given = await entries();
      const kubeConfig = given instanceof KubeConfig ? given : config(given);
      const informer = factory.informerFor(CONFIG_MAPS, { kubeConfig });
      const errors: InformerError[] = [];
      informer.on('error', (error) => errors.push(error));
      await factory.start();
      await until('there is a watch', () => ward.gate.visits.length === 2);

      assert.deepEqual(ward.gate.visits, [
        { verb: 'list', ...expected },
        { verb: 'watch', ...expected },
      ]);
      assert.deepEqual(errors, []);
      await informer.stop();
    });
  }
});

class VaultConfig extends KubeConfig {
  readonly #token = 'of the vault';

  override async applySecurityAuthentication(
    context: Parameters<KubeConfig['applySecurityAuthentication']>[0],
  ): Promise<void> {
    await super.applySecurityAuthentication(context);
    context.setHeaderParam('Authorization', `Bearer ${this.#token}`);
  }
}

function inCluster(): KubeConfig {
  const root = `${ward.folder.path}/pod`;
  mkdirSync(`${root}/var/run/secrets/kubernetes.io/serviceaccount`, { recursive: true });
  ward.folder.write('pod/var/run/secrets/kubernetes.io/serviceaccount/token', 'of the Pod\n');
  ward.folder.write('pod/var/run/secrets/kubernetes.io/serviceaccount/ca.crt', ward.serverCa.cert);
  const kept = { ...process.env };
  Object.assign(process.env, {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(ward.gate.port),
  });
  ward.atEnd(() => {
    process.env = kept;
  });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromCluster(root);
  return kubeConfig;
}

function writeKubeConfig(): string {
  ward.folder.write('relative-token', 'of a relative file\n');
  const cluster = {
    server: ward.gate.url,
    'certificate-authority': ward.folder.write('ca', ward.serverCa.cert),
  };
  const user = { tokenFile: 'relative-token', as: 'bob', 'as-groups': ['dev'] };
  const kubeConfig = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return ward.folder.write('config', JSON.stringify(kubeConfig));
}

/** A proxy that makes tunnels for `ann:pw`. */
async function startProxy(): Promise<number> {
  const proxy = http.createServer();
  proxy.on('connect', (request, socket) => {
    if (request.headers['proxy-authorization'] !== `Basic ${base64('ann:pw')}`) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = net.connect(ward.gate.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  ward.atEnd(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return (proxy.address() as AddressInfo).port;
}
