import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { added, Events, Home, script, someTurns, thing, thingList, until } from './home.ts';

const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'the version is gone' };

describe('errors of list and watch functions', () => {
  const expired: [string, unknown][] = [
    ['an error with code 410', Object.assign(new Error('old'), { code: 410 })],
    ['an object with code 410', { code: 410 }],
    ['an object with statusCode 410', { statusCode: 410 }],
    ['a Status', status],
    ['a Status without a code', { kind: 'Status', reason: 'Expired' }],
    ['an ApiException of client-node', new ApiException(410, 'Gone', status, {})],
    ['an ApiException whose body is text', new ApiException(410, 'Gone', JSON.stringify(status), {})],
  ];
  for (const [what, error] of expired) {
    it(`lists again when the watch function throws ${what}`, async () => {
      const source = script([thingList([], '5')], [() => Promise.reject(error), new Events()]);
      const home = new Home().start(source.listerWatcher);
      await until('it is told', () => home.errors.length === 1);
      home.clock.advance(2000);
      await until('it watches', () => source.count('watch') === 2);

      assert.equal(source.count('list'), 2);
      assert.equal(home.errors[0]!.resource, 'things');
      assert.equal(home.errors[0]!.code, 'expired');
      assert.equal(home.errors[0]!.cause, error);
      home.stop();
    });
  }

  for (const [what, act] of [
    ['throws in the middle', (watch: Events) => watch.fail({ code: 410 })],
    ['gives an ERROR event', (watch: Events) => watch.give({ type: 'ERROR', object: status })],
  ] as const) {
    it(`lists again when the watch ${what}, and keeps what came before`, async () => {
      const watch = new Events();
      const source = script([thingList([], '5')], [watch, new Events()]);
      const home = new Home().start(source.listerWatcher);
      watch.give(added(thing('ns/a', 6)));
      await until('it came', () => home.seen.length === 1);
      act(watch);
      await until('it lists', () => source.count('list') === 2);

      assert.equal(home.errors[0]!.status, 410);
      assert.deepEqual(home.seen.slice(0, 1), ['add ns/a']);
      assert.ok(watch.returned || what === 'throws in the middle');
      home.stop();
    });
  }

  it('asks again with growing delays when a function throws anything else, and says what was thrown', async () => {
    const error = Object.assign(new Error('no route\nsecond line'), { code: 'EHOSTUNREACH' });
    const source = script([() => Promise.reject(error)]);
    const home = new Home().start(source.listerWatcher);
    const delays: number[] = [];
    for (let round = 1; round <= 3; round++) {
      await until('it is told', () => home.errors.length === round);
      delays.push(home.errors.at(-1)!.retryInMs!);
      home.clock.advance(delays.at(-1)!);
    }

    assert.deepEqual(
      delays,
      [...delays].sort((a, b) => a - b),
    );
    assert.ok(delays[0]! < delays[2]!);
    const { message, code, cause } = home.errors[0]!;
    assert.match(message, /^list of things failed: the list function threw: no route; next try in \d/);
    assert.deepEqual([code, cause], ['EHOSTUNREACH', error]);
    home.stop();
  });

  it('goes on from the last version when a watch breaks', async () => {
    const watch = new Events();
    const source = script([thingList([], '5')], [watch, new Events()]);
    const home = new Home().start(source.listerWatcher);
    watch.give(added(thing('ns/a', 6)));
    await until('it came', () => home.seen.length === 1);
    watch.fail('nothing but text');
    await until('it is told', () => home.errors.length === 1);
    home.clock.advance(2000);
    await until('it watches', () => source.count('watch') === 2);

    assert.equal(source.count('list'), 1);
    assert.equal(source.asked.at(-1)!.options.resourceVersion, '6');
    assert.equal(home.errors[0]!.code, 'watch-failed');
    home.stop();
  });

  it('is no different when a function throws before it returns a promise', async () => {
    const source = script(
      [thingList([], '5')],
      [
        () => {
          throw new TypeError('oops');
        },
      ],
    );
    const home = new Home().start(source.listerWatcher);
    await until('it is told', () => home.errors.length === 1);

    assert.match(home.errors[0]!.message, /watch of things failed: the watch function threw: oops/);
    home.stop();
  });

  it('waits as long as a server asks to, and slowly for what is forbidden', async () => {
    const throttled = new ApiException(
      429,
      'slow',
      { kind: 'Status', message: 'slow down' },
      { 'retry-after': '40' },
    );
    const forbidden = { code: 403, message: 'not yours' };
    const source = script([() => Promise.reject(throttled), () => Promise.reject(forbidden)]);
    const home = new Home().start(source.listerWatcher);
    await until('it is told', () => home.errors.length === 1);
    assert.ok(home.errors[0]!.retryInMs! >= 40_000);
    assert.match(home.errors[0]!.message, /429: slow down/);
    home.clock.advance(home.errors[0]!.retryInMs!);
    await until('it is told', () => home.errors.length === 2);

    assert.ok(home.errors[1]!.retryInMs! >= 60_000);
    assert.match(home.errors[1]!.message, /403: not yours/);
    home.stop();
  });

  for (const verb of ['list', 'watch'] as const) {
    it(`gives up a ${verb} function that never answers, and aborts its signal`, async () => {
      const never = () => new Promise(() => {});
      const source = script([verb === 'list' ? never : thingList([], '5')], [never]);
      const home = new Home().start(source.listerWatcher);
      await until('it is asked', () => source.count(verb) === 1);
      home.clock.advance(75_000);
      await until('it is told', () => home.errors.length === 1);

      assert.equal(home.errors[0]!.code, 'response-timeout');
      assert.equal((source.asked.at(-1)!.options.signal as AbortSignal).aborted, true);
      home.stop();
    });
  }

  it('lets a watch be silent for ever, unless a limit is given', async () => {
    const patient = new Home().start(script([thingList([], '5')]).listerWatcher);
    const strict = new Home({ informer: { watchIdleMs: 5000 } }).start(
      script([thingList([], '5')]).listerWatcher,
    );
    await Promise.all([patient.informer.synced, strict.informer.synced]);
    await someTurns();
    patient.clock.advance(24 * 3_600_000);
    strict.clock.advance(5000);
    await until('it is told', () => strict.errors.length === 1);

    assert.equal(strict.errors[0]!.code, 'idle-timeout');
    assert.deepEqual(patient.errors, []);
    patient.stop();
    strict.stop();
  });

  it('ignores what is thrown after the end', async () => {
    const failed = Promise.withResolvers<never>();
    const home = new Home().start(script([() => failed.promise]).listerWatcher);
    await someTurns();
    home.stop();
    failed.reject(new Error('late'));
    await someTurns();

    assert.deepEqual(home.errors, []);
  });
});
