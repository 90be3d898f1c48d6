import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { Reflector } from '../../src/reflector/index.ts';
import { type ConnectionInfo, UndiciTransport } from '../../src/transport/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { FakeSink } from '../reflector/fake-sink.ts';
import { Authority } from './certificates.ts';
import { serve } from './servers.ts';

const LIST = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '10' }, items: [] };
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a reflector over TLS', () => {
  it('whose watch ends cleanly a hundred times, one after the other, opens one socket (B32)', async () => {
    const scene = await setUp(() => ({}));
    await follow(scene, 101);

    assert.equal(scene.server.sockets.size, 1);
    assert.deepEqual(scene.sink.errors, []);
  });

  it('keeps that socket while its token changes each time', async () => {
    const scene = await setUp((count) => ({
      headers: { Authorization: `Bearer ${count}` },
    }));
    await follow(scene, 21);

    assert.equal(scene.server.sockets.size, 1);
    assert.deepEqual(scene.watches.slice(0, 2), ['Bearer 2', 'Bearer 3']);
  });
});

/** Each watch of the server brings a bookmark and ends. */
async function setUp(part: (count: number) => Partial<ConnectionInfo>) {
  const authority = await Authority.create('kubering test');
  const watches: string[] = [];
  const server = await serve(
    (request, response) => {
      response.setHeader('content-type', 'application/json');
      if (!request.url!.includes('watch=')) {
        response.end(JSON.stringify(LIST));
        return;
      }
      watches.push(request.headers.authorization ?? '');
      const object = {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { resourceVersion: String(10 + watches.length) },
      };
      response.end(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    },
    await authority.issue('server', { isServer: true }),
  );
  let asked = 0;
  const transport = new UndiciTransport(async () => ({
    server: server.url,
    headers: {},
    tls: { ca: authority.cert },
    ...part(++asked),
  }));
  const clock = new FakeClock();
  const sink = new FakeSink();
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const reflector = new Reflector({ resource, transport, sink, clock, random: () => 0 });
  cleanups.push(
    () => server.close(),
    () => transport.close(),
    () => reflector.stop(),
  );
  return { reflector, clock, sink, server, watches };
}

/** Lets the delay between two watches pass at once, and no other time. */
async function follow(
  { reflector, clock, sink, watches }: Awaited<ReturnType<typeof setUp>>,
  count: number,
): Promise<void> {
  reflector.start();
  while (watches.length < count) {
    await new Promise((resolve) => setImmediate(resolve));
    if (sink.states.at(-1) === 'backingOff') clock.advance(1000);
  }
}
