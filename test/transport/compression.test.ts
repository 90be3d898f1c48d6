import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type http from 'node:http';
import { afterEach, describe, it } from 'node:test';
import { constants, createGzip, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import type { ApiRequest } from '../../src/reflector/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { CredentialsBroker, TransportError, UndiciTransport } from '../../src/transport/index.ts';
import { get, Recorder, serve, transportTo } from './servers.ts';

const PART = 64 * 1024;
const JSON_GZIP = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

describe('UndiciTransport with compressed bodies', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** A transport to a server that answers each request with what a test writes. */
  async function answering(listener: http.RequestListener) {
    const server = await serve(listener);
    const transport = transportTo({ server: server.url });
    cleanups.push(
      () => server.close(),
      () => transport.close(),
    );
    return { server, transport };
  }

  /** Sends headers at once, and lets the test write the body. */
  async function streaming(headers: http.OutgoingHttpHeaders = JSON_GZIP) {
    const responded = Promise.withResolvers<http.ServerResponse>();
    const { server, transport } = await answering((_request, response) => {
      response.writeHead(200, headers).flushHeaders();
      responded.resolve(response);
    });
    const recorder = new TextRecorder();
    const exchange = transport.open({ path: '/', headers: {} }, recorder);
    return { server, recorder, exchange, response: await responded.promise };
  }

  it('hands on a whole body decoded, and says no more that it was compressed', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(500_000) });
    for (const encoding of ['gzip', 'x-gzip', 'GZIP']) {
      const { transport } = await answering((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync(body));
      });
      const answer = await get(transport, '/');

      assert.equal(answer.body, body);
      assert.equal('content-encoding' in answer.headers, false);
    }
  });

  it('leaves a body that is not compressed as it is', async () => {
    for (const encoding of ['', 'identity']) {
      const { transport } = await answering((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end('{"a":1}');
      });
      assert.equal((await get(transport, '/')).body, '{"a":1}');
    }
  });

  it('asks for compression only when the request says so', async () => {
    const { transport } = await answering(({ headers }, response) => {
      response.end(String(headers['accept-encoding']));
    });
    const asked = new TextRecorder();
    transport.open({ path: '/', headers: { 'accept-encoding': 'gzip' } }, asked);
    await asked.over;

    assert.equal(asked.text, 'gzip');
    assert.equal((await get(transport, '/')).body, 'undefined');
  });

  it('decodes the body of a refusal', async () => {
    const { transport } = await answering((_request, response) => {
      response.writeHead(403, JSON_GZIP).end(gzipSync('{"kind":"Status"}'));
    });
    const answer = await get(transport, '/');

    assert.deepEqual([answer.status, answer.body], [403, '{"kind":"Status"}']);
  });

  const forms: [string, (events: readonly string[]) => Promise<Buffer[]>][] = [
    ['flushed within one gzip member', flushedTogether],
    ['each in a gzip member of its own', async (events) => events.map((event) => gzipSync(event))],
  ];
  for (const [form, compress] of forms) {
    it(`hands on events that are ${form} before the next one is sent`, async () => {
      const events = Array.from({ length: 20 }, (_, i) => `{"type":"ADDED","object":{"n":${i}}}\n`);
      const { recorder, response } = await streaming();
      let expected = '';
      for (const [i, part] of (await compress(events)).entries()) {
        response.write(part);
        expected += events[i] ?? '';
        await recorder.until('the event came', () => recorder.text.length >= expected.length);
        assert.equal(recorder.text, expected);
      }
      response.end();
      await recorder.over;

      assert.equal(recorder.error, undefined);
    });
  }

  it('hands on all that a real watch has sent so far, wherever its bytes are cut', async () => {
    const body = readFileSync(new URL('../fixtures/wire/watchlist-gzip.body', import.meta.url));
    const { recorder, response } = await streaming();
    for (let at = 0; at < body.length; at += 53) {
      response.write(body.subarray(at, at + 53));
      const prefix = gunzipSync(body.subarray(0, at + 53), { finishFlush: constants.Z_SYNC_FLUSH });
      await recorder.until('all of it came', () => recorder.text.length >= prefix.toString('latin1').length);
      assert.equal(recorder.text, prefix.toString('latin1'));
    }
    response.end();
    await recorder.over;

    const lines = recorder.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.at(-1).type, 'BOOKMARK');
    assert.equal(recorder.error, undefined);
  });

  it('decodes members that are cut byte by byte', async () => {
    const body = Buffer.concat(['{"a":1}\n', '', '{"b":2}\n'].map((text) => gzipSync(text)));
    const { recorder, response } = await streaming();
    for (const byte of body) {
      response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    response.end();
    await recorder.over;

    assert.equal(recorder.text, '{"a":1}\n{"b":2}\n');
    assert.equal(recorder.error, undefined);
  });

  it('ends an empty body', async () => {
    const { recorder, response } = await streaming();
    response.end();
    await recorder.over;

    assert.deepEqual(recorder.told, ['response 200', 'end']);
  });

  it('stops reading while paused, so that the server can send no more, and goes on after resume', async () => {
    // Random text does not shrink: what the server could send is what was read.
    const part = gzipSync(randomText(PART), { level: 0 });
    const parts = 512;
    let sent = 0;
    const { transport } = await answering(async (_request, response) => {
      response.writeHead(200, JSON_GZIP);
      for (; sent < parts; sent++) if (!response.write(part)) await once(response, 'drain');
      response.end();
    });
    const recorder = new Recorder();
    const exchange = transport.open({ path: '/', headers: {} }, recorder);
    await recorder.toldAtLeast(2);
    exchange.pause();
    const bytesWhenPaused = recorder.bytes;
    await untilItStands(() => sent + recorder.bytes);
    assert.ok(recorder.bytes <= bytesWhenPaused + PART, `${recorder.bytes} bytes came while paused`);
    assert.ok(sent < parts, 'the server could send all of it');

    exchange.resume();
    await recorder.over;
    assert.equal(recorder.error, undefined);
    assert.equal(recorder.bytes, parts * PART);
  });

  it('is not flooded by a body that becomes a thousand times larger', async () => {
    const bytes = 64 << 20;
    const { transport } = await answering((_request, response) => {
      response.writeHead(200, JSON_GZIP).end(gzipSync(Buffer.alloc(bytes, 0x20)));
    });
    const recorder = new Recorder();
    const exchange = transport.open({ path: '/', headers: {} }, recorder);
    await recorder.toldAtLeast(2);
    exchange.pause();
    const paused = recorder.bytes;
    await untilItStands(() => recorder.bytes);
    assert.ok(recorder.bytes <= paused + PART);
    assert.equal(recorder.told.includes('end'), false);

    exchange.resume();
    await recorder.over;
    assert.equal(recorder.bytes, bytes);
  });

  it('remembers a pause from before the response', async () => {
    const { transport } = await answering((_request, response) => {
      response.writeHead(200, JSON_GZIP).end(gzipSync('{}'));
    });
    const recorder = new TextRecorder();
    const exchange = transport.open({ path: '/', headers: {} }, recorder);
    exchange.pause();
    await recorder.toldAtLeast(1);
    await untilItStands(() => recorder.told.length);
    assert.deepEqual(recorder.told, ['response 200']);

    exchange.resume();
    await recorder.over;
    assert.equal(recorder.text, '{}');
  });

  it('is silent after an abort, whatever is still to be decoded, and closes the socket', async () => {
    const { server, recorder, exchange, response } = await streaming();
    const part = (await flushedTogether(['{"a":1}\n']))[0]!;
    response.write(part);
    await recorder.toldAtLeast(2);
    const closed = once([...server.sockets][0]!, 'close');
    response.write(gzipSync('{"b":2}\n'));
    exchange.abort();
    exchange.abort();
    exchange.resume();
    await closed;
    await untilItStands(() => recorder.told.length);

    assert.deepEqual(recorder.told, ['response 200', 'data']);
  });

  it('is silent after an abort between the end of the response and the end of its body', async () => {
    const { transport } = await answering((_request, response) => {
      response.writeHead(200, JSON_GZIP).end(gzipSync(Buffer.alloc(PART * 40, 0x20)));
    });
    const recorder = new Recorder();
    const exchange = transport.open({ path: '/', headers: {} }, recorder);
    await recorder.toldAtLeast(2);
    exchange.pause();
    await untilItStands(() => recorder.told.length);
    const { length } = recorder.told;
    exchange.abort();
    await untilItStands(() => recorder.told.length);
    assert.equal(recorder.told.length, length);

    assert.equal((await get(transport, '/')).body.length, PART * 40);
  });

  it('reports a reset after all that came before it', async () => {
    const { server, recorder, response } = await streaming();
    response.write((await flushedTogether(['{"a":1}\n']))[0]!);
    await recorder.toldAtLeast(2);
    for (const socket of server.sockets) socket.resetAndDestroy();
    await recorder.over;

    assert.equal(recorder.text, '{"a":1}\n');
    assert.deepEqual(recorder.told, ['response 200', 'data', 'error']);
    assert.equal((recorder.error as TransportError).code, 'connection-reset');
  });

  it('gives what can be decoded of a body that ends in its middle', async () => {
    const { recorder, response } = await streaming();
    const whole = gzipSync(`{"text":"${randomText(1000)}"}`);
    response.end(whole.subarray(0, whole.length - 30));
    await recorder.over;

    assert.match(recorder.text, /^{"text":"/);
    assert.deepEqual(recorder.told.at(-1), 'end');
  });

  const corrupt: [string, Buffer][] = [
    ['bytes that are no gzip', Buffer.from('{"kind":"PodList"}')],
    [
      'a gzip header and no more sense',
      Buffer.concat([gzipSync('x').subarray(0, 10), Buffer.alloc(50, 0xff)]),
    ],
    ['a checksum that is wrong', flipped(gzipSync('{"a":1}'), -6)],
    ['something else behind', Buffer.concat([gzipSync('{"a":1}'), Buffer.from('\0\0and more text')])],
  ];
  for (const [what, body] of corrupt) {
    it(`reports ${what}, and closes the socket`, async () => {
      const { server, recorder, response } = await streaming();
      const closed = once([...server.sockets][0]!, 'close');
      response.write(body);
      await recorder.over;
      await closed;

      assert.ok(recorder.error instanceof TransportError);
      assert.equal(recorder.error.code, 'corrupt-encoding');
      assert.match(
        recorder.error.message,
        /^http:\/\/127\.0\.0\.1:\d+: the compressed body can't be decoded: .*proxy/,
      );
    });
  }

  it('refuses an encoding that it does not know', async () => {
    for (const encoding of ['deflate', 'br', 'gzip, gzip']) {
      const { recorder, response } = await streaming({ 'content-encoding': encoding });
      response.write(deflateSync('{}'));
      await recorder.over;

      assert.deepEqual(recorder.told, ['error']);
      assert.equal((recorder.error as TransportError).code, 'unknown-encoding');
      assert.ok(recorder.error!.message.includes(JSON.stringify(encoding)));
    }
  });

  it('tells the status of a refusal whose body it can’t read', async () => {
    const { transport } = await answering((_request, response) => {
      response.writeHead(503, { 'content-encoding': 'br' }).end('whatever');
    });
    const answer = await get(transport, '/');

    assert.deepEqual([answer.status, answer.body], [503, '']);
  });

  it('follows a watch of a server that compresses', async () => {
    const server = await FakeApiServer.start({ gzip: true, seed: 11 });
    const broker = new CredentialsBroker();
    const kubeConfig = server.kubeConfig();
    const transport = new UndiciTransport((refresh) => broker.connectionInfo(kubeConfig, refresh));
    cleanups.push(
      () => server.stop(),
      () => transport.close(),
    );
    await server.seedPods(200);
    const list = new TextRecorder();
    transport.open(gzipped('/api/v1/pods'), list);
    await list.over;
    const items = JSON.parse(list.text).items as object[];
    assert.equal(items.length, 200);

    const watch = new TextRecorder();
    const version = JSON.parse(list.text).metadata.resourceVersion;
    const exchange = transport.open(gzipped(`/api/v1/pods?watch=1&resourceVersion=${version}`), watch);
    await watch.toldAtLeast(1);
    for (let round = 1; round <= 5; round++) {
      server.create('pods', { ...items[round], metadata: { namespace: 'default', name: `new-${round}` } });
      await watch.until('the change came', () => watch.text.split('\n').length === round + 1);
    }
    exchange.abort();

    const events = watch.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    assert.deepEqual(events, Array(5).fill('ADDED'));
  });
});

function gzipped(path: string): ApiRequest {
  return { path, headers: { accept: 'application/json', 'accept-encoding': 'gzip' } };
}

/** Also keeps the text that came. */
class TextRecorder extends Recorder {
  text = '';

  override onData(chunk: Uint8Array): void {
    this.text += Buffer.from(chunk).toString('latin1');
    super.onData(chunk);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    const endMs = performance.now() + 10_000;
    while (!holds()) {
      if (performance.now() > endMs)
        throw new Error(`waited for 10 s until ${what}; got ${this.told.join(', ')}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** One gzip member, flushed behind each text; the last part ends it. */
async function flushedTogether(texts: readonly string[]): Promise<Buffer[]> {
  const gzip = createGzip();
  const parts: Buffer[] = [];
  let chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  for (const text of texts) {
    gzip.write(text);
    await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
    parts.push(Buffer.concat(chunks));
    chunks = [];
  }
  gzip.end();
  await once(gzip, 'end');
  parts.push(Buffer.concat(chunks));
  return parts;
}

/** Printable characters that a seed repeats. */
function randomText(length: number): string {
  const bytes = Buffer.alloc(length);
  let state = 12345;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = 0x61 + ((state >>> 16) % 26);
  }
  return bytes.toString('latin1');
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = copy.length + at;
  copy[index] = copy[index]! ^ 0xff;
  return copy;
}

/** Resolves when a number did not change for many turns of the event loop. */
async function untilItStands(read: () => number): Promise<void> {
  const turns = 200;
  for (let same = 0, last = read(); same < turns; same++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (read() !== last) same = 0;
    last = read();
  }
}
