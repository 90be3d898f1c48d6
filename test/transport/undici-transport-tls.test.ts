import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { afterEach, describe, it } from 'node:test';
import type { ConnectionInfo, TransportError } from '../../src/transport/index.ts';
import { get, pem, serve, transportTo } from './servers.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function server(...args: Parameters<typeof serve>) {
  const started = await serve(...args);
  cleanups.push(() => started.close());
  return started;
}

function transport(info: Partial<ConnectionInfo> & { server: string }) {
  const made = transportTo(info);
  cleanups.push(() => made.close());
  return made;
}

const serverTls = { cert: pem('server'), key: pem('server.key') };

describe('UndiciTransport with TLS', () => {
  it('trusts the given CA and shows the client certificate', async () => {
    const tls = { ...serverTls, ca: pem('ca'), requestCert: true, rejectUnauthorized: true };
    const { url } = await server((request, response) => {
      const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
      response.end(subject.CN);
    }, tls);
    const made = transport({
      server: url,
      tls: { ca: pem('ca'), cert: pem('client'), key: pem('client.key') },
    });

    assert.equal((await get(made, '/')).body, 'kubering-test-user');
  });

  it('names the CA as the cause when the certificate is signed by another one', async () => {
    const { url } = await server((_request, response) => response.end(), serverTls);
    const made = transport({ server: url, tls: { ca: pem('other-ca') } });

    await assert.rejects(get(made, '/'), {
      code: 'tls-failed',
      message: /not signed by a trusted CA.*certificate-authority-data/,
    });
  });

  it('checks the certificate against the server name when there is one', async () => {
    const { url } = await server((_request, response) => response.end('ok'), serverTls);
    const named = transport({ server: url, tls: { ca: pem('ca'), servername: 'api.example.com' } });
    assert.equal((await get(named, '/')).body, 'ok');

    const wrong = transport({ server: url, tls: { ca: pem('ca'), servername: 'other.example.com' } });
    await assert.rejects(get(wrong, '/'), { code: 'tls-failed', message: /is for another host/ });
  });

  it('accepts any certificate when told so', async () => {
    const { url } = await server((_request, response) => response.end('ok'), serverTls);
    const made = transport({ server: url, tls: { rejectUnauthorized: false } });

    assert.equal((await get(made, '/')).body, 'ok');
  });
});

describe('UndiciTransport with a proxy', () => {
  it('reaches an https server through a tunnel', async () => {
    const { url } = await server((_request, response) => response.end('ok'), serverTls);
    const proxy = await startProxy();
    const made = transport({
      server: url,
      tls: { ca: pem('ca') },
      proxyUrl: `http://user:hidden@127.0.0.1:${proxy.port}`,
    });

    assert.equal((await get(made, '/')).body, 'ok');
    assert.deepEqual(proxy.asked, [`CONNECT ${new URL(url).host}`]);
  });

  it('reaches an http server through a proxy that forwards', async () => {
    const { port } = await server((request, response) => response.end(`asked for ${request.url}`));
    const made = transport({ server: 'http://api.example.com', proxyUrl: `http://127.0.0.1:${port}` });

    assert.equal((await get(made, '/x')).body, 'asked for http://api.example.com/x');
  });

  it('says that the proxy refused', async () => {
    const { port } = await server((_request, response) => response.end());
    const made = transport({
      server: 'https://api.example.com',
      proxyUrl: `http://user:hidden@127.0.0.1:${port}`,
    });

    await assert.rejects(get(made, '/'), (error: TransportError) => {
      assert.equal(error.code, 'proxy-failed');
      assert.doesNotMatch(error.message, /hidden/);
      return true;
    });
  });
});

async function startProxy() {
  const asked: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = net.connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    cleanups.push(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => void proxy.close());
  return { port: (proxy.address() as AddressInfo).port, asked };
}
