import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FakeRequest } from './fake-transport.ts';
import { statusOf } from './fake-transport.ts';
import { setUp, streaming } from './set-up.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

type Parts = ReturnType<typeof setUp>;

/** Lets the watch expire after a good time: whatever gets the objects comes next. */
function relist({ transport, clock }: Parts): FakeRequest {
  clock.advance(MINUTE);
  if (!transport.last.isWatch) throw new Error('there is no watch');
  transport.last
    .respond(200)
    .bookmark(String(100 + clock.now()))
    .event('ERROR', statusOf(410, 'Expired'));
  return transport.last;
}

/** It lists now, and does so again hours later; after that it gives streams another chance. */
function assertRemembers(parts: Parts): void {
  const { transport, clock, sink } = parts;
  assert.equal(transport.last.isWatch, false);
  assert.equal(sink.errors.at(-1)!.message.includes('the objects are listed instead'), true);
  transport.last.list(['z'], '50');
  assert.equal(sink.deltas.at(-1), 'end 50');
  assert.equal(relist(parts).isStream, false, 'remembered');

  transport.last.list(['z'], String(100 + clock.now()));
  transport.answer = (request) => void request.respond(200).bookmark(String(100 + clock.now()));
  clock.advance(6 * HOUR);
  transport.answer = undefined;
  assert.equal(relist(parts).isStream, true, 'tried again');
}

describe('Reflector falls back from a stream of initial events to a list', () => {
  it('when 30 seconds bring nothing before the marker', () => {
    const parts = streaming();
    parts.stream.added('a', '3');
    parts.clock.advance(30 * SECOND - 1);
    assert.ok(!parts.stream.isAborted);
    parts.clock.advance(1);

    assert.ok(parts.stream.isAborted);
    assert.equal(parts.sink.errors[0]!.code, 'no-initial-events-end');
    assert.match(parts.sink.errors[0]!.message, /did not come within 30 s/);
    assertRemembers(parts);
  });

  it('when two minutes bring events but no marker', () => {
    const parts = streaming();
    for (let second = 0; second < 120; second++) {
      assert.ok(!parts.stream.isAborted);
      parts.stream.added('a', String(second));
      parts.clock.advance(SECOND);
    }

    assert.ok(parts.stream.isAborted);
    assert.match(parts.sink.errors[0]!.message, /did not come within 120 s/);
    assertRemembers(parts);
  });

  for (const [what, end] of [
    ['ends', (stream) => stream.added('a', '3').end()],
    ['breaks', (stream) => stream.added('a', '3').error()],
    ['ends in the middle of an event', (stream) => stream.data('{"type":"ADD').end()],
    ['is garbage', (stream) => stream.data('garbage\n')],
    ['brings an error of the server', (stream) => stream.event('ERROR', statusOf(500, 'InternalError'))],
  ] as [string, (stream: FakeRequest) => void][]) {
    it(`when a stream ${what} before the marker, three times in a row with delays`, () => {
      const parts = streaming();
      const { transport, clock, sink } = parts;
      for (let i = 1; i <= 3; i++) {
        if (i > 1) transport.last.respond(200);
        end(transport.last);
        assert.equal(parts.reflector.state, 'backingOff');
        clock.advance(sink.errors.at(-1)!.retryInMs!);
      }

      assert.equal(transport.streams.length, 3);
      assert.deepEqual(
        sink.errors.map(({ retryInMs }) => retryInMs),
        [800, 1_600, 3_200],
      );
      assertRemembers(parts);
    });
  }

  for (const code of [500, 502, 503, 504]) {
    it(`when it is answered with ${code} three times in a row`, () => {
      const parts = setUp({ initialList: 'watchList' });
      parts.reflector.start();
      for (let i = 0; i < 3; i++) {
        parts.transport.last.refuse(code);
        parts.clock.advance(parts.sink.errors.at(-1)!.retryInMs!);
      }

      assert.equal(parts.transport.streams.length, 3);
      assertRemembers(parts);
    });
  }

  for (const [code, reason] of [
    [400, 'BadRequest'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [405, 'MethodNotAllowed'],
    [422, 'Invalid'],
  ] as const) {
    it(`at once when it is refused with ${code}`, () => {
      const parts = setUp({ initialList: 'watchList' });
      parts.reflector.start();
      parts.transport.last.refuse(code, reason);

      assert.equal(parts.transport.requests.length, 2);
      assert.equal(parts.sink.errors[0]!.retryInMs, 0);
      assertRemembers(parts);
    });
  }

  it('at once when the latest state is said to be expired', () => {
    const parts = setUp({ initialList: 'watchList' });
    parts.reflector.start();
    parts.transport.last.refuse(410, 'Expired');
    assert.equal(parts.transport.last.query('resourceVersion'), undefined, 'a quorum list');
    assertRemembers(parts);
  });

  it('when no response comes to it three times in a row', () => {
    const parts = setUp({ initialList: 'watchList', responseMs: 5_000 });
    parts.reflector.start();
    for (let i = 0; i < 3; i++) parts.clock.advance(5_000 + 3_200);

    assert.equal(parts.transport.streams.length, 3);
    assertRemembers(parts);
  });

  it('in a new Replace', () => {
    const { stream, transport, sink, clock } = streaming();
    stream.added('a', '3').added('b', '4');
    clock.advance(30 * SECOND);
    transport.last.list(['a'], '10');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'begin', 'item a', 'end 10']);
  });
});

describe('Reflector asks for a stream of initial events again', () => {
  it('as a new Replace when it broke in its middle', () => {
    const { stream, transport, sink, clock } = streaming();
    stream.added('a', '3').error();
    clock.advance(800);
    assert.equal(transport.last.isStream, true);
    transport.last.respond(200).added('b', '4').marker('9');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'begin', 'item b', 'end 9']);
  });

  it('however many broke before, when one was complete meanwhile', () => {
    const parts = streaming();
    const { transport, clock } = parts;
    for (let round = 0; round < 3; round++) {
      if (round > 0) relist(parts);
      for (let i = 0; i < 2; i++) {
        transport.last.respond(200).added('a', '3').error();
        clock.advance(30 * SECOND);
      }
      transport.last.respond(200).marker(String(100 + clock.now()));
      assert.equal(parts.reflector.state, 'watching');
    }

    assert.equal(transport.lists.length, 0);
  });

  it('with a delay after 429, for as long as it takes', () => {
    const { transport, clock, sink, reflector } = setUp({ initialList: 'watchList' });
    transport.answer = (request) => void request.refuse(429, 'TooManyRequests', {}, { 'retry-after': '7' });
    reflector.start();
    clock.advance(10 * MINUTE);

    assert.equal(sink.errors[0]!.retryInMs, 7_000);
    assert.equal(transport.lists.length, 0);
    assert.ok(transport.streams.length <= 46, `${transport.streams.length} in ten minutes`);
  });

  it('with delays while there is no connection, listing now and then, and remembers nothing of it', () => {
    const { transport, clock, reflector } = setUp({ initialList: 'watchList' });
    transport.answer = (request) => void request.error('connect refused', 'connect-failed');
    reflector.start();
    clock.advance(10 * MINUTE);
    assert.equal(transport.lists.length, Math.floor(transport.requests.length / 4));
    assert.ok(transport.requests.length <= 46, `${transport.requests.length} requests in ten minutes`);

    transport.answer = (request) =>
      void (request.isStream ? request.respond(200).marker('9') : request.error());
    clock.advance(MINUTE);
    assert.equal(reflector.state, 'watching');
  });

  for (const [what, status] of [
    ['has expired', statusOf(410, 'Expired')],
    [
      'is too large',
      statusOf(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    ],
  ] as const) {
    it(`at once and at the latest state when the last version ${what}, and then lists`, () => {
      const parts = streaming();
      const { transport, sink } = parts;
      parts.stream.marker('9');
      relist(parts).reply((status as { code: number }).code, status);
      assert.equal(transport.last.isStream, true);
      assert.equal(transport.last.query('resourceVersion'), undefined);
      assert.equal(sink.errors.at(-1)!.retryInMs, 0);
      transport.last.respond(200).event('ERROR', status);

      assert.equal(transport.last.isWatch, false);
      assert.equal(transport.last.query('resourceVersion'), undefined, 'a quorum list');
      transport.last.list([], '5');
      assert.equal(transport.last.query('resourceVersion'), '5');
    });
  }

  it('at once with new credentials after a 401, then with delays', () => {
    const { transport, clock, sink, reflector } = setUp({ initialList: 'watchList' });
    reflector.start();
    transport.last.refuse(401, 'Unauthorized');
    assert.equal(transport.last.request.refreshCredentials, true);
    transport.last.refuse(401, 'Unauthorized');
    assert.equal(sink.errors.at(-1)!.retryInMs, 800);
    clock.advance(800);
    transport.last.respond(200).marker('9');

    assert.equal(transport.streams.length, 3);
    assert.match(sink.errors[0]!.message, /^watch list of pods failed: /);
  });

  it('not faster than a list, whatever a server without a marker does', () => {
    for (const brings of ['an event', 'nothing']) {
      const { transport, clock, reflector } = setUp({ initialList: 'watchList' });
      transport.answer = (request) => {
        if (!request.isWatch) return void request.list(['a'], '10');
        request.respond(200);
        if (brings === 'an event') request.added('a', '3');
        request.end();
      };
      reflector.start();
      clock.advance(10 * SECOND);

      assert.equal(transport.streams.length, 3);
      assert.equal(transport.lists.length, 1);
      assert.equal(reflector.lastSyncResourceVersion, '10');
    }
  });
});
