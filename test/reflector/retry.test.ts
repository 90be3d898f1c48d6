import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomFrom, setUp, watching } from './set-up.ts';

const MINUTE = 60_000;

function inSeconds(delaysMs: readonly (number | undefined)[]): string {
  return delaysMs.map((delayMs) => (delayMs! / 1000).toFixed(1)).join(' ');
}

describe('Reflector retries', () => {
  it('with delays that grow to a cap and stay there through ten minutes of outage', (t) => {
    const { transport, clock, sink, reflector } = setUp();
    transport.answer = (request) => void request.error();
    reflector.start();
    clock.advance(10 * MINUTE);
    const delays = sink.errors.map(({ retryInMs }) => retryInMs);

    assert.deepEqual(delays.slice(0, 6), [800, 1_600, 3_200, 6_400, 12_800, 15_000]);
    assert.deepEqual(new Set(delays.slice(5)), new Set([15_000]));
    t.diagnostic(`delays in seconds, without jitter: ${inSeconds(delays)}`);
  });

  it('with delays that stay near the cap when a watch breaks and ten minutes of outage follow', (t) => {
    const seed = 600;
    const { transport, watch, clock, sink } = watching({ random: randomFrom(seed) });
    transport.answer = (request) => void request.error('connect refused', 'connect-failed');
    watch.added('b', '11');
    clock.advance(MINUTE);
    watch.error();
    clock.advance(10 * MINUTE);
    const delays = sink.errors.map(({ retryInMs }) => retryInMs);

    assert.equal(delays[0], 0, 'the watch was a good one');
    for (const delayMs of delays.slice(6)) assert.ok(delayMs! >= 15_000 && delayMs! < 30_000);
    assert.equal(transport.lists.length, 1);
    t.diagnostic(`delays in seconds, seed ${seed}: ${inSeconds(delays)}`);
  });

  it('with jitter, from the step to twice the step and never more than 30 seconds', () => {
    const seed = 20_240_917;
    const { transport, clock, sink, reflector } = setUp({ random: randomFrom(seed) });
    transport.answer = (request) => void request.error();
    reflector.start();
    clock.advance(60 * MINUTE);
    const delays = sink.errors.map(({ retryInMs }) => retryInMs!);
    const steps = [800, 1_600, 3_200, 6_400, 12_800];

    for (const [i, delay] of delays.entries()) {
      const step = steps[i] ?? 15_000;
      assert.ok(delay >= step && delay < 2 * step, `delay ${i} is ${delay}, seed ${seed}`);
    }
    assert.ok(new Set(delays).size > delays.length / 2);
  });

  it('from the time of the failure, however long the try took', () => {
    const { transport, clock, reflector } = setUp();
    reflector.start();
    clock.advance(50_000);
    transport.last.error();
    clock.advance(799);
    assert.equal(transport.requests.length, 1);
    clock.advance(1);
    assert.equal(transport.requests.length, 2);
  });

  it('with the first delay again only after a good watch, not after a list', () => {
    const { transport, clock, sink, reflector } = setUp();
    reflector.start();
    for (let i = 0; i < 3; i++) {
      transport.last.error();
      clock.advance(MINUTE / 2);
    }
    transport.last.list([], '10');
    transport.last.error();
    assert.equal(sink.errors.at(-1)!.retryInMs, 6_400);
    clock.advance(6_400);

    transport.last.respond(200).bookmark('11').error();
    clock.advance(1_000);
    transport.last.error();
    assert.equal(sink.errors.at(-1)!.retryInMs, 800);
  });

  it('not before the server wants it, said by header or Status', () => {
    const cases: [headers: Record<string, string>, details: object, waitMs: number][] = [
      [{ 'retry-after': '20' }, {}, 20_000],
      [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, {}, 30_000],
      [{}, { retryAfterSeconds: 40 }, 40_000],
      [{ 'retry-after': '5' }, { retryAfterSeconds: 2 }, 5_000],
      [{ 'retry-after': '0' }, {}, 800],
      [{ 'retry-after': 'soon' }, {}, 800],
      [{ 'retry-after': '99999999999999' }, {}, 3_600_000],
    ];
    for (const [headers, details, waitMs] of cases) {
      const { transport, sink, reflector } = setUp();
      reflector.start();
      transport.last.refuse(429, 'TooManyRequests', { details }, headers);
      assert.deepEqual(
        [sink.errors[0]!.retryInMs, sink.errors[0]!.status],
        [waitMs, 429],
        JSON.stringify(headers),
      );
    }
  });

  for (const isWatch of [false, true]) {
    it(`a ${isWatch ? 'watch' : 'list'} at once with new credentials after a 401, then with delays`, () => {
      const { transport, clock, sink, reflector } = setUp();
      reflector.start();
      if (isWatch) transport.last.list([], '10');
      const before = transport.requests.length;
      assert.equal(transport.last.request.refreshCredentials, undefined);
      transport.last.refuse(401, 'Unauthorized');
      assert.equal(transport.requests.length, before + 1);
      assert.equal(transport.last.request.refreshCredentials, true);

      transport.last.refuse(401, 'Unauthorized');
      assert.equal(transport.requests.length, before + 1);
      assert.deepEqual(
        sink.errors.map(({ code, retryInMs }) => [code, retryInMs]),
        [
          ['unauthorized', 0],
          ['unauthorized', 800],
        ],
      );
      clock.advance(800);
      assert.equal(transport.last.request.refreshCredentials, true);
      assert.equal(transport.last.isWatch, isWatch);

      if (isWatch) transport.last.respond(200).bookmark('11').end();
      else transport.last.list([], '10');
      clock.advance(1_000);
      assert.equal(transport.last.request.refreshCredentials, undefined);
    });
  }

  it('the same page after a 401 in the middle of a list', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    transport.last.list(['a'], '10', { continue: 't1' });
    transport.last.refuse(401, 'Unauthorized');
    assert.equal(transport.last.query('continue'), 't1');
    transport.last.list(['b'], '10');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'end 10']);
  });

  for (const [code, name, remedy] of [
    [403, 'forbidden', /grant the verbs list and watch/],
    [404, 'not-found', /custom resource definition/],
    [405, 'method-not-allowed', /can be listed and watched/],
  ] as const) {
    it(`slowly after ${code}, and says what to do`, () => {
      const { transport, clock, sink, reflector } = setUp();
      transport.answer = (request) => void request.refuse(code, 'Reason');
      reflector.start();
      clock.advance(10 * MINUTE);

      assert.equal(sink.errors[0]!.code, name);
      assert.match(sink.errors[0]!.message, remedy);
      assert.ok(sink.errors.every(({ retryInMs }) => retryInMs! >= MINUTE && retryInMs! <= 1.5 * MINUTE));
      assert.equal(transport.requests.length, 11);
    });
  }

  it('slowly, and lists, when a watch is not allowed', () => {
    const { transport, clock, reflector } = setUp();
    transport.answer = (request) => void (request.isWatch ? request.refuse(405) : request.list([], '10'));
    reflector.start();
    clock.advance(10 * MINUTE);

    assert.equal(transport.lists.length, 11);
    assert.equal(transport.watches.length, 11);
  });

  it('a list that could not be had for lack of credentials, and hands on what to do', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    transport.last.error('the plugin was not found; install it', 'exec-failed');

    assert.equal(sink.errors[0]!.code, 'exec-failed');
    assert.match(
      sink.errors[0]!.message,
      /^list of pods failed: the plugin was not found; install it; next try/,
    );
  });

  it('when a transport throws', () => {
    const { transport, sink, reflector } = setUp();
    transport.answer = () => {
      throw new Error('boom');
    };
    reflector.start();

    assert.equal(reflector.state, 'backingOff');
    assert.match(sink.errors[0]!.message, /boom/);
  });

  it('after an error whose body is long, reading no more than it needs', () => {
    const { transport, sink, reflector } = setUp();
    reflector.start();
    transport.last.respond(500, { 'content-type': 'text/plain' }).data('x'.repeat(70_000));

    assert.ok(transport.last.isAborted);
    assert.ok(sink.errors[0]!.message.length < 500);
  });
});
