import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { ReflectorOptions } from '../../src/reflector/index.ts';
import { setUp } from './set-up.ts';

/** What a real API server sent: see test/fixtures/wire/README.md. */
function capture(name: string) {
  const read = (ending: string) =>
    readFileSync(new URL(`../fixtures/wire/${name}.${ending}`, import.meta.url), 'utf8');
  const [statusLine, ...lines] = read('headers').split(/\r?\n/);
  const headers = Object.fromEntries(
    lines
      .filter((line) => line.includes(':'))
      .map((line) => [line.split(':', 1)[0]!, line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine!.split(' ')[1]), headers, body: read('body') };
}

function answered(...names: string[]) {
  return answeredWith({}, names);
}

function answeredWith(options: Partial<ReflectorOptions>, names: readonly string[]) {
  const parts = setUp(options);
  parts.reflector.start();
  for (const name of names) {
    const { status, headers, body } = capture(name);
    parts.transport.last.respond(status, headers).data(body);
    parts.transport.requests.findLast((request) => !request.isAborted)?.end();
  }
  return parts;
}

describe('Reflector with what a real API server sent', () => {
  it('follows a list in pages and a watch', () => {
    const { sink, transport } = answered('list-pods', 'list-pods-page2', 'list-empty', 'watch-widgets');
    const ends = sink.deltas.filter((delta) => delta.startsWith('end'));
    const events = sink.deltas.slice(sink.deltas.indexOf(ends[0]!) + 1).map((delta) => delta.split(' ')[0]);

    assert.equal(ends.length, 1);
    assert.deepEqual([...new Set(events)], ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);
    assert.equal(transport.lists.length, 3);
    assert.deepEqual(sink.errors, []);
  });

  it('follows a stream of initial events to its marker and beyond', () => {
    for (const [name, objects, version] of [
      ['watchlist-pods-web', 33, '855'],
      ['watchlist-widgets', 1, '855'],
    ] as const) {
      const { sink, transport, reflector } = answeredWith({ initialList: 'watchList' }, [name]);
      assert.equal(sink.deltas.filter((delta) => delta.startsWith('item')).length, objects, name);
      assert.equal(sink.deltas.at(-1), `end ${version}`);
      assert.equal(reflector.lastSyncResourceVersion, version);
      assert.deepEqual([transport.streams.length, transport.lists.length], [1, 0]);
    }
  });

  it('lists when a stream of initial events is sent in another format', () => {
    const { sink, transport, clock } = answeredWith({ initialList: 'watchList' }, ['watchlist-protobuf']);
    assert.equal(sink.errors[0]!.code, 'not-json');
    transport.answer = (request) =>
      void request.respond(200, { 'content-type': 'application/vnd.kubernetes.protobuf' });
    clock.advance(10_000);
    assert.deepEqual([transport.streams.length, transport.lists.length], [3, 1]);
  });

  it('takes a list of metadata', () => {
    const { sink, transport } = answeredWith({ metadataOnly: true }, ['list-partial-metadata']);
    assert.equal(sink.deltas.filter((delta) => delta.startsWith('item')).length, 3);
    assert.deepEqual(sink.errors, []);
    assert.notEqual(transport.last.query('continue'), undefined, 'this was its first page');
  });

  it('sees that the server ignores the limit at version 0', () => {
    const { reflector } = answered('list-pods-rv0-limit');
    assert.equal(reflector.state, 'watching');
  });

  it('lists as a whole when a continue token has expired', () => {
    const { sink, transport } = answered('list-pods', 'list-continue-expired');
    assert.deepEqual(
      sink.errors.map(({ code, retryInMs }) => [code, retryInMs]),
      [['expired', 0]],
    );
    assert.equal(transport.last.query('limit'), undefined);
  });

  const failures: [names: string[], code: string, message: RegExp, waitMs: number][] = [
    [['list-rv-too-large'], 'resource-version-too-large', /Too large resource version: 99999999/, 0],
    [['list-unauthorized'], 'unauthorized', /401: Unauthorized/, 0],
    [['list-unknown-resource'], 'not-found', /404: 404 page not found/, 60_000],
    [['list-bad-rv'], 'rejected', /400: invalid resource version/, 800],
    [['list-bad-selector'], 'rejected', /400: /, 800],
    [['list-not-acceptable'], 'rejected', /406: /, 800],
    [['list-cbor'], 'not-json', /application\/cbor/, 800],
    [['list-empty', 'watch-rv-too-old'], 'expired', /410: too old resource version: 1 \(895\)/, 800],
    [['list-empty', 'watch-bad-rv'], 'server-error', /500: resourceVersion: Invalid value/, 800],
    [['list-empty', 'watch-not-watchable'], 'method-not-allowed', /405: watch is not supported/, 60_000],
  ];
  for (const [names, code, message, waitMs] of failures) {
    it(`makes ${code} of ${names.at(-1)}`, () => {
      const { sink } = answered(...names);
      assert.deepEqual([sink.errors[0]!.code, sink.errors[0]!.retryInMs], [code, waitMs]);
      assert.match(sink.errors[0]!.message, message);
    });
  }
});
