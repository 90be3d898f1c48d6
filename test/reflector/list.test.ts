import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FakeRequest } from './fake-transport.ts';
import { statusOf } from './fake-transport.ts';
import { setUp, watching } from './set-up.ts';

/** How a list was asked for: `resourceVersion/limit/continue`. */
function asked(request: FakeRequest): string {
  return [request.query('resourceVersion'), request.query('limit'), request.query('continue')]
    .map((v) => v ?? '-')
    .join('/');
}

describe('Reflector lists', () => {
  it('a first time at version 0 with a limit, and then watches from the version of the list', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    assert.equal(transport.last.path, '/api/v1/pods');
    assert.equal(asked(transport.last), '0/500/-');
    assert.deepEqual(transport.last.request.headers, {
      accept: 'application/json',
      'accept-encoding': 'identity',
    });

    transport.last.list(['a', 'b'], '10');
    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'end 10']);
    assert.equal(reflector.lastSyncResourceVersion, '10');
    assert.equal(transport.last.query('watch'), '1');
    assert.equal(transport.last.query('resourceVersion'), '10');
  });

  it('a namespace of a group, with selectors', () => {
    const { transport, reflector } = setUp({
      resource: { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'web' },
      labelSelector: 'app in (a, b),tier!=x+y',
      fieldSelector: 'metadata.name=a&b',
    });
    reflector.start();
    transport.last.list([], '1');

    for (const request of transport.requests) {
      assert.equal(request.path, '/apis/apps/v1/namespaces/web/deployments');
      assert.equal(request.query('labelSelector'), 'app in (a, b),tier!=x+y');
      assert.equal(request.query('fieldSelector'), 'metadata.name=a&b');
    }
    assert.doesNotMatch(transport.last.request.path, /[ +]/);
  });

  it('later at the last synced version and without a limit', () => {
    const { transport, watch } = watching();
    watch.added('b', '12').event('ERROR', statusOf(410, 'Expired'));

    assert.equal(asked(transport.last), '12/-/-');
  });

  it('pages with their token alone, as one Replace with the version of the first', () => {
    const { transport, sink, reflector } = setUp({ pageLimit: 2 });
    reflector.start();
    transport.last.list(['a', 'b'], '10', { continue: 't1', remainingItemCount: 3 });
    assert.equal(asked(transport.last), '-/2/t1');
    transport.last.list(['c', 'd'], '11', { continue: 't2', remainingItemCount: 1 });
    assert.equal(asked(transport.last), '-/2/t2');
    transport.last.list(['e'], '12');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'item c', 'item d', 'item e', 'end 10']);
    assert.equal(transport.last.query('resourceVersion'), '10');
  });

  it('in pages of the size that its options say, or as a whole for 0', () => {
    for (const [pageLimit, expected] of [
      [7, '0/7/-'],
      [0, '0/-/-'],
    ] as const) {
      const { transport, reflector } = setUp({ pageLimit });
      reflector.start();
      assert.equal(asked(transport.last), expected);
    }
  });

  it('in pages for ever once a list at version 0 came in pages', () => {
    const { transport, reflector } = setUp();
    reflector.start();
    transport.last.list(['a'], '10', { continue: 't1' });
    transport.last.list(['b'], '10');
    transport.last.respond(200).added('c', '11').event('ERROR', statusOf(410, 'Expired'));

    assert.equal(asked(transport.last), '11/500/-');
  });

  it('as a whole when page 2 has expired, in a new Replace', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    transport.last.list(['a'], '10', { continue: 't1' });
    transport.last.refuse(410, 'Expired');
    assert.equal(asked(transport.last), '10/-/-');
    transport.last.list(['a', 'b'], '12');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'begin', 'item a', 'item b', 'end 12']);
    assert.deepEqual(
      sink.errors.map(({ code, retryInMs }) => [code, retryInMs]),
      [['expired', 0]],
    );
  });

  it('at the latest state after a list that was cut in its middle, for another server may lag behind what came', () => {
    const { transport, reflector, clock } = setUp();
    reflector.start();
    transport.last.list(['a'], '10', { continue: 't1' });
    transport.last.error();
    clock.advance(2_000);
    assert.equal(asked(transport.last), '-/500/-');

    transport.last.list(['a'], '12');
    transport.last.refuse(410, 'Expired');
    clock.advance(2_000);
    assert.equal(asked(transport.last), '12/500/-');
  });

  it('at the latest state from the start, when the sink may be newer than a server that lags', () => {
    const { transport, reflector } = setUp({ startsAtLatest: true });
    reflector.start();

    assert.equal(asked(transport.last), '-/500/-');
  });

  it('with a quorum, at once and once, when the whole list has expired too', () => {
    const { transport, reflector, clock } = setUp();
    reflector.start();
    transport.last.list(['a'], '10', { continue: 't1' });
    transport.last.refuse(410, 'Expired');
    transport.last.refuse(410, 'Expired');
    assert.equal(asked(transport.last), '-/-/-');
    transport.last.refuse(410, 'Expired');
    assert.equal(reflector.state, 'backingOff');
    assert.equal(transport.requests.length, 4);

    clock.advance(800);
    assert.equal(asked(transport.last), '-/500/-');
  });

  it('with a quorum when its version has expired, until a list succeeds', () => {
    const { transport, watch, clock } = watching();
    watch.added('b', '12').event('ERROR', statusOf(410, 'Expired'));
    transport.last.refuse(410, 'Gone');
    assert.equal(asked(transport.last), '-/500/-');
    transport.last.list(['a'], '5');
    assert.equal(transport.last.query('resourceVersion'), '5', 'a list may go back');

    transport.last.respond(200).event('ERROR', statusOf(410, 'Expired'));
    clock.advance(30_000);
    assert.equal(asked(transport.last), '5/-/-');
  });

  const tooLarge = {
    'a cause with a reason': {
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    },
    'a time-out whose cause has a message': {
      reason: 'Timeout',
      details: { causes: [{ message: 'Too large resource version' }] },
    },
    'a message': { reason: 'Timeout', message: 'Too large resource version: 9, current: 7' },
  };
  for (const [encoding, status] of Object.entries(tooLarge)) {
    it(`with a quorum when its version is too large, said by ${encoding}`, () => {
      const { transport, sink, reflector } = setUp();
      reflector.start();
      transport.last.refuse(504, '', status);

      assert.equal(asked(transport.last), '-/500/-');
      assert.equal(sink.errors[0]!.code, 'resource-version-too-large');
    });
  }

  it('without a quorum when a time-out has another cause', () => {
    const { transport, reflector } = setUp();
    reflector.start();
    transport.last.refuse(504, 'Timeout', { details: { causes: [{ message: 'etcd is slow' }] } });

    assert.equal(reflector.state, 'backingOff');
    assert.equal(transport.requests.length, 1);
  });

  it('and tells how far it came, some times a second and at the end', () => {
    const { transport, sink, reflector, clock } = setUp();
    reflector.start();
    for (let page = 1; page < 100; page++) {
      transport.last.list(['a', 'b'], '10', { continue: `t${page}`, remainingItemCount: 200 - 2 * page });
      clock.advance(10);
    }
    transport.last.list(['a', 'b'], '10');
    const progress = sink.notices.filter(({ type }) => type === 'progress');

    assert.ok(progress.length >= 3 && progress.length <= 7, `${progress.length} notices in a second`);
    assert.deepEqual(progress[1], { type: 'progress', items: 50, remaining: 150 });
    assert.deepEqual(progress.at(-1), { type: 'progress', items: 200 });
  });

  it('again with a delay when the connection breaks in its middle, in a new Replace', () => {
    const { transport, sink, reflector, clock } = setUp();
    reflector.start();
    transport.last.respond(200).data('{"kind":"PodList","items":[').error('reset');
    assert.equal(reflector.state, 'backingOff');
    assert.deepEqual(sink.errors.at(-1), {
      type: 'error',
      code: 'connection-reset',
      message: 'list of pods failed: reset; next try in 0.8 s',
      retryInMs: 800,
    });
    clock.advance(800);
    transport.last.list(['a'], '10');

    assert.deepEqual(sink.deltas, ['begin', 'begin', 'item a', 'end 10']);
  });
});

describe('Reflector refuses as a list', () => {
  const bodies: Record<string, [body: unknown, code: string, message: RegExp]> = {
    'a Status with status 200': [
      statusOf(500, 'InternalError'),
      'server-error',
      /the server says 500: InternalError 500/,
    ],
    'a Table': [
      { kind: 'Table', metadata: { resourceVersion: '1' }, rows: [] },
      'table',
      /response is a Table.*Accept/,
    ],
    'another object': [
      { kind: 'Pod', metadata: { resourceVersion: '1' } },
      'not-a-list',
      /response is a Pod.*server URL/,
    ],
    'JSON of something else': [{ hello: 1 }, 'not-a-list', /no Kubernetes list/],
    'a list without a version': [
      { kind: 'PodList', metadata: {}, items: [] },
      'no-resource-version',
      /no metadata.resourceVersion/,
    ],
    'half a list': ['{"kind":"PodList","items":[', 'truncated-list', /truncated/],
  };
  for (const [what, [body, code, message]] of Object.entries(bodies)) {
    it(`${what}, and says so`, () => {
      const { transport, sink, reflector } = setUp();
      reflector.start();
      transport.last.reply(200, body);

      assert.equal(sink.errors[0]!.code, code);
      assert.match(sink.errors[0]!.message, message);
      assert.match(sink.errors[0]!.message, /^list of pods failed: /);
      assert.equal(reflector.state, 'backingOff');
      assert.ok(!sink.deltas.some((delta) => delta.startsWith('end')));
      assert.equal(sink.open.size, 0);
    });
  }

  it('an HTML page, without reading it', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    transport.last.respond(200, { 'content-type': 'text/html; charset=utf-8' });

    assert.equal(sink.errors[0]!.code, 'not-json');
    assert.match(sink.errors[0]!.message, /text\/html.*not JSON.*login page/);
    assert.ok(transport.last.isAborted);
    assert.deepEqual(sink.deltas, []);
  });

  it('a page that names its own token', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    transport.last.list(['a'], '10', { continue: 't' });
    transport.last.list([], '10', { continue: 't' });

    assert.equal(sink.errors[0]!.code, 'endless-list');
    assert.equal(transport.requests.length, 2);
  });
});
