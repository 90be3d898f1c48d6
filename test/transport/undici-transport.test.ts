import assert from 'node:assert/strict';
import { once } from 'node:events';
import type http from 'node:http';
import { afterEach, describe, it } from 'node:test';
import type { ConnectionInfo } from '../../src/transport/index.ts';
import { TransportError, UndiciTransport } from '../../src/transport/index.ts';
import { get, open, pem, serve, transportTo } from './servers.ts';

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

describe('UndiciTransport', () => {
  it('sends path, prefix of the server URL and all headers, and hands on status, headers and body', async () => {
    const { url } = await server((request, response) => {
      response.setHeader('x-asked', `${request.method} ${request.url} ${request.headers.authorization}`);
      response.end(`accepts ${request.headers.accept}, is ${request.headers['user-agent']}`);
    });
    const made = transport({ server: `${url}/k8s/clusters/c-1`, headers: { Authorization: 'Bearer t0' } });

    const answer = await get(made, '/api/v1/pods?limit=5');

    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-asked'], 'GET /k8s/clusters/c-1/api/v1/pods?limit=5 Bearer t0');
    assert.equal(answer.body, 'accepts application/json, is kubering');
  });

  it('uses one socket for 100 requests that follow at once', async () => {
    const { url, sockets } = await server((_request, response) => response.end('{}'));
    const made = transport({ server: url });
    for (let i = 0; i < 100; i++) await get(made, `/${i}`);

    assert.equal(sockets.size, 1);
  });

  it('uses one socket when each request is made in the end of the one before', async () => {
    const { url, sockets } = await server((_request, response) => response.end('{}'));
    const made = transport({ server: url });
    await new Promise<void>((resolve, reject) => {
      const next = (left: number) => {
        const onEnd = () => (left === 0 ? resolve() : next(left - 1));
        made.open({ path: '/', headers: {} }, { onResponse() {}, onData() {}, onEnd, onError: reject });
      };
      next(20);
    });

    assert.equal(sockets.size, 1);
  });

  it('opens as many connections as there are watches', async () => {
    const { url, sockets } = await server((_request, response) => response.write('{}\n'));
    const made = transport({ server: url });
    const watches = Array.from({ length: 30 }, () => open(made));
    await Promise.all(watches.map(({ recorder }) => recorder.toldAtLeast(2)));

    assert.equal(sockets.size, 30);
  });

  it('reports a reset in the middle of a body after what came before it', async () => {
    const { url, sockets } = await server((_request, response) => response.write('abc'));
    const { recorder } = open(transport({ server: url }));
    await recorder.toldAtLeast(2);
    for (const socket of sockets) socket.resetAndDestroy();
    await recorder.over;

    assert.deepEqual(recorder.told, ['response 200', 'data', 'error']);
    assert.ok(recorder.error instanceof TransportError);
    assert.equal(recorder.error.code, 'connection-reset');
    assert.match(recorder.error.message, /^http:\/\/127\.0\.0\.1:\d+: the connection broke: /);
  });

  it('reports an end in the middle of a chunked body as broken', async () => {
    const { url, sockets } = await server((_request, response) => response.write('abc'));
    const { recorder } = open(transport({ server: url }));
    await recorder.toldAtLeast(2);
    for (const socket of sockets) socket.end();
    await recorder.over;

    assert.deepEqual(recorder.told, ['response 200', 'data', 'error']);
  });

  it('says so when nobody listens', async () => {
    const { url, close } = await serve(() => {});
    await close();

    await assert.rejects(get(transport({ server: url }), '/'), {
      code: 'connect-failed',
      message: /ECONNREFUSED.*check that the server is up/,
    });
  });

  it('stops reading while paused, so that the server can send no more, and goes on after resume', async () => {
    const block = Buffer.alloc(64 * 1024, 0x61);
    const blocks = 1024;
    let sent = 0;
    const { url } = await server(async (_request, response) => {
      for (; sent < blocks; sent++) if (!response.write(block)) await once(response, 'drain');
      response.end();
    });
    const { recorder, exchange } = open(transport({ server: url }));
    const bytesWhenPaused = await new Promise<number>((resolve) => {
      recorder.onData = (chunk) => {
        recorder.bytes += chunk.length;
        exchange.pause();
        resolve(recorder.bytes);
      };
    });
    await untilItStands(() => sent);

    assert.ok(recorder.bytes <= bytesWhenPaused + block.length, `${recorder.bytes} bytes came while paused`);
    assert.ok(sent < blocks, 'the server could send all of it');

    recorder.onData = (chunk) => {
      recorder.bytes += chunk.length;
    };
    exchange.resume();
    await recorder.over;
    assert.equal(recorder.bytes, blocks * block.length);
  });

  it('remembers a pause from before the response', async () => {
    const { url } = await server((_request, response) => response.end(Buffer.alloc(1 << 20)));
    const { recorder, exchange } = open(transport({ server: url }));
    exchange.pause();
    await recorder.toldAtLeast(1);
    await untilItStands(() => recorder.told.length);
    assert.deepEqual(recorder.told, ['response 200']);

    exchange.resume();
    await recorder.over;
    assert.equal(recorder.error, undefined);
    assert.equal(recorder.bytes, 1 << 20);
  });

  it('can be resumed from within a chunk of another request', async () => {
    const { url } = await server((_request, response) => response.end(Buffer.alloc(1 << 20)));
    const made = transport({ server: url });
    const first = open(made);
    first.exchange.pause();
    await first.recorder.toldAtLeast(1);
    const second = open(made);
    second.recorder.onData = () => first.exchange.resume();
    await Promise.all([first.recorder.over, second.recorder.over]);

    assert.equal(first.recorder.bytes, 1 << 20);
  });

  it('is silent after an abort, and closes the socket', async () => {
    const { url, sockets } = await server((_request, response) => response.write('abc'));
    const { recorder, exchange } = open(transport({ server: url }));
    await recorder.toldAtLeast(2);
    const [socket] = sockets;
    const closed = once(socket!, 'close');
    exchange.abort();
    exchange.abort();
    await closed;

    assert.deepEqual(recorder.told, ['response 200', 'data']);
  });

  it('makes no request when it was aborted before the credentials came', async () => {
    let requests = 0;
    const { url } = await server((_request, response) => response.end(String(++requests)));
    const credentials = Promise.withResolvers<ConnectionInfo>();
    const made = new UndiciTransport(() => credentials.promise);
    const { recorder, exchange } = open(made);
    exchange.abort();
    credentials.resolve({ server: url, headers: {}, tls: {} });

    assert.equal((await get(made, '/')).body, '1');
    assert.deepEqual(recorder.told, []);
    await made.close();
  });

  it('asks for the connection before each request, and passes on that new credentials are needed', async () => {
    const { url } = await server((request, response) => response.end(request.headers.authorization));
    const asked: boolean[] = [];
    const made = new UndiciTransport(async (refresh) => {
      asked.push(refresh);
      return { server: url, headers: { Authorization: `Bearer ${asked.length}` }, tls: {} };
    });
    const bodies = [await get(made, '/'), await get(made, '/')].map(({ body }) => body);
    const recorder = open(made).recorder;
    await recorder.toldAtLeast(3);
    made.open({ path: '/', headers: {}, refreshCredentials: true }, recorder);
    await recorder.toldAtLeast(6);

    assert.deepEqual(bodies, ['Bearer 1', 'Bearer 2']);
    assert.deepEqual(asked, [false, false, false, true]);
    await made.close();
  });

  it('keeps its sockets when only headers change, and makes new ones when TLS material does', async () => {
    const { url, sockets } = await server((_request, response) => response.end('{}'), serverTls);
    let info: ConnectionInfo = { server: url, headers: {}, tls: { ca: pem('ca') } };
    const made = new UndiciTransport(async () => structuredClone(info));
    await get(made, '/');
    info = { ...info, headers: { Authorization: 'Bearer new' } };
    await get(made, '/');
    assert.equal(sockets.size, 1);

    info = { ...info, tls: { ca: pem('ca'), cert: pem('client'), key: pem('client.key') } };
    await get(made, '/');
    assert.equal(sockets.size, 2);
    await made.close();
  });

  it('lets a watch run on when the TLS material changed', async () => {
    const responses: http.ServerResponse[] = [];
    const { url } = await server((_request, response) => {
      responses.push(response);
      response.write('1');
    }, serverTls);
    const tls = [{ ca: pem('ca') }, { ca: pem('ca'), servername: 'localhost' }];
    let asked = 0;
    const made = new UndiciTransport(async () => ({ server: url, headers: {}, tls: tls[asked++]! }));
    cleanups.push(() => made.close());
    const first = open(made).recorder;
    await first.toldAtLeast(2);
    await open(made).recorder.toldAtLeast(2);
    responses[0]!.end('2');
    await first.over;

    assert.deepEqual(first.told, ['response 200', 'data', 'data', 'end']);
  });

  it('hands on the error of whoever gives the credentials, without what looks like one', async () => {
    const known = new UndiciTransport(() =>
      Promise.reject(new TransportError('log in again', { code: 'exec-failed' })),
    );
    await assert.rejects(get(known, '/'), { code: 'exec-failed', message: 'log in again' });

    const unknown = new UndiciTransport(() => Promise.reject(new Error('rejected: Bearer abc.def')));
    await assert.rejects(get(unknown, '/'), {
      code: 'credentials-failed',
      message: /^no credentials: rejected: Bearer \[redacted\]$/,
    });
  });

  it('ends everything silently when it is closed, and opens nothing afterwards', async () => {
    const { url, sockets } = await server((_request, response) => response.write('abc'));
    const made = transport({ server: url });
    const { recorder } = open(made);
    await recorder.toldAtLeast(2);
    const closed = once([...sockets][0]!, 'close');
    await made.close();
    await closed;

    assert.deepEqual(recorder.told, ['response 200', 'data']);
    await assert.rejects(get(made, '/'), { code: 'closed' });
  });
});

/**
 * Resolves when a number did not change for many turns of the event loop, in which sockets are read and written.
 * For what must not happen: too short a wait would hide a fault, never invent one.
 */
async function untilItStands(read: () => number): Promise<void> {
  const turns = 200;
  for (let same = 0, last = read(); same < turns; same++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (read() !== last) same = 0;
    last = read();
  }
}
