import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import {
  BenchServerProcess,
  OBJECT_BYTES,
  type ObjectKind,
  pathOf,
  resourceOf,
} from '../../bench/server/index.ts';
import { KeptObjects } from '../../bench/server/kept-objects.ts';
import { MadeObjects } from '../../bench/server/made-objects.ts';
import { BenchServer, type ServerOptions } from '../../bench/server/server.ts';

const PODS = '/api/v1/pods';
const SEED = 7;

interface Item {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    managedFields?: unknown[];
  };
}

interface List {
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: Item[];
}

interface Event {
  type: string;
  object: Item & { kind: string; apiVersion: string; code?: number };
}

describe('bench server', () => {
  it('lists realistic Pods with managedFields, a share of them with text that is not ASCII', async () => {
    await withServer({ objects: 1000 }, async (url) => {
      const list = await getList(url + PODS);

      assert.equal(list.kind, 'PodList');
      assert.equal(list.items.length, 1000);
      assert.equal(new Set(list.items.map(keyOf)).size, 1000);
      const bytes = Buffer.byteLength(JSON.stringify(list.items)) / 1000;
      assert.ok(Math.abs(bytes / OBJECT_BYTES.pod - 1) < 0.1, `${bytes} bytes each`);
      assert.ok(list.items.every(({ metadata }) => metadata.managedFields!.length === 2));
      const notes = list.items.filter(({ metadata }) => /東京/.test(JSON.stringify(metadata.annotations)));
      assert.equal(notes.length, 100);
    });
  });

  for (const kind of ['custom', 'configmap100k'] as const) {
    it(`lists objects of kind ${kind} of the size that is promised`, async () => {
      await withServer({ kind, objects: 60 }, async (url) => {
        const text = await getText(url + pathOf(resourceOf(kind)));
        const { items } = JSON.parse(text) as List;

        assert.equal(items.length, 60);
        assert.ok(Math.abs(Buffer.byteLength(text) / 60 / OBJECT_BYTES[kind] - 1) < 0.1);
        if (kind === 'custom')
          assert.deepEqual(Object.keys(items[0]!.metadata), Object.keys(items[0]!.metadata).sort());
      });
    });
  }

  it('gives pages to whoever wants them, and the whole at resourceVersion 0', async () => {
    await withServer({ objects: 1100 }, async (url) => {
      const first = await getList(`${url}${PODS}?limit=500`);
      const second = await getList(`${url}${PODS}?limit=500&continue=${first.metadata.continue}`);
      const third = await getList(`${url}${PODS}?limit=500&continue=${second.metadata.continue}`);
      const whole = await getList(`${url}${PODS}?limit=500&resourceVersion=0`);

      assert.deepEqual([first.items.length, second.items.length, third.items.length], [500, 500, 100]);
      assert.equal(first.metadata.remainingItemCount, 600);
      assert.equal(third.metadata.continue, undefined);
      assert.deepEqual([...first.items, ...second.items, ...third.items], whole.items);
    });
  });

  it('compresses lists for clients that accept it', async () => {
    await withServer({ objects: 50, gzip: true }, async (url) => {
      const { headers, body } = await request(url + PODS, { headers: { 'accept-encoding': 'gzip' } });
      const bytes = Buffer.from(await body.arrayBuffer());

      assert.equal(headers['content-encoding'], 'gzip');
      assert.equal((JSON.parse(gunzipSync(bytes).toString()) as List).items.length, 50);
    });
  });

  it('ends the initial events of a WatchList with the bookmark that says so', async () => {
    await withServer({ objects: 30 }, async (url) => {
      const query =
        'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const events = await watchEvents(`${url}${PODS}?${query}`, 31);

      assert.deepEqual([...new Set(events.slice(0, 30).map(({ type }) => type))], ['ADDED']);
      const bookmark = events[30]!;
      assert.equal(bookmark.type, 'BOOKMARK');
      assert.deepEqual(bookmark.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
    });
  });

  for (const kind of ['pod', 'custom'] as const) {
    it(`tells a watch of each change, with a resourceVersion of its own, as it then lists it (${kind})`, async () => {
      await withServer({ kind, objects: 40, spare: 10 }, async (url, server) => {
        const path = pathOf(resourceOf(kind));
        const before = await getList(url + path);
        const watch = watchEvents(
          `${url}${path}?watch=true&resourceVersion=${before.metadata.resourceVersion}`,
          200,
        );
        await watchIsOpen(server);
        const result = await server.churn({ events: 200, mix: 'mixed' });
        const events = await watch;

        const model = new Map(before.items.map((item) => [keyOf(item), item.metadata]));
        for (const { type, object } of events) {
          assert.equal(object.kind, resourceOf(kind).kind);
          assert.equal(model.has(keyOf(object)), type !== 'ADDED');
          if (type === 'DELETED') model.delete(keyOf(object));
          else model.set(keyOf(object), object.metadata);
        }
        const after = await getList(url + path);
        assert.deepEqual(model, new Map(after.items.map((item) => [keyOf(item), item.metadata])));
        const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
        const first = Number(before.metadata.resourceVersion) + 1;
        assert.deepEqual(
          versions,
          Array.from(versions, (_, i) => first + i),
        );
        assert.deepEqual(countsOf(events), {
          adds: result.adds,
          updates: result.updates,
          deletes: result.deletes,
        });
        assert.ok(result.adds > 0 && result.deletes > 0);
        assert.equal(events.at(-1)!.type, 'MODIFIED');
      });
    });
  }

  it('gives an object that comes back under its name another uid', () => {
    const objects = new KeptObjects(
      { kind: 'pod', resource: resourceOf('pod'), seed: SEED, objects: 1 },
      1e9,
    );
    const uid = () => /"uid":"(.*?)"/.exec(Buffer.concat([...objects.page(0, 1).chunks]).toString())![1];
    const before = uid();
    objects.delete(0, 1e9 + 1);
    objects.create(0, 1e9 + 2);

    assert.notEqual(uid(), before);
  });

  it('knows the hash of what it lists', async () => {
    await withServer({ objects: 300, spare: 20 }, async (url, server) => {
      const list = await getList(url + PODS);
      assert.equal(server.truth().hash, hashOf(list.items));
      const watch = watchEvents(
        `${url}${PODS}?watch=1&resourceVersion=${list.metadata.resourceVersion}`,
        500,
      );
      await watchIsOpen(server);
      await server.churn({ events: 500, mix: 'mixed' });
      await watch;

      const { items } = await getList(url + PODS);
      assert.deepEqual(server.truth(), {
        objects: items.length,
        hash: hashOf(items),
        lastVersion: Number(list.metadata.resourceVersion) + 500,
      });
    });
  });

  it('paces events, and knows when it sent each', async () => {
    await withServer({ objects: 10 }, async (url, server) => {
      const { lastVersion } = server.truth();
      const watch = watchEvents(`${url}${PODS}?watch=true&resourceVersion=${lastVersion}`, 50);
      await watchIsOpen(server);
      const { wallMs } = await server.churn({ events: 50, rate: 1000, mix: 'updates' });
      await watch;

      assert.ok(wallMs >= 49, `${wallMs} ms for 50 events at 1,000/s`);
      const { firstVersion, epochMs } = server.sendTimes;
      assert.equal(firstVersion, lastVersion + 1);
      assert.ok(epochMs.every((time, i) => i === 0 || time >= epochMs[i - 1]!));
    });
  });

  it('answers 410 to watches from before it forgot, and serves those from after', async () => {
    await withServer({ objects: 20 }, async (url, server) => {
      const before = await getList(url + PODS);
      const watch = watchEvents(
        `${url}${PODS}?watch=true&resourceVersion=${before.metadata.resourceVersion}`,
        1,
      );
      await watchIsOpen(server);
      const changed = server.expire();

      assert.deepEqual(await watch, []);
      const [expired] = await watchEvents(
        `${url}${PODS}?watch=true&resourceVersion=${before.metadata.resourceVersion}`,
        1,
      );
      assert.equal(expired!.object.code, 410);
      const after = await getList(url + PODS);
      assert.equal(after.items.at(-1)!.metadata.resourceVersion, String(changed));
      assert.deepEqual(after.items.slice(0, -1), before.items.slice(0, -1));
      void watchEvents(`${url}${PODS}?watch=true&resourceVersion=${after.metadata.resourceVersion}`, 1);
      await watchIsOpen(server);
    });
  });

  it('makes a million objects as it keeps a few: the same bytes, in pages and as events', () => {
    const set = { kind: 'pod' as const, resource: resourceOf('pod'), seed: SEED, objects: 1200 };
    const [kept, made] = [new KeptObjects(set, 1e9 + 1), new MadeObjects(set, 1e9 + 1)];

    for (const begin of [0, 500, 1000]) {
      const [a, b] = [kept.page(begin, 500), made.page(begin, 500)];
      assert.equal(a.count, b.count);
      assert.equal(a.next, b.next);
      assert.ok(Buffer.concat([...a.chunks]).equals(Buffer.concat([...b.chunks])));
    }
    assert.ok(Buffer.concat([...kept.initialEvents()]).equals(Buffer.concat([...made.initialEvents()])));
    assert.equal(kept.hash(), made.hash());
  });

  it('says what it serves, and 404 for everything else', async () => {
    await withServer({ kind: 'custom', objects: 10, resources: 2 }, async (url) => {
      const found = JSON.parse(await getText(`${url}/apis/bench.example.com/v1`));
      assert.deepEqual(
        found.resources.map(({ name }: { name: string }) => name),
        ['widgets00', 'widgets01'],
      );
      const { statusCode, body } = await request(`${url}/api/v1/secrets`);
      assert.equal(statusCode, 404);
      assert.equal(((await body.json()) as { kind: string }).kind, 'Status');
    });
  });
});

describe('bench server process', () => {
  let server: BenchServerProcess;
  before(async () => {
    server = await BenchServerProcess.start({ kind: 'pod', objects: 100, seed: SEED, tls: true });
  });
  after(() => server.stop());

  it('serves over TLS and tells what it used', async () => {
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    const { body } = await request(server.url + PODS, { dispatcher });
    const { items } = (await body.json()) as List;
    await dispatcher.close();

    assert.equal(items.length, 100);
    const { lists, cpuMs } = await server.usage();
    assert.equal(lists, 1);
    assert.ok(cpuMs > 0);
  });

  it('refuses to start on a port that is taken', async () => {
    const port = Number(new URL(server.url).port);
    await assert.rejects(
      BenchServerProcess.start({ kind: 'pod', objects: 1, seed: SEED, port }),
      /EADDRINUSE/,
    );
  });

  it('has the same objects in every process for the same seed', async () => {
    const other = await BenchServerProcess.start({ kind: 'pod', objects: 100, seed: SEED });
    try {
      assert.deepEqual(await other.truth(), await server.truth());
    } finally {
      await other.stop();
    }
  });
});

type Options = Partial<Omit<ServerOptions, 'kind'>> & { kind?: ObjectKind; objects: number };

async function withServer(
  options: Options,
  use: (url: string, server: BenchServer) => Promise<void>,
): Promise<void> {
  const server = new BenchServer({ kind: 'pod', seed: SEED, ...options });
  try {
    await use(`http://127.0.0.1:${await server.listen()}`, server);
  } finally {
    server.close();
  }
}

async function getText(url: string): Promise<string> {
  return (await request(url)).body.text();
}

async function getList(url: string): Promise<List> {
  return JSON.parse(await getText(url)) as List;
}

/** Reads so many events, or until the server ends the watch. */
function watchEvents(url: string, count: number): Promise<Event[]> {
  const { promise, resolve } = Promise.withResolvers<Event[]>();
  const events: Event[] = [];
  let rest = '';
  const watch = get(url, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) events.push(JSON.parse(line) as Event);
      if (events.length >= count) watch.destroy();
    });
    // It is aborted here when enough was read, or ends with its server.
    response.on('error', () => {}).on('close', () => resolve(events));
  });
  watch.on('error', () => resolve(events));
  return promise;
}

async function watchIsOpen(server: BenchServer): Promise<void> {
  while (server.usage.openWatches === 0) await sleep(1);
}

function countsOf(events: readonly Event[]): object {
  const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
  return { adds: count('ADDED'), updates: count('MODIFIED'), deletes: count('DELETED') };
}

function keyOf({ metadata }: Item): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** As contenders make it: 32-bit FNV-1a over `namespace/name\0resourceVersion`, summed up. */
function hashOf(items: readonly Item[]): string {
  let sum = 0;
  for (const item of items) {
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(`${keyOf(item)}\0${item.metadata.resourceVersion}`)) {
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    sum += hash >>> 0;
  }
  return String(sum);
}
