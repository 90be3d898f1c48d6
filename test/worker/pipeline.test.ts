import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseFieldPath } from '../../src/index/index.ts';
import { hashKey } from '../../src/layout/key-hash.ts';
import {
  DELTA_WORDS,
  HASH_HI,
  HASH_LO,
  KIND,
  LENGTH_BYTES,
  OFFSET8,
  RELEASE_OFFSET8,
  RELEASE_SEGMENT,
  RELEASE_WORDS,
  RecordKind,
  SEGMENT,
  STAMP,
} from '../../src/layout/ring.ts';
import { type ApiStatus, ReadState, type ReflectorNotice } from '../../src/reflector/index.ts';
import { Consumer, createRing, openRing, Producer } from '../../src/ring/index.ts';
import { ScanEngine } from '../../src/scan/index.ts';
import { blockFields } from '../../src/store/block.ts';
import {
  Arena,
  blockKey,
  blockResourceVersion,
  blockStamp,
  blockUid,
  bodyText,
  fromOffset8,
  hasBody,
  SegmentTable,
} from '../../src/store/index.ts';
import { DeltaWriter } from '../../src/worker/delta-writer.ts';
import { ObjectDraft } from '../../src/worker/object-draft.ts';
import { ReflectorSink } from '../../src/worker/sink.ts';

const SEED = { lo: 5, hi: 6 };
const FIELDS = ['spec.nodeName', "metadata.labels['color']", 'metadata.ownerReferences[*].uid', 'spec.n'];
const KIND_NAMES = Object.fromEntries(Object.entries(RecordKind).map(([name, value]) => [value, name]));

describe('from bytes to blocks', () => {
  for (const name of [
    'list-pods',
    'list-pods-page2',
    'list-widgets',
    'list-partial-metadata',
    'list-empty',
  ]) {
    it(`puts each item of ${name} on the ring as the server sent it, with its type`, () => {
      const pipe = new Pipe();
      const body = wire(name);
      const list = JSON.parse(body.toString());
      pipe.readList(body, 5000);

      const expected = list.items.map((item: object) => ({
        kind: list.kind.replace(/List$/, ''),
        apiVersion: list.apiVersion,
        ...item,
      }));
      assert.deepEqual(pipe.objects(), expected);
      assert.ok(pipe.seen.every(({ kind }) => kind === 'replaceItem'));
    });
  }

  for (const name of ['watch-widgets', 'watchlist-widgets', 'watchlist-pods-web']) {
    it(`puts each event of ${name} on the ring`, () => {
      const pipe = new Pipe();
      const body = wire(name);
      const lines = body
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      pipe.readWatch(body, 777);

      const expected = lines.map(({ type, object }) => [type.toLowerCase(), object.metadata.resourceVersion]);
      assert.deepEqual(
        pipe.seen.map(({ kind, resourceVersion }) => [kind, resourceVersion]),
        expected,
      );
      const objects = lines.filter(({ type }) => type !== 'BOOKMARK').map(({ object }) => object);
      assert.deepEqual(pipe.objects(), objects);
    });
  }

  for (const name of ['watchlist-widgets', 'watchlist-pods-web']) {
    it(`takes the initial events of ${name} as items of a Replace, up to the marker`, () => {
      const pipe = new Pipe();
      const body = wire(name);
      const lines = body
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const state = pipe.readInitialEvents(body, 777);

      const added = lines.filter(({ type }) => type === 'ADDED').map(({ object }) => object);
      assert.equal(state.ended, 1);
      assert.equal(state.resourceVersion, lines.at(-1).object.metadata.resourceVersion);
      assert.deepEqual(pipe.objects(), added);
      assert.ok(pipe.seen.every(({ kind }) => kind === 'replaceItem'));
    });
  }

  it('keeps the values of fields and the hash of the key beside each body', () => {
    const pipe = new Pipe();
    const body = wire('list-pods');
    pipe.readList(body, 4096);

    for (const [index, item] of JSON.parse(body.toString()).items.entries()) {
      const seen = pipe.seen[index]!;
      const { namespace, name, uid, ownerReferences } = item.metadata;
      assert.equal(seen.key, `${namespace}/${name}`);
      assert.equal(seen.uid, uid);
      assert.deepEqual(seen.fields[0], [item.spec.nodeName]);
      assert.deepEqual(
        seen.fields[2],
        ownerReferences.map((owner: { uid: string }) => owner.uid),
      );
      const hash = { lo: 0, hi: 0 };
      hashKey(seen.key, SEED, hash);
      assert.deepEqual([seen.hashLo >>> 0, seen.hashHi >>> 0], [hash.lo, hash.hi]);
    }
  });

  it('unescapes identities and field values, and prints numbers as JavaScript does', () => {
    const pipe = new Pipe();
    const item =
      '{"metadata":{"name":"na\\u006de","namespace":"n\\u0073","uid":"\\u00fc","resourceVersion":"\\u0031"},' +
      '"spec":{"nodeName":"\\u540d\\n","n":1.50}}';
    pipe.readList(Buffer.from(`{"kind":"XList","apiVersion":"v1","metadata":{},"items":[${item}]}`), 13);

    const seen = pipe.seen[0]!;
    assert.deepEqual([seen.key, seen.uid, seen.resourceVersion], ['ns/name', 'ü', '1']);
    assert.deepEqual([seen.fields[0], seen.fields[3]], [['名\n'], ['1.5']]);
    const hash = { lo: 0, hi: 0 };
    hashKey('ns/name', SEED, hash);
    assert.deepEqual([seen.hashLo >>> 0, seen.hashHi >>> 0], [hash.lo, hash.hi]);
  });

  it('hashes a key that is longer than the scanner hashes', () => {
    const pipe = new Pipe();
    const name = 'n'.repeat(5000);
    pipe.readList(
      Buffer.from(`{"kind":"XList","apiVersion":"v1","items":[{"metadata":{"name":"${name}"}}]}`),
      900,
    );

    const hash = { lo: 0, hi: 0 };
    hashKey(name, SEED, hash);
    assert.deepEqual([pipe.seen[0]!.hashLo >>> 0, pipe.seen[0]!.hashHi >>> 0], [hash.lo, hash.hi]);
  });

  it('drops what the projection names, once, on the way', () => {
    const pipe = new Pipe({ drops: ['metadata.managedFields', 'spec.containers'] });
    const body = wire('list-pods');
    pipe.readList(body, 3000);

    const items = JSON.parse(body.toString()).items;
    for (const item of items) {
      delete item.metadata.managedFields;
      delete item.spec.containers;
    }
    assert.deepEqual(
      pipe.objects(),
      items.map((item: object) => ({ kind: 'Pod', apiVersion: 'v1', ...item })),
    );
  });

  it('refuses an object of another kind than the list is of', () => {
    const pipe = new Pipe();
    pipe.readList(
      Buffer.from('{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}'),
      100,
    );
    const event = (kind: string) =>
      `{"type":"ADDED","object":{"kind":"${kind}","apiVersion":"v1","metadata":{"name":"b${kind}"}}}\n`;
    pipe.readWatch(Buffer.from(event('Pod') + event('Node') + event('Po\\u0064')), 100);

    assert.deepEqual(
      pipe.seen.map(({ key }) => key),
      ['a', 'bPod', 'bPod'],
    );
    assert.match(JSON.stringify(pipe.notices), /its kind is Node, and Pod was asked for/);
  });

  it('marks the items of a second list that are as they were, and sends the others whole', () => {
    const pipe = new Pipe();
    const list = (items: string[]) => Buffer.from(`{"kind":"XList","apiVersion":"v1","items":[${items}]}`);
    const item = (name: string, uid: string, rv: string) =>
      `{"metadata":{"name":"${name}","uid":"${uid}","resourceVersion":"${rv}"}}`;
    pipe.readList(list([item('same', 'u1', '1'), item('newer', 'u2', '1'), item('again', 'u3', '1')]), 100);
    pipe.readWatch(
      Buffer.from(
        `{"type":"ADDED","object":${item('watched', 'u4', '2')}}\n{"type":"DELETED","object":${item('gone', 'u5', '3')}}\n`,
      ),
      100,
    );
    pipe.seen.length = 0;
    const second = [
      item('same', 'u1', '1'),
      item('newer', 'u2', '5'),
      item('again', 'u9', '1'),
      item('watched', 'u4', '2'),
    ];
    pipe.readList(list(second), 100);

    assert.deepEqual(
      pipe.seen.map(({ kind, key }) => `${kind} ${key}`),
      ['replaceMark same', 'replaceItem newer', 'replaceItem again', 'replaceMark watched'],
    );
  });

  it('waits when the ring is full, and goes on with the same object, none lost and none doubled', () => {
    const pipe = new Pipe({ ringRecords: 64 });
    const items = Array.from(
      { length: 1000 },
      (_, i) => `{"metadata":{"name":"n${i}","resourceVersion":"${i}"}}`,
    );
    const body = `{"kind":"XList","apiVersion":"v1","metadata":{},"items":[${items.join(',')}]}`;
    const waits = pipe.readList(Buffer.from(body), 8000);

    assert.ok(waits > 10, `the ring was full ${waits} times only`);
    assert.deepEqual(
      pipe.seen.map(({ key }) => key),
      items.map((_, i) => `n${i}`),
    );
  });

  it('waits when the arena is full, and goes on when blocks came back', () => {
    const pipe = new Pipe({ arenaLimitBytes: 8 * 1024 * 1024 });
    const blob = 'x'.repeat(500_000);
    const items = Array.from({ length: 60 }, (_, i) => `{"metadata":{"name":"n${i}"},"blob":"${blob}"}`);
    const body = `{"kind":"XList","apiVersion":"v1","metadata":{},"items":[${items.join(',')}]}`;
    const waits = pipe.readList(Buffer.from(body), 64 * 1024);

    assert.ok(waits > 0);
    assert.equal(pipe.seen.length, 60);
    assert.ok(pipe.seen.every(({ kind }) => kind === 'replaceItem'));
    assert.deepEqual(pipe.notices, []);
  });

  it('marks items as seen when nothing comes back, and says so once', () => {
    const pipe = new Pipe({ arenaLimitBytes: 8 * 1024 * 1024, releases: false });
    const blob = 'x'.repeat(500_000);
    const items = Array.from({ length: 30 }, (_, i) => `{"metadata":{"name":"n${i}"},"blob":"${blob}"}`);
    const body = `{"kind":"XList","apiVersion":"v1","metadata":{},"items":[${items.join(',')}]}`;
    pipe.readList(Buffer.from(body), 64 * 1024);

    assert.equal(pipe.seen.length, 30);
    assert.equal(pipe.seen[0]!.kind, 'replaceItem');
    assert.equal(pipe.seen.at(-1)!.kind, 'replaceMark');
    const codes = pipe.notices.map((notice) => notice.type === 'error' && notice.code);
    assert.deepEqual(codes, ['arena-full']);
  });

  it('tells the first bad objects of a body one by one, and the rest as a number', () => {
    const pipe = new Pipe();
    const items = Array.from({ length: 50 }, () => '{"metadata":{}}');
    pipe.readList(Buffer.from(`{"kind":"XList","apiVersion":"v1","metadata":{},"items":[${items}]}`), 4096);

    assert.equal(pipe.notices.length, 21);
    assert.match(JSON.stringify(pipe.notices.at(-1)), /30 more objects/);
  });

  it('leaves out a bookmark that is older than what is known', () => {
    const pipe = new Pipe();
    const bookmark = (version: string) =>
      `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${version}"}}}\n`;
    pipe.readWatch(Buffer.from(bookmark('9') + bookmark('12') + bookmark('11')), 100, '10');

    assert.deepEqual(
      pipe.seen.map(({ kind, resourceVersion }) => [kind, resourceVersion]),
      [['bookmark', '12']],
    );
  });

  it('ends a watch at a broken event, and asks for a list when it is broken the second time, too', () => {
    const pipe = new Pipe();
    const event = (name: string) =>
      `{"type":"ADDED","object":{"metadata":{"name":"${name}","resourceVersion":"7"}}}\n`;
    const broken = '{"type":"ADDED","object":{"metadata":{"na\n';
    const problemAfter = (...lines: string[]) => pipe.problemOfWatch(Buffer.from(lines.join('')));

    assert.equal(problemAfter(event('a'), broken, event('b')), 'malformed');
    assert.equal(problemAfter(event('b'), broken), 'malformed');
    assert.equal(problemAfter(broken, event('c')), 'broken-again');
    assert.deepEqual(
      pipe.seen.map(({ key }) => key),
      ['a', 'b'],
    );
    assert.deepEqual(pipe.notices, []);
  });

  it('does not parse an event that tells of an error and is longer than a mebibyte', () => {
    const error = (message: string) =>
      Buffer.from(`${JSON.stringify({ type: 'ERROR', object: { code: 410, message } })}\n`);
    assert.equal(new Pipe().readWatch(error('gone'), 100)?.code, 410);
    const status = new Pipe().readWatch(error('x'.repeat(1024 * 1024)), 100_000);
    assert.deepEqual(status, { message: 'the server sent an event of 1048601 bytes that should be small' });
  });

  it('puts a delete through without its body when the arena is full', () => {
    const pipe = new Pipe({ arenaLimitBytes: 8 * 1024 * 1024, releases: false });
    const line = (type: string, name: string) =>
      `{"type":"${type}","object":{"metadata":{"name":"${name}","resourceVersion":"7"},"blob":"${'x'.repeat(500_000)}"}}\n`;
    const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
    pipe.readWatch(
      Buffer.from(names.map((name) => line('ADDED', name)).join('') + line('DELETED', 'n0')),
      65536,
    );

    const last = pipe.seen.at(-1)!;
    assert.deepEqual([last.kind, last.key, last.body], ['deleted', 'n0', undefined]);
  });
});

interface Seen {
  kind: string;
  key: string;
  uid: string;
  resourceVersion: string;
  fields: string[][];
  hashLo: number;
  hashHi: number;
  body: object | undefined;
}

interface PipeOptions {
  drops?: string[];
  ringRecords?: number;
  arenaLimitBytes?: number;
  /** Whether the reader gives blocks back. */
  releases?: boolean;
}

/** A worker's half and a reader of its rings, in one thread. */
class Pipe {
  readonly seen: Seen[] = [];
  readonly notices: ReflectorNotice[] = [];

  readonly #segments = new SegmentTable();
  readonly #sink: ReflectorSink;
  readonly #deltas: Consumer;
  readonly #releases: Producer;
  readonly #givesBack: boolean;
  #timer: (() => void) | undefined;

  constructor(options: PipeOptions = {}) {
    const { drops = [], ringRecords = 1024, arenaLimitBytes = 1 << 30, releases = true } = options;
    this.#givesBack = releases;
    const deltaRing = createRing(ringRecords, DELTA_WORDS);
    const releaseRing = createRing(1024, RELEASE_WORDS);
    this.#deltas = new Consumer(openRing(deltaRing, DELTA_WORDS));
    this.#releases = new Producer(openRing(releaseRing, RELEASE_WORDS));
    const arena = new Arena({
      worker: 0,
      limitBytes: arenaLimitBytes,
      onSegment: (segment) => this.#segments.add(segment),
      onSegmentGone: (id) => this.#segments.delete(id),
    });
    const engine = ScanEngine.create({ seed: SEED });
    const program = engine.load({
      fields: FIELDS.map((path, id) => ({ id, path: parseFieldPath(path) })),
      drops: drops.map((path) => parseFieldPath(path)),
    });
    const writer = new DeltaWriter(
      new Producer(openRing(deltaRing, DELTA_WORDS)),
      new Consumer(openRing(releaseRing, RELEASE_WORDS)),
      arena,
      () => {},
    );
    this.#sink = new ReflectorSink({
      source: 1,
      what: 'things.v1',
      engine,
      program,
      draft: new ObjectDraft(engine, SEED),
      writer,
      tell: (notice) => this.notices.push(notice),
      onTrap: (error) => {
        throw error;
      },
      setTimer: (_, callback) => {
        this.#timer = callback;
        return () => {
          this.#timer = undefined;
        };
      },
      describeArena: () => 'test',
    });
  }

  /** @returns how often the reader had to wait */
  readList(body: Buffer, chunkBytes: number): number {
    const reader = this.#sink.openList();
    const waits = this.#read(reader, body, chunkBytes);
    assert.equal(reader.problem, undefined);
    return waits;
  }

  /** @returns what the server said in an event that tells of an error */
  readWatch(body: Buffer, chunkBytes: number, resourceVersion = ''): ApiStatus | undefined {
    const reader = this.#sink.openWatch({ initial: false, resourceVersion });
    this.#read(reader, body, chunkBytes);
    return reader.status;
  }

  /** @returns code of what ended a watch */
  problemOfWatch(body: Buffer): string | undefined {
    const reader = this.#sink.openWatch({ initial: false, resourceVersion: '' });
    reader.push(body);
    reader.read();
    this.#drain();
    return reader.problem?.code;
  }

  /** @returns how often the reader said that the initial events have ended, and at which version */
  readInitialEvents(
    body: Buffer,
    chunkBytes: number,
  ): { ended: number; resourceVersion: string | undefined } {
    const reader = this.#sink.openWatch({ initial: true, resourceVersion: '' });
    let ended = 0;
    for (let at = 0; at < body.length; at += chunkBytes) {
      reader.push(body.subarray(at, at + chunkBytes));
      while (reader.read() === ReadState.initialEnd) ended++;
    }
    this.#drain();
    return { ended, resourceVersion: reader.lastResourceVersion };
  }

  /** Bodies in order. */
  objects(): object[] {
    return this.seen.flatMap(({ body }) => body ?? []);
  }

  #read(
    reader: ReturnType<ReflectorSink['openList'] | ReflectorSink['openWatch']>,
    body: Buffer,
    chunkBytes: number,
  ) {
    let waits = 0;
    for (let at = 0; at <= body.length; at += chunkBytes) {
      if (at < body.length) reader.push(body.subarray(at, at + chunkBytes));
      if (at + chunkBytes >= body.length) reader.end();
      while (reader.read() === ReadState.full) {
        waits++;
        this.#drain();
        // Nobody gives anything back: time passes.
        if (!this.#givesBack) this.#timer?.();
        this.#sink.spaceCame();
      }
    }
    this.#drain();
    return waits;
  }

  #drain(): void {
    const { words } = this.#deltas;
    for (let word = this.#deltas.next(); word !== -1; word = this.#deltas.next()) {
      const segment = this.#segments.get(words[word + SEGMENT]!);
      const block = fromOffset8(words[word + OFFSET8]!);
      assert.equal(blockStamp(segment, block), words[word + STAMP]);
      assert.ok(words[word + LENGTH_BYTES]! > 0);
      this.seen.push({
        kind: KIND_NAMES[words[word + KIND]!]!,
        key: blockKey(segment, block),
        uid: blockUid(segment, block),
        resourceVersion: blockResourceVersion(segment, block),
        fields: FIELDS.map((_, id) => blockFields(segment, block, id)),
        hashLo: words[word + HASH_LO]!,
        hashHi: words[word + HASH_HI]!,
        body: hasBody(segment, block) ? JSON.parse(bodyText(segment, block)) : undefined,
      });
      if (!this.#givesBack) continue;
      const release = this.#releases.claim();
      this.#releases.words[release + RELEASE_SEGMENT] = segment.id;
      this.#releases.words[release + RELEASE_OFFSET8] = words[word + OFFSET8]!;
    }
    this.#deltas.release();
    this.#releases.publish();
  }
}

function wire(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/wire/${name}.body`, import.meta.url));
}
