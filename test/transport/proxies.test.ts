import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { ConnectionInfo, TransportError } from '../../src/transport/index.ts';
import { Authority, type Identity } from './certificates.ts';
import { get, open, serve, transportTo } from './servers.ts';
import { type SocksOptions, SocksServer } from './socks-server.ts';

const NAMES = 'cluster prod, user ann';
const cleanups: (() => Promise<void> | void)[] = [];
let ca: string;
let identity: Identity;

before(async () => {
  const authority = await Authority.create('kubering test');
  ca = authority.cert;
  identity = await authority.issue('server', { isServer: true });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function server(listener: Parameters<typeof serve>[0], tls?: Identity) {
  const started = await serve(listener, tls);
  cleanups.push(() => started.close());
  return started;
}

async function socks(targetPort: number, options?: SocksOptions) {
  const proxy = await SocksServer.start(targetPort, options);
  cleanups.push(() => proxy.close());
  return proxy;
}

function transport(info: Partial<ConnectionInfo> & { server: string }) {
  const made = transportTo({ names: NAMES, ...info });
  cleanups.push(() => made.close());
  return made;
}

describe('UndiciTransport with a SOCKS proxy', () => {
  it('reaches an https server by its name, which the proxy resolves', async () => {
    const { port } = await server((_request, response) => response.end('ok'), identity);
    const proxy = await socks(port);
    const tls = { ca, servername: 'localhost' };
    const proxyUrl = `socks5://127.0.0.1:${proxy.port}`;
    const made = transport({ server: 'https://api.example.com', tls, proxyUrl });

    assert.equal((await get(made, '/')).body, 'ok');
    assert.deepEqual(proxy.asked, ['5 name api.example.com:443']);
  });

  it('checks the certificate against the address when the server has no name', async () => {
    const { port } = await server((_request, response) => response.end('ok'), identity);
    const proxy = await socks(port);
    const proxyUrl = `socks5h://127.0.0.1:${proxy.port}`;
    const made = transport({ server: `https://127.0.0.1:${port}`, tls: { ca }, proxyUrl });
    assert.equal((await get(made, '/')).body, 'ok');

    const wrong = transport({ server: 'https://127.0.0.2', tls: { ca }, proxyUrl });
    await assert.rejects(get(wrong, '/'), { code: 'tls-failed', message: /is for another host/ });
  });

  it('reaches an http server through version 4a', async () => {
    const { port } = await server((request, response) => response.end(request.headers.host));
    const proxy = await socks(port);
    const made = transport({
      server: 'http://api.example.com',
      proxyUrl: `socks4a://127.0.0.1:${proxy.port}`,
    });

    assert.equal((await get(made, '/')).body, 'api.example.com');
    assert.deepEqual(proxy.asked, ['4 name api.example.com:80']);
  });

  it('shows user and password, and keeps them out of errors', async () => {
    const { port } = await server((_request, response) => response.end('ok'), identity);
    const proxy = await socks(port, { account: 'ann:p@ss w' });
    const target = { server: `https://127.0.0.1:${port}`, tls: { ca } };
    const proxyUrl = `socks5://ann:${encodeURIComponent('p@ss w')}@127.0.0.1:${proxy.port}`;
    assert.equal((await get(transport({ ...target, proxyUrl }), '/')).body, 'ok');

    const wrong = `socks5://ann:hidden@127.0.0.1:${proxy.port}`;
    await assert.rejects(get(transport({ ...target, proxyUrl: wrong }), '/'), (error: TransportError) => {
      assert.equal(error.code, 'proxy-failed');
      assert.match(
        error.message,
        /check proxy-url.*\(cluster prod, user ann, through the proxy 127.0.0.1:\d+\)$/,
      );
      assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hidden/);
      return true;
    });
  });

  it('says so when the proxy refuses, or is none, or is not there', async () => {
    const { port } = await server((_request, response) => response.end('ok'));
    const refusing = await socks(port, { refuseWith: 2 });
    for (const proxyPort of [refusing.port, port, 1]) {
      const made = transport({ server: 'https://example.com', proxyUrl: `socks5://127.0.0.1:${proxyPort}` });
      await assert.rejects(get(made, '/'), { code: 'proxy-failed', message: /the proxy made no connection/ });
    }
  });

  it('uses one tunnel for requests that follow one another', async () => {
    const { port } = await server((_request, response) => response.end('ok'), identity);
    const proxy = await socks(port);
    const proxyUrl = `socks5://127.0.0.1:${proxy.port}`;
    const made = transport({ server: `https://127.0.0.1:${port}`, tls: { ca }, proxyUrl });
    for (let i = 0; i < 10; i++) await get(made, '/');

    assert.equal(proxy.asked.length, 1);
  });
});

describe('UndiciTransport with an HTTP proxy', () => {
  const answers: [string, string][] = [
    ['502', 'HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\nhtml'],
    ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'],
  ];
  for (const [status, answer] of answers) {
    it(`that answers ${status} to a tunnel is named, with cluster and user`, async () => {
      const proxy = await server(() => {});
      proxy.server.on('connect', (_request, socket) => socket.end(answer));
      const proxyUrl = `http://ann:hidden@127.0.0.1:${proxy.port}`;
      const made = transport({ server: 'https://api.example.com', proxyUrl });

      await assert.rejects(get(made, '/'), (error: TransportError) => {
        assert.equal(error.code, 'proxy-failed');
        assert.match(
          error.message,
          new RegExp(`${status}.*check proxy-url.*${NAMES}, through the proxy 127`),
        );
        assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hidden/);
        return true;
      });
    });
  }

  it('that wants to know who asks, without a tunnel, is named too', async () => {
    const proxy = await server((_request, response) => response.writeHead(407).end());
    const made = transport({ server: 'http://api.example.com', proxyUrl: proxy.url });

    await assert.rejects(get(made, '/'), { code: 'proxy-failed', message: /Proxy Authentication Required/ });
  });

  it('is named to whoever gets its answer in place of the server’s', async () => {
    const proxy = await server((_request, response) => response.writeHead(502).end('<html>'));
    const { recorder } = open(transport({ server: 'http://api.example.com', proxyUrl: proxy.url }));
    await recorder.over;

    assert.deepEqual(recorder.peers, [`${NAMES}, through the proxy 127.0.0.1:${proxy.port}`]);
  });
});

describe('UndiciTransport', () => {
  for (const [status, peer] of [
    [200, ''],
    [401, NAMES],
    [403, NAMES],
    [503, ''],
  ] as const) {
    it(`${peer === '' ? 'does not say' : 'says'} who asked with a ${status}`, async () => {
      const { url } = await server((_request, response) => response.writeHead(status).end());
      const { recorder } = open(transport({ server: url }));
      await recorder.over;

      assert.deepEqual(recorder.peers, [peer]);
    });
  }
});
