import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusOf } from './fake-transport.ts';
import { setUp, watching } from './set-up.ts';

const MINUTE = 60_000;

describe('Reflector watches', () => {
  it('with bookmarks and a random time-out from 300 to 600 seconds', () => {
    for (const [random, seconds] of [
      [0, '300'],
      [0.5, '450'],
      [0.999999, '600'],
    ] as const) {
      const { watch } = watching({ random: () => random });
      assert.equal(watch.query('allowWatchBookmarks'), 'true');
      assert.equal(watch.query('timeoutSeconds'), seconds);
    }
  });

  it('and follows events and bookmarks', () => {
    const { watch, sink, reflector } = watching();
    watch
      .added('b', '11')
      .bookmark('15')
      .event('DELETED', { metadata: { name: 'b', resourceVersion: '16' } });

    assert.deepEqual(sink.deltas.slice(3), ['ADDED b', 'BOOKMARK 15', 'DELETED b']);
    assert.equal(reflector.lastSyncResourceVersion, '16');
  });

  it('and never goes back to an older version, however long versions are', () => {
    const { watch, reflector } = watching();
    watch.bookmark('9');
    assert.equal(reflector.lastSyncResourceVersion, '10');
    watch.bookmark('18446744073709551616').bookmark('18446744073709551615');
    assert.equal(reflector.lastSyncResourceVersion, '18446744073709551616');
    watch.bookmark('opaque');
    assert.equal(reflector.lastSyncResourceVersion, 'opaque');
  });

  const ends: Record<string, (watch: ReturnType<typeof watching>['watch']) => void> = {
    'a clean end': (watch) => watch.end(),
    'a reset': (watch) => watch.error(),
    'an end in the middle of an event': (watch) => watch.data('{"type":"ADD').end(),
    'a reset in the middle of an event': (watch) => watch.data('{"type":"ADD').error(),
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`again at once, from the last version that was handed on, after ${what} of a good watch`, () => {
      const { transport, watch, clock, sink } = watching();
      watch.added('b', '12');
      clock.advance(5_000);
      end(watch);

      assert.notEqual(transport.last, watch);
      assert.equal(transport.last.query('resourceVersion'), '12');
      assert.equal(transport.lists.length, 1);
      assert.equal(sink.open.size, 0);
    });
  }

  it('again at once after a minute without events', () => {
    const { transport, watch, clock } = watching();
    clock.advance(MINUTE);
    watch.end();

    assert.equal(transport.watches.length, 2);
  });

  it('again after a second when a good one was shorter than that', () => {
    const { transport, watch, clock, sink } = watching();
    clock.advance(300);
    watch.added('b', '12').end();
    clock.advance(699);
    assert.equal(transport.watches.length, 1);
    clock.advance(1);
    assert.equal(transport.watches.length, 2);
    assert.deepEqual(sink.errors, []);
  });

  it('again with a delay when the server closes at once without an event, and says so', () => {
    const { transport, watch, clock, sink } = watching();
    watch.end();
    assert.equal(sink.errors[0]!.code, 'short-watch');
    assert.equal(sink.errors[0]!.retryInMs, 800);
    clock.advance(800);
    transport.last.respond(200).end();
    assert.equal(sink.errors[1]!.retryInMs, 1600);
    assert.equal(transport.lists.length, 1);
  });

  it('without a gap through a proxy that cuts every watch after 30 seconds', () => {
    const { transport, clock } = watching();
    for (let i = 0; i < 20; i++) {
      clock.advance(30_000);
      transport.last.end();
      transport.last.respond(200);
    }

    assert.equal(transport.watches.length, 21);
  });

  it('and lists at once when a good watch has expired', () => {
    for (const status of [
      statusOf(410, 'Expired'),
      { code: 410 },
      { reason: 'Expired' },
      { reason: 'Gone' },
    ]) {
      const { transport, watch, sink } = watching();
      watch.added('b', '12').event('ERROR', status);

      assert.equal(transport.last.isWatch, false);
      assert.equal(transport.last.query('resourceVersion'), '12');
      assert.deepEqual([sink.errors[0]!.code, sink.errors[0]!.retryInMs], ['expired', 0]);
    }
  });

  it('and closes the stream that brought an error', () => {
    for (const initialList of ['list', 'watchList'] as const) {
      const { reflector, transport, sink } = setUp({ initialList });
      reflector.start();
      if (initialList === 'list') transport.last.list([], '10');
      const watch = transport.last.respond(200).event('ERROR', statusOf(500, 'InternalError'));

      assert.ok(watch.isAborted);
      assert.equal(sink.open.size, 0);
    }
  });

  it('and lists with a delay when the version has expired at once', () => {
    const { transport, clock, sink } = watching();
    transport.last.event('ERROR', statusOf(410, 'Expired'));
    assert.equal(transport.requests.length, 2);
    assert.deepEqual(
      [sink.errors[0]!.code, sink.errors[0]!.status, sink.errors[0]!.retryInMs],
      ['expired', 410, 800],
    );
    clock.advance(800);
    transport.last.list(['a'], '20');
    assert.equal(transport.last.isWatch, true, 'the watch after a list starts at once');
    transport.last.refuse(410, 'Gone');
    assert.equal(sink.errors[1]!.retryInMs, 1600);
  });

  for (const [what, status] of [
    [
      'a version that is too large',
      statusOf(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    ],
    ['an object that the server cannot read', statusOf(500, 'StoreReadError')],
    ['a bad request', statusOf(400, 'BadRequest')],
  ] as const) {
    it(`and lists after a delay because of ${what}`, () => {
      const { transport, watch, clock } = watching();
      watch.event('ERROR', status);
      clock.advance(30_000);

      assert.equal(transport.last.isWatch, false);
    });
  }

  it('and does not list however long the server is down', () => {
    const { transport, watch, clock, sink } = watching();
    transport.answer = (request) => void request.error('connect refused', 'connect-failed');
    watch.added('b', '12').error();
    clock.advance(60 * MINUTE);
    assert.equal(transport.lists.length, 1);
    assert.equal(sink.errors.at(-1)!.code, 'connect-failed');

    transport.answer = undefined;
    clock.advance(MINUTE);
    assert.equal(transport.last.query('resourceVersion'), '12');
  });

  for (const code of [408, 429, 502, 503, 504]) {
    it(`and does not list because of ${code}`, () => {
      const { transport, watch, clock } = watching();
      transport.answer = (request) => void request.refuse(code);
      watch.error();
      clock.advance(20 * MINUTE);

      assert.equal(transport.lists.length, 1);
    });
  }

  for (const [what, fail] of [
    ['errors of the server', (watch) => watch.refuse(500, 'InternalError')],
    ['ERROR events', (watch) => watch.respond(200).event('ERROR', statusOf(500, 'InternalError'))],
    ['garbage', (watch) => watch.respond(200).data('garbage\n')],
  ] as [string, (watch: ReturnType<typeof watching>['watch']) => void][]) {
    it(`five times in vain because of ${what}, and then lists`, () => {
      const { transport, watch, clock } = watching();
      transport.answer = (request) => {
        if (request.isWatch) fail(request);
      };
      watch.error();
      clock.advance(MINUTE);

      assert.equal(transport.watches.length, 6);
      assert.equal(transport.lists.length, 2);
    });
  }

  it('with a delay after a 429 in a stream, also when it brought events', () => {
    const { transport, watch, clock, sink } = watching();
    watch.added('b', '12');
    clock.advance(5 * MINUTE);
    transport.last.respond(200);
    transport.last
      .added('c', '13')
      .event('ERROR', statusOf(429, 'TooManyRequests', { details: { retryAfterSeconds: 7 } }));

    assert.deepEqual([sink.errors.at(-1)!.code, sink.errors.at(-1)!.retryInMs], ['too-many-requests', 7000]);
    clock.advance(7_000);
    assert.equal(transport.last.query('resourceVersion'), '13');
  });

  it('with a delay after an answer that is not JSON', () => {
    const { transport, clock, sink, reflector } = setUp();
    reflector.start();
    transport.last.list([], '10');
    transport.last.respond(200, { 'content-type': 'text/html' });

    assert.equal(sink.errors[0]!.code, 'not-json');
    assert.match(sink.errors[0]!.message, /^watch of pods failed: /);
    clock.advance(800);
    assert.equal(transport.watches.length, 2);
  });
});

describe('Reflector gives up waiting', () => {
  it('for a response', () => {
    for (const isWatch of [false, true]) {
      const { transport, clock, sink, reflector } = setUp({ responseMs: 5_000 });
      reflector.start();
      if (isWatch) transport.last.list([], '10');
      const silent = transport.last;
      clock.advance(5_000);

      assert.ok(silent.isAborted);
      assert.equal(sink.errors[0]!.code, 'response-timeout');
      clock.advance(800);
      assert.equal(transport.last.isWatch, isWatch);
    }
  });

  it('for the rest of a list', () => {
    const { transport, clock, sink, reflector } = setUp({ responseMs: 5_000 });
    reflector.start();
    transport.last.respond(200).data('{"kind":');
    clock.advance(4_999);
    assert.equal(sink.errors.length, 0);
    clock.advance(1);
    assert.equal(sink.errors[0]!.code, 'idle-timeout');
  });

  it('for something to come on a watch, and watches from the last version', () => {
    const { transport, watch, clock, sink } = watching();
    clock.advance(2 * MINUTE);
    watch.bookmark('20');
    clock.advance(2 * MINUTE);
    assert.ok(!watch.isAborted);
    clock.advance(MINUTE);

    assert.ok(watch.isAborted);
    assert.deepEqual([sink.errors[0]!.code, sink.errors[0]!.retryInMs], ['idle-timeout', 0]);
    assert.equal(transport.last.query('resourceVersion'), '20');
  });

  it('never, when there is no limit', () => {
    const { watch, clock } = watching({ watchIdleMs: 0 });
    clock.advance(600 * MINUTE);
    assert.ok(!watch.isAborted);
    assert.equal(clock.pending, 0);
  });

  it('and lists when five watches in a row brought nothing, as those of a version that the server does not have yet', () => {
    const { transport, clock } = watching();
    transport.answer = (request) => {
      if (request.isWatch) request.respond(200);
    };
    clock.advance(15 * MINUTE);

    assert.equal(transport.last.isWatch, false);
    assert.equal(transport.watches.length, 5);
  });

  it('for the body of an error, and takes what came', () => {
    const { transport, clock, sink, reflector } = setUp({ responseMs: 5_000 });
    reflector.start();
    transport.last.respond(403, { 'content-type': 'text/plain' }).data('no');
    clock.advance(5_000);

    assert.match(sink.errors[0]!.message, /the server says 403: no;/);
    assert.ok(transport.last.isAborted);
  });
});
