import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { request } from 'undici';
import type { FakeApiServer, Fault } from '../../src/testing/index.ts';
import { call, configMap, fill, startServer, WIDGETS, watch } from './helpers.ts';

const MAPS = '/api/v1/configmaps';

for (const tls of [false, true]) {
  describe(`testing: broken connections, ${tls ? 'TLS' : 'plain'}`, () => {
    for (const fault of ['cut', 'reset'] as const) {
      it(`${fault}: before an answer`, async (t) => {
        const server = await startWith(t, { fault, times: 1 }, tls);
        const client = clientOf(server);
        await assert.rejects(client(MAPS), fault === 'reset' ? /ECONNRESET/ : /socket|closed|ECONNRESET/i);
        assert.equal(await client(MAPS), 200);
        assert.equal(server.requests[0]!.status, 0);
      });

      it(`${fault}: in the middle of a list`, async (t) => {
        const server = await startWith(t, { fault, afterBytes: 3000, on: 'list' }, tls);
        await assert.rejects(clientOf(server)(MAPS));
        assert.equal(server.stats.bytesSent, 3000);
      });
    }
  });
}

describe('testing: faults', () => {
  it('cut: a watch after so many events, which all arrive', async (t) => {
    const server = await startWith(t, { fault: 'cut', on: 'watch', afterItems: 3 });
    const events = await watch(server, `${MAPS}?watch=1`);
    assert.deepEqual(await events.take(3), ['ADDED c000', 'ADDED c001', 'ADDED c002']);
    await assert.rejects(events.line());
  });

  it('cut: a list after so many items', async (t) => {
    const server = await startWith(t, { fault: 'cut', on: 'list', afterItems: 2 });
    const { body } = await request(server.url + MAPS);
    let text = '';
    await assert.rejects(async () => {
      for await (const chunk of body) text += chunk;
    });
    assert.equal(text.split('"uid"').length - 1, 2);
  });

  it('silence: before an answer, and the connection stays', async (t) => {
    const server = await startWith(t, { fault: 'silence', times: 1 });
    const never = call(server, MAPS).then(
      () => 'answered',
      () => 'broken',
    );
    await call(server, MAPS);
    assert.equal(server.requests[0]!.durationMs, undefined);
    assert.equal(server.stats.openSockets >= 1, true);
    assert.equal(server.dropConnections() >= 1, true);
    assert.equal(await never, 'broken');
  });

  it('silence: in a watch, where nothing follows and nothing is kept', async (t) => {
    const server = await startWith(t, { fault: 'silence', on: 'watch', afterItems: 1, times: 1 });
    const dead = await watch(server, `${MAPS}?watch=1`);
    assert.deepEqual(await dead.take(1), ['ADDED c000']);
    server.create('configmaps', configMap('new'));
    const alive = await watch(server, `${MAPS}?watch=1`);
    assert.equal((await alive.take(5)).at(-1), 'ADDED new');
    let isSilent = true;
    const line = dead.line().then(
      () => (isSilent = false),
      () => {},
    );
    await call(server, MAPS);
    assert.equal(isSilent, true);
    assert.equal(server.stats.openWatches, 2);
    server.dropConnections();
    await line;
  });

  it('delay: the answer comes, and stopping the server does not wait for it', async (t) => {
    const server = await startWith(t, { fault: 'delay', milliseconds: 5, times: 1 });
    assert.equal((await call(server, MAPS)).status, 200);
    server.faults.add({ fault: 'delay', milliseconds: 1_000_000 });
    const waiting = assert.rejects(call(server, MAPS));
    while (server.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await server.stop();
    await waiting;
  });

  for (const code of [401, 403, 404, 410, 429, 500, 503]) {
    it(`status: ${code} with a Status body`, async (t) => {
      const server = await startWith(t, { fault: 'status', code, retryAfterSeconds: 7, times: 1 });
      const { status, json, headers } = await call(server, MAPS);
      assert.deepEqual([status, json.code, json.kind, headers['retry-after']], [code, code, 'Status', '7']);
      assert.equal((await call(server, MAPS)).status, 200);
    });
  }

  it('status: a body of HTML, as a proxy sends it', async (t) => {
    const server = await startWith(t, { fault: 'status', code: 502, body: '<html>Bad Gateway</html>' });
    const { status, text, headers } = await call(server, MAPS);
    assert.deepEqual([status, text, headers['content-type']], [502, '<html>Bad Gateway</html>', 'text/html']);
  });

  it('wrong-content: 200 with a Status instead of a list', async (t) => {
    const server = await startWith(t, { fault: 'wrong-content', on: 'list' });
    const { status, json } = await call(server, MAPS);
    assert.deepEqual([status, json.kind], [200, 'Status']);
  });

  it('garbage, error-event and truncated: lines between and instead of events', async (t) => {
    const server = await startServer(t);
    fill(server, 4);
    server.faults.add({ fault: 'garbage', afterItems: 1 });
    server.faults.add({ fault: 'error-event', code: 500, afterItems: 2 });
    server.faults.add({ fault: 'truncated', afterItems: 3 });
    const events = await watch(server, `${MAPS}?watch=1`);
    assert.deepEqual(await events.take(1), ['ADDED c000']);
    assert.throws(() => JSON.parse('this line is not JSON'), SyntaxError);
    assert.match((await events.line())!, /^this line is not JSON/);
    assert.deepEqual(await events.take(1), ['ADDED c001']);
    const error = await events.event();
    assert.deepEqual([error.type, error.object.code], ['ERROR', 500]);
    assert.deepEqual(await events.take(1), ['ADDED c002']);
    await assert.rejects(events.event(), SyntaxError);
    server.create('configmaps', configMap('new'));
    assert.deepEqual(await events.take(1), ['ADDED new']);
  });

  it('invalid-utf8: one item of a list, one event of a watch', async (t) => {
    const server = await startWith(t, { fault: 'invalid-utf8', afterItems: 1 });
    const { body } = await request(server.url + MAPS);
    const bytes = Buffer.from(await body.arrayBuffer());
    assert.equal(bytes.filter((byte) => byte === 0xff).length, 1);
    const list = JSON.parse(bytes.toString());
    assert.equal(list.items.length, 4);
    assert.match(list.items[1].metadata.creationTimestamp, /\uFFFD/);
  });

  it('nameless: one item of a list, one event of a watch', async (t) => {
    const server = await startWith(t, { fault: 'nameless', afterItems: 2 });
    const { json } = await call(server, MAPS);
    assert.deepEqual(
      json.items.map((item: { metadata: object }) => 'name' in item.metadata),
      [true, true, false, true],
    );
    const events = await watch(server, `${MAPS}?watch=1`);
    assert.deepEqual((await events.take(4))[2], 'ADDED undefined');
  });

  it('lost: events of a watch, and those behind them come', async (t) => {
    const server = await startWith(t, { fault: 'lost', on: 'watch', afterItems: 1 });
    server.faults.add({ fault: 'lost', on: 'watch', afterItems: 2 });
    const events = await watch(server, `${MAPS}?watch=1`);
    assert.deepEqual(await events.take(2), ['ADDED c000', 'ADDED c003']);
  });

  it('no-bookmarks: not even the one that ends a watch list', async (t) => {
    const server = await startWith(t, { fault: 'no-bookmarks' }, false, 2);
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = await watch(server, `${MAPS}?${query}&timeoutSeconds=1`);
    await events.take(4);
    assert.equal(await events.line(), undefined);
    assert.equal(server.stats.bookmarksSent, 0);
  });

  it('hit only the requests in their scope, and only so often', async (t) => {
    const server = await startServer(t, { resources: [WIDGETS] });
    const id = server.faults.add({
      fault: 'status',
      code: 500,
      on: 'list',
      resource: 'configmaps',
      skip: 1,
      times: 2,
    });
    const codes = [];
    for (let i = 0; i < 5; i++) codes.push((await call(server, MAPS)).status);
    assert.deepEqual(codes, [200, 500, 500, 200, 200]);
    assert.equal((await call(server, '/api/v1/pods')).status, 200);
    assert.equal(server.faults.hits(id), 2);
  });

  it('can be switched off one by one, or all', async (t) => {
    const server = await startServer(t);
    const id = server.faults.add({ fault: 'status', code: 500 });
    server.faults.remove(id);
    assert.equal((await call(server, MAPS)).status, 200);
    server.faults.add({ fault: 'status', code: 500 });
    server.faults.clear();
    assert.equal((await call(server, MAPS)).status, 200);
  });

  it('strike by chance, the same way for the same seed', async (t) => {
    const codesOf = async (seed: number) => {
      const server = await startServer(t, { seed });
      server.faults.add({ fault: 'status', code: 500, probability: 0.5 });
      const codes = [];
      for (let i = 0; i < 12; i++) codes.push((await call(server, MAPS)).status);
      return codes;
    };
    const codes = await codesOf(5);
    assert.deepEqual(await codesOf(5), codes);
    assert.ok(codes.includes(200) && codes.includes(500));
  });
});

async function startWith(
  t: TestContext,
  fault: Fault,
  tls = false,
  bookmarkIntervalMs?: number,
): Promise<FakeApiServer> {
  const server = await startServer(t, { tls, ...(bookmarkIntervalMs ? { bookmarkIntervalMs } : {}) });
  fill(server, 4);
  if ('afterBytes' in fault) fill2(server);
  server.faults.add(fault);
  return server;
}

/** More than a fault's bytes. */
function fill2(server: FakeApiServer): void {
  for (let i = 0; i < 50; i++) server.create('configmaps', configMap(`more${i}`));
}

/** GETs a path to its end. @returns the status */
function clientOf(server: FakeApiServer): (path: string) => Promise<number> {
  return async (path) => {
    const { get } = server.url.startsWith('https') ? await import('node:https') : await import('node:http');
    return new Promise<number>((resolve, reject) => {
      const options = { agent: false as const, rejectUnauthorized: false };
      get(server.url + path, options, (response) => {
        response.on('error', reject);
        response.on('end', () => resolve(response.statusCode!));
        response.resume();
      }).on('error', reject);
    });
  };
}
