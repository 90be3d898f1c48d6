import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGunzip } from 'node:zlib';
import { request } from 'undici';
import {
  call,
  configMap,
  fill,
  short,
  startServer,
  WatchReader,
  WIDGETS,
  watch,
  widget,
  wire,
} from './helpers.ts';

const CONFIG_MAPS = '/api/v1/configmaps?watch=1';
const FINE_BOOKMARKS = { bookmarkIntervalMs: 5 };

describe('testing: watch', () => {
  it('sends what is written after its resourceVersion, in order', async (t) => {
    const server = await startServer(t);
    fill(server, 2);
    const from = server.resourceVersion;
    server.create('configmaps', configMap('a'));
    const events = await watch(server, `${CONFIG_MAPS}&resourceVersion=${from}`);
    server.patch('configmaps', 'default/a', { data: { x: '1' } });
    server.delete('configmaps', 'default/a');
    server.create('configmaps', configMap('a'));
    assert.deepEqual(await events.take(4), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
    assert.equal(events.response.headers['content-length'], undefined);
  });

  it('prints events of custom resources as the real server does', async (t) => {
    const real = wire('watch-widgets')
      .trimEnd()
      .split('\n')
      .slice(0, 4)
      .map((line) => JSON.parse(line));
    const server = await startServer(t, { resources: [WIDGETS], resourceVersion: 858 });
    const [added, modified, relabelled] = real.map((event) => event.object);
    server.create('widgets', { ...added, metadata: { ...added.metadata, resourceVersion: undefined } });
    const current = (object: typeof added) => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion: undefined },
    });
    server.update('widgets', current(modified));
    server.update('widgets', current(relabelled));
    server.delete('widgets', 'default/w1');
    const events = await watch(server, '/apis/example.com/v1/widgets?watch=true&resourceVersion=858');
    const lines = [await events.line(), await events.line(), await events.line(), await events.line()];
    assert.deepEqual(lines, wire('watch-widgets').split('\n').slice(0, 4));
  });

  it('prints kind and apiVersion first in events of built-in kinds', async (t) => {
    const server = await startServer(t);
    await server.seedPods(1);
    const events = await watch(server, '/api/v1/pods?watch=true');
    const start = '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"';
    assert.equal((await events.line())!.slice(0, start.length), start);
  });

  for (const resourceVersion of ['', '0']) {
    it(`starts with an ADDED for each object when resourceVersion is "${resourceVersion}"`, async (t) => {
      const server = await startServer(t);
      fill(server, 2);
      const events = await watch(server, `${CONFIG_MAPS}&resourceVersion=${resourceVersion}`);
      server.create('configmaps', configMap('later'));
      assert.deepEqual(await events.take(3), ['ADDED c000', 'ADDED c001', 'ADDED later']);
    });
  }

  it('gives the deleted object with its last state and the resourceVersion of the deletion', async (t) => {
    const server = await startServer(t);
    server.create('configmaps', configMap('a', { data: { x: '1' } }));
    const events = await watch(server, `${CONFIG_MAPS}&resourceVersion=${server.resourceVersion}`);
    server.delete('configmaps', 'default/a');
    const { type, object } = await events.event();
    assert.equal(type, 'DELETED');
    assert.deepEqual(object.data, { x: '1' });
    assert.equal(object.metadata.resourceVersion, server.resourceVersion);
  });

  it('turns updates that enter and leave the selection into ADDED and DELETED', async (t) => {
    const server = await startServer(t);
    server.create('configmaps', configMap('a', { labels: { app: 'web' }, data: { x: '1' } }));
    const query = `&labelSelector=${encodeURIComponent('app in (web)')}&resourceVersion=${server.resourceVersion}`;
    const events = await watch(server, CONFIG_MAPS + query);
    server.patch('configmaps', 'default/a', { metadata: { labels: { app: 'db' } }, data: { x: '2' } });
    server.patch('configmaps', 'default/a', { data: { x: '3' } });
    server.patch('configmaps', 'default/a', { metadata: { labels: { app: 'web' } } });
    server.patch('configmaps', 'default/a', { data: { x: '4' } });
    const left = await events.event();
    assert.equal(short(left), 'DELETED a');
    assert.deepEqual(left.object.data, { x: '1' });
    assert.deepEqual(await events.take(2), ['ADDED a', 'MODIFIED a']);
  });

  it('watches one namespace by path, and one object only by a selector', async (t) => {
    const server = await startServer(t);
    fill(server, 3);
    const path = '/api/v1/namespaces/default/configmaps';
    const one = await watch(server, `${path}?watch=1&fieldSelector=metadata.name=c001`);
    assert.deepEqual(await one.take(1), ['ADDED c001']);
    assert.equal((await call(server, `${path}/c001?watch=1`)).json.kind, 'ConfigMap');
    server.create('configmaps', { metadata: { name: 'x', namespace: 'other' } });
    const other = await watch(server, '/api/v1/namespaces/other/configmaps?watch=1');
    assert.deepEqual(await other.take(1), ['ADDED x']);
  });

  it('answers a forgotten resourceVersion with an ERROR event like that of the real server', async (t) => {
    const server = await startServer(t, { resourceVersion: 893 });
    fill(server, 2);
    server.compact();
    const events = await watch(server, `${CONFIG_MAPS}&resourceVersion=1`);
    assert.equal(events.response.statusCode, 200);
    assert.equal(`${await events.line()}\n`, wire('watch-rv-too-old'));
    assert.equal(await events.line(), undefined);
  });

  it('answers a forgotten resourceVersion with status 410 when told so', async (t) => {
    const server = await startServer(t, { tooOldAs: 'status' });
    fill(server, 2);
    server.compact();
    const { status, json } = await call(server, `${CONFIG_MAPS}&resourceVersion=1`);
    assert.equal(status, 410);
    assert.equal(json.reason, 'Expired');
  });

  it('forgets what does not fit into its history', async (t) => {
    const server = await startServer(t, { historyEvents: 3, resourceVersion: 100 });
    fill(server, 10);
    const events = await watch(server, `${CONFIG_MAPS}&resourceVersion=107`);
    assert.deepEqual(await events.take(3), ['ADDED c007', 'ADDED c008', 'ADDED c009']);
    const tooOld = await watch(server, `${CONFIG_MAPS}&resourceVersion=106`);
    assert.equal((await tooOld.event()).object.code, 410);
  });

  it('answers a resourceVersion that is none as the real server does', async (t) => {
    const server = await startServer(t);
    const { status, text } = await call(server, `${CONFIG_MAPS}&resourceVersion=abc`);
    assert.equal(status, 500);
    assert.equal(text, wire('watch-bad-rv'));
  });

  it('waits at a resourceVersion that it has not reached', async (t) => {
    const server = await startServer(t, { resourceVersion: 10 });
    const events = await watch(server, `${CONFIG_MAPS}&resourceVersion=12`);
    fill(server, 3);
    assert.deepEqual(await events.take(1), ['ADDED c002']);
  });

  it('ends cleanly after timeoutSeconds', async (t) => {
    const server = await startServer(t);
    fill(server, 1);
    const events = await watch(server, `${CONFIG_MAPS}&timeoutSeconds=1`);
    assert.deepEqual(await events.take(1), ['ADDED c000']);
    assert.equal(await events.event(), undefined);
    assert.equal(server.stats.openWatches, 0);
  });

  it('sends bookmarks with the resourceVersion of the whole server, if they are allowed', async (t) => {
    const server = await startServer(t, FINE_BOOKMARKS);
    server.create('secrets', { metadata: { name: 's', namespace: 'default' } });
    const events = await watch(server, '/api/v1/pods?watch=1&allowWatchBookmarks=true');
    const line = await events.line();
    const end = wire('watchlist-pods-web').trimEnd().split('\n').at(-1)!;
    const expected = end
      .replace(',"annotations":{"k8s.io/initial-events-end":"true"}', '')
      .replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${server.resourceVersion}"`);
    assert.equal(line, expected);
    const silent = await watch(server, '/api/v1/pods?watch=1&timeoutSeconds=1');
    assert.equal(await silent.line(), undefined);
  });

  it('sends one batch to many watches, and the same bytes to each', async (t) => {
    const server = await startServer(t);
    const watches = await Promise.all(Array.from({ length: 5 }, () => watch(server, CONFIG_MAPS)));
    fill(server, 200);
    const lines = await Promise.all(watches.map(async (events) => (await events.take(200)).join()));
    assert.equal(new Set(lines).size, 1);
    assert.equal(server.stats.eventsSent, 1000);
  });

  it('ends a watch that is slower than the history is long, without keeping its events', async (t) => {
    const server = await startServer(t, { historyEvents: 100 });
    await server.seedPods(500);
    const events = await watch(server, `/api/v1/pods?watch=1&resourceVersion=${server.resourceVersion}`);
    await server.churn({ rate: Number.POSITIVE_INFINITY, count: 20_000 });
    let last = await events.event();
    for (let next = last; next !== undefined; next = await events.event()) last = next;
    assert.equal(last.type, 'ERROR');
    assert.equal(last.object.code, 410);
    assert.equal(server.stats.watchesTooSlow, 1);
  });

  it('is not compressed', async (t) => {
    const server = await startServer(t, { gzip: true });
    const events = await watch(server, CONFIG_MAPS, { 'accept-encoding': 'gzip' });
    assert.equal(events.response.headers['content-encoding'], undefined);
    events.close();
  });

  it('lets all watches fall silent on demand, and keeps their connections', async (t) => {
    const server = await startServer(t);
    const dead = await watch(server, CONFIG_MAPS);
    assert.equal(server.silenceWatches(), 1);
    server.create('configmaps', configMap('a'));
    const alive = await watch(server, CONFIG_MAPS);
    assert.deepEqual(await alive.take(1), ['ADDED a']);
    assert.equal(server.stats.openWatches, 2);
    server.dropConnections('reset');
    await assert.rejects(dead.line());
    await assert.rejects(alive.line());
  });

  it('ends all watches on demand', async (t) => {
    const server = await startServer(t);
    const events = await watch(server, CONFIG_MAPS);
    assert.equal(server.closeWatches(), 1);
    assert.equal(await events.line(), undefined);
  });
});

describe('testing: watch list', () => {
  const QUERY = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

  it('marks the end of the initial events as the real server does', async (t) => {
    const server = await startServer(t, { resources: [WIDGETS], resourceVersion: 851 });
    const real = wire('watchlist-widgets').split('\n');
    const { object } = JSON.parse(real[0]!);
    server.create('widgets', { ...object, metadata: { ...object.metadata, resourceVersion: undefined } });
    server.skipTo(855);
    const events = await watch(server, `/apis/example.com/v1/widgets?${QUERY}`);
    assert.deepEqual([await events.line(), await events.line()], real.slice(0, 2));
    server.create('widgets', widget('later'));
    assert.deepEqual(await events.take(1), ['ADDED later']);
  });

  it('marks the end for built-in kinds as the real server does', async (t) => {
    const server = await startServer(t, { resourceVersion: 855 });
    const events = await watch(server, `/api/v1/pods?${QUERY}`);
    assert.equal(await events.line(), wire('watchlist-pods-web').trimEnd().split('\n').at(-1));
  });

  it('marks the end with the resourceVersion of the state that was sent, not with a later one', async (t) => {
    const server = await startServer(t);
    await server.seedPods(2000);
    const state = server.resourceVersion;
    const events = await watch(server, `/api/v1/pods?${QUERY}`);
    await server.churn({ rate: Number.POSITIVE_INFINITY, count: 100 });
    const seen = await events.take(2001);
    assert.equal(seen[2000], `BOOKMARK ${state}`);
    assert.match((await events.take(1))[0]!, /^MODIFIED/);
  });

  it('is compressed so that each event can be read when it comes', async (t) => {
    const server = await startServer(t, { gzip: true });
    const response = await request(`${server.url}/api/v1/configmaps?${QUERY}`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    assert.equal(response.headers['content-encoding'], 'gzip');
    const body = response.body.pipe(createGunzip());
    const events = new WatchReader({ ...response, body } as never);
    assert.match((await events.take(1))[0]!, /^BOOKMARK/);
    for (const name of ['a', 'b']) {
      server.create('configmaps', configMap(name));
      assert.deepEqual(await events.take(1), [`ADDED ${name}`]);
    }
  });

  it('from a resourceVersion to come ends with an ERROR event', async (t) => {
    const server = await startServer(t);
    const events = await watch(server, `/api/v1/pods?${QUERY}&resourceVersion=99999999`);
    const { type, object } = await events.event();
    assert.deepEqual([type, object.code, object.reason], ['ERROR', 504, 'Timeout']);
    assert.equal(await events.line(), undefined);
  });

  it('refuses sendInitialEvents without NotOlderThan', async (t) => {
    const server = await startServer(t);
    assert.equal((await call(server, '/api/v1/pods?watch=1&sendInitialEvents=true')).status, 422);
  });

  for (const [watchList, status] of [
    ['forbidden', 422],
    ['bad-request', 400],
  ] as const) {
    it(`can be refused with ${status}, as by an older server`, async (t) => {
      const server = await startServer(t, { watchList });
      const answer = await call(server, `/api/v1/pods?${QUERY}`);
      assert.equal(answer.status, status);
      assert.match(answer.json.message, /WatchList feature gate/);
    });
  }

  it('can be ignored, as by a server that does not know it', async (t) => {
    const server = await startServer(t, { watchList: 'ignored', ...FINE_BOOKMARKS });
    fill(server, 1);
    const events = await watch(server, `/api/v1/configmaps?${QUERY}`);
    assert.deepEqual(await events.take(2), ['ADDED c000', `BOOKMARK ${server.resourceVersion}`]);
  });
});
