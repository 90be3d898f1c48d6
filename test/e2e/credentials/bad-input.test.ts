import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { type InformerError, type SharedInformer, SharedInformerFactory } from '../../../src/index.ts';
import { Authority, EXPIRED } from '../../transport/certificates.ts';
import { base64, config, type Parts } from '../../transport/kube-configs.ts';
import { until } from '../until.ts';
import { CONFIG_MAPS, Ward } from './ward.ts';

let ward: Ward;
let factory: SharedInformerFactory;
/** Works, in the same worker as what does not. */
let neighbour: SharedInformer;
before(async () => {
  ward = await Ward.open();
  factory = new SharedInformerFactory(config(ward.parts()), { credentialsTimeoutMs: PLUGIN_LIMIT_MS });
  neighbour = factory.informerFor(CONFIG_MAPS);
  await factory.start();
});
afterEach(async () => {
  ward.gate.present(await ward.serverCa.issue('server', { isServer: true }));
  const name = `object-${++objects}`;
  ward.gate.create(name);
  await until('the neighbour goes on', () => neighbour.lister.has(`default/${name}`));
  await ward.clear(1);
});
after(async () => {
  await factory.stop();
  await ward.close();
});

/** Long enough for Node to start on a busy machine. */
const PLUGIN_LIMIT_MS = 3000;
let objects = 0;

const NAMES = 'cluster test, user ann';

/** What is wrong, the entries, the code, and what the message says of cause and remedy. */
const CASES: [string, () => KubeConfig | Parts | Promise<Parts>, string, RegExp][] = [
  [
    'no current context',
    () => new KubeConfig(),
    'no-cluster',
    /current context \(none\); set current-context/,
  ],
  [
    'a CA file that is not there',
    () => ({ cluster: { server: ward.gate.url, caFile: '/nowhere/ca.crt' } }),
    'file-unreadable',
    /open '\/nowhere\/ca\.crt'; correct its path/,
  ],
  [
    'a key file that is not there',
    () => ward.parts({ user: { certFile: '/nowhere/crt', keyFile: '/nowhere/key' } }),
    'file-unreadable',
    /open '\/nowhere\/crt'; correct its path/,
  ],
  [
    'a token file that is not there',
    () => ward.parts({ user: { tokenFile: '/nowhere/token' } }),
    'file-unreadable',
    /'\/nowhere\/token'; correct its path/,
  ],
  [
    'the CA of another server',
    async () => {
      const { cert } = await Authority.create('another');
      return { cluster: { server: ward.gate.url, caData: base64(cert) } };
    },
    'tls-failed',
    /not signed by a trusted CA: .*; set certificate-authority-data/,
  ],
  [
    'a server whose certificate has expired',
    async () => {
      ward.gate.present(await ward.serverCa.issue('server', { isServer: true, ...EXPIRED }));
      return ward.parts();
    },
    'tls-failed',
    /certificate of the server has expired .*; renew it/,
  ],
  [
    'a server whose certificate is for another host',
    () => ward.parts({ cluster: { server: ward.gate.url, tlsServerName: 'other.example.com' } }),
    'tls-failed',
    /for another host: .*set tls-server-name/,
  ],
  [
    'a plugin that fails',
    () => ward.parts({ user: { exec: ward.folder.plugin(`console.error('log in'); process.exit(1)`).exec } }),
    'exec-failed',
    /failed: log in; run it by hand and see/,
  ],
  [
    'a plugin that hangs',
    () => ward.parts({ user: { exec: ward.folder.plugin('setInterval(() => {}, 1000)').exec } }),
    'exec-timeout',
    /no answer in 3 s and was ended; run it by hand/,
  ],
  [
    'a plugin that prints nonsense',
    () => ward.parts({ user: { exec: ward.folder.plugin(`console.log('hello')`).exec } }),
    'exec-bad-output',
    /something else than a JSON object; run it by hand/,
  ],
  [
    'a plugin that is not there',
    () => ward.parts({ user: { exec: { command: '/nowhere/plugin' } } }),
    'exec-not-found',
    /was not found; install it/,
  ],
  [
    'a proxy that answers 502',
    async () => {
      const port = await startProxy('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return ward.parts({
        cluster: { server: ward.gate.url, proxyUrl: `http://ann:hidden@127.0.0.1:${port}` },
      });
    },
    'proxy-failed',
    /\(502\).*; check proxy-url of the cluster/,
  ],
  [
    'a proxy that answers with HTML',
    async () => {
      const page = '<html>log in</html>';
      const head = `content-type: text/html\r\ncontent-length: ${page.length}`;
      const port = await startProxy(`HTTP/1.1 403 Forbidden\r\n${head}\r\n\r\n${page}`);
      return ward.parts({ cluster: { server: ward.gate.url, proxyUrl: `http://127.0.0.1:${port}` } });
    },
    'proxy-failed',
    /\(403\).*; check proxy-url of the cluster/,
  ],
  [
    'a proxy that answers with HTML in place of an http server',
    async () => {
      const { port } = await startPage(200);
      const server = 'http://api.example.com';
      return { cluster: { server, skipTLSVerify: true, proxyUrl: `http://127.0.0.1:${port}` } };
    },
    'not-json',
    /the response is text\/html, not JSON .*; check that the server URL is that of a Kubernetes API/,
  ],
  [
    'a proxy that answers 502 in place of an http server',
    async () => {
      const { port } = await startPage(502);
      const server = 'http://api.example.com';
      return { cluster: { server, skipTLSVerify: true, proxyUrl: `http://127.0.0.1:${port}` } };
    },
    'unavailable',
    /the server says 502: .*; see whether the proxy reaches the server/,
  ],
  [
    'a SOCKS proxy that is none',
    async () => {
      const { port } = await startPage(200);
      return ward.parts({
        cluster: { server: ward.gate.url, proxyUrl: `socks5://ann:hidden@127.0.0.1:${port}` },
      });
    },
    'proxy-failed',
    /the proxy made no connection: .*; check proxy-url/,
  ],
];

describe('told with cluster, user, cause and remedy, and tried again, is', () => {
  for (const [what, entries, code, message] of CASES) {
    it(what, async () => {
      const error = await firstErrorOf(await entries());

      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      assert.match(error.message, /^list of configmaps failed: /);
      if (code !== 'no-cluster') assert.ok(error.message.includes(NAMES), error.message);
      assert.ok(error.retryInMs! > 0);
      assert.doesNotMatch(error.message, /hidden|hello/);
    });
  }

  it('a client certificate that has expired, once the server refuses it', async () => {
    const { cert, key } = await ward.clientCa.issue('ann', EXPIRED);
    const parts = ward.parts({ user: { certData: base64(cert), keyData: base64(key) } });
    ward.gate.admits = ({ certificate }) => certificate !== 'ann';
    const [refused, told] = await errorsOf(parts, 2);

    assert.deepEqual([refused!.code, refused!.retryInMs], ['unauthorized', 0]);
    assert.equal(told!.code, 'client-certificate-expired');
    assert.match(
      told!.message,
      /expired at 2020-02-01T00:00:00\.000Z; renew it \(cluster test, user ann\); next try in/,
    );
  });

  it('a user entry that is wrong until somebody corrects it', async () => {
    const kubeConfig = config(ward.parts({ user: { token: 'x', tokenFile: '/nowhere/token' } }));
    const informer = factory.informerFor(CONFIG_MAPS, { kubeConfig });
    const errors: InformerError[] = [];
    informer.on('error', (error) => errors.push(error));
    factory.start().catch(() => {});
    await until('an error was told', () => errors.length > 0);
    (kubeConfig.users[0] as { tokenFile?: string }).tokenFile = ward.folder.write('corrected', 'good');
    await informer.synced;

    assert.equal(ward.gate.visits.at(-1)!.authorization, 'Bearer good');
    await informer.stop();
  });
});

async function firstErrorOf(entries: KubeConfig | Parts): Promise<InformerError> {
  return (await errorsOf(entries, 1))[0]!;
}

async function errorsOf(entries: KubeConfig | Parts, count: number): Promise<InformerError[]> {
  const kubeConfig = entries instanceof KubeConfig ? entries : config(entries);
  const informer = factory.informerFor(CONFIG_MAPS, { kubeConfig });
  const errors: InformerError[] = [];
  informer.on('error', (error) => errors.push(error));
  factory.start().catch(() => {});
  await until(`${count} errors were told`, () => errors.length >= count);
  assert.equal(informer.hasSynced, false);
  await informer.stop();
  return errors;
}

/** A proxy that answers each wish for a tunnel with this. */
async function startProxy(answer: string): Promise<number> {
  const proxy = http.createServer();
  proxy.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    socket.end(answer);
  });
  return (await listen(proxy)).port;
}

async function startPage(status: number): Promise<{ port: number }> {
  const page = http.createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>log in</html>');
  });
  return listen(page);
}

async function listen(server: http.Server): Promise<{ port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ward.atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port };
}
