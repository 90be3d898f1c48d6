import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FakeRequest } from './fake-transport.ts';
import { statusOf } from './fake-transport.ts';
import { setUp, watching } from './set-up.ts';

const MINUTE = 60_000;

describe('Reflector does not storm', () => {
  it('a server that answers 410 to every version, as status or in the stream', () => {
    for (const inStream of [false, true]) {
      const { transport, clock, reflector } = setUp();
      transport.answer = (request) => {
        if (!request.isWatch) request.list(['a'], '10');
        else if (inStream) request.respond(200).event('ERROR', statusOf(410, 'Expired'));
        else request.refuse(410, 'Expired');
      };
      reflector.start();
      clock.advance(10 * MINUTE);

      assert.ok(transport.lists.length <= 46, `${transport.lists.length} lists in ten minutes`);
      assert.ok(transport.requests.length <= 2 * 46);
    }
  });

  it('a server that answers 410 to lists as well', () => {
    const { transport, clock, reflector } = setUp();
    transport.answer = (request) => void request.refuse(410, 'Expired');
    reflector.start();
    clock.advance(10 * MINUTE);

    assert.ok(transport.requests.length <= 46, `${transport.requests.length} requests in ten minutes`);
  });

  it('a server that answers 410 to every stream of initial events and every watch', () => {
    const { transport, clock, reflector } = setUp({ initialList: 'watchList' });
    transport.answer = (request) => {
      if (request.isStream) request.respond(200).marker('10').event('ERROR', statusOf(410, 'Expired'));
      else if (request.isWatch) request.refuse(410, 'Expired');
      else request.list(['a'], '10');
    };
    reflector.start();
    clock.advance(10 * MINUTE);

    assert.ok(transport.requests.length <= 2 * 46, `${transport.requests.length} requests in ten minutes`);
  });

  it('a server that sends one event before each 410', () => {
    const { transport, clock, reflector } = setUp();
    let version = 10;
    transport.answer = (request) => {
      if (request.isWatch)
        request.respond(200).added('b', String(++version)).event('ERROR', statusOf(410, 'Expired'));
      else request.list(['a'], String(++version));
    };
    reflector.start();
    clock.advance(10 * MINUTE);

    assert.ok(transport.lists.length <= 60, `${transport.lists.length} lists in ten minutes`);
  });

  it('and lists at once at most once a minute', () => {
    const { transport, clock, sink } = watching();
    const expire = () =>
      transport.last
        .respond(200)
        .added('b', String(clock.now() + 20))
        .event('ERROR', statusOf(410));
    transport.last.added('b', '11').event('ERROR', statusOf(410));
    transport.last.list([], '20');
    clock.advance(59_000);
    expire();
    assert.equal(sink.errors.at(-1)!.retryInMs, 800);
    clock.advance(1_000);
    transport.last.list([], String(clock.now()));
    expire();
    assert.equal(sink.errors.at(-1)!.retryInMs, 0);
  });
});

describe('Reflector loses and doubles nothing, and does not storm, when a thousand watches in a row', () => {
  /** How a watch ends, and the least time from one watch to the next when it brought an event or nothing. */
  const ends: Record<string, { end(watch: FakeRequest): void; eventMs: number; nothingMs: number }> = {
    'end cleanly': { end: (watch) => watch.end(), eventMs: 1_000, nothingMs: 14_500 },
    'are reset': { end: (watch) => watch.error(), eventMs: 1_000, nothingMs: 14_500 },
    'are cut in the middle of an event': {
      end: (watch) => watch.data('{"type":"ADDED","object":{"meta').end(),
      eventMs: 1_000,
      nothingMs: 14_500,
    },
    'are reset in the middle of an event': {
      end: (watch) => watch.data('{"type":"ADDED","object":{"meta').error(),
      eventMs: 1_000,
      nothingMs: 14_500,
    },
    // Three minutes of silence show it; then five in a row are answered with a list.
    'say nothing more': { end: () => {}, eventMs: 180_000, nothingMs: 150_000 },
  };
  for (const [what, { end, eventMs, nothingMs }] of Object.entries(ends)) {
    for (const brings of ['an event', 'nothing'] as const) {
      it(`${what} after ${brings}`, () => {
        const { transport, sink, clock, reflector } = setUp();
        let version = 10;
        transport.answer = (request) => {
          if (!request.isWatch) return void request.list([], String(version));
          assert.equal(request.query('resourceVersion'), String(version));
          request.respond(200);
          if (brings === 'an event') request.added('b', String(++version));
          end(request);
        };
        reflector.start();
        while (transport.watches.length < 1_000) clock.advance(1_000);

        const events = sink.versions.filter((_, i) => sink.deltas[i] === 'ADDED b');
        const expected = Array.from({ length: version - 10 }, (_, i) => String(11 + i));
        assert.deepEqual(events, expected);
        const isSilence = what === 'say nothing more' && brings === 'nothing';
        assert.equal(transport.lists.length, isSilence ? 200 : 1);
        const leastMs = 999 * (brings === 'an event' ? eventMs : nothingMs);
        assert.ok(clock.now() >= leastMs, `${clock.now()} ms for a thousand watches`);
        assert.equal(sink.open.size, isOpen(transport.last) ? 1 : 0);
      });
    }
  }
});

function isOpen(request: FakeRequest): boolean {
  return !request.isOver && !request.isAborted;
}
