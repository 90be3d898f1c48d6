import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sleep, withLimit } from '../../src/controller/timing.ts';
import { ManualClock, settle } from './manual-clock.ts';

const NEVER = new AbortController().signal;

describe('sleep', () => {
  it('ends after its time, or when its signal aborts, and leaves nothing behind', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const ended: string[] = [];
    void sleep(clock, 100, controller.signal).then(() => ended.push('short'));
    void sleep(clock, 1000, controller.signal).then(() => ended.push('long'));
    await clock.advance(100);
    assert.deepEqual(ended, ['short']);
    controller.abort();
    await settle();

    assert.deepEqual(ended, ['short', 'long']);
    assert.equal(clock.pending, 0);
    await sleep(clock, 1000, controller.signal);
  });
});

describe('withLimit', () => {
  it('gives what the request gives, and leaves nothing behind', async () => {
    const clock = new ManualClock();
    assert.equal(await withLimit(clock, 100, NEVER, async () => 7), 7);
    await assert.rejects(
      withLimit(clock, 100, NEVER, () => Promise.reject(new Error('bad answer'))),
      /bad answer/,
    );
    await assert.rejects(
      withLimit(clock, 100, NEVER, () => {
        throw new Error('bad call');
      }),
      /bad call/,
    );
    assert.equal(clock.pending, 0);
  });

  it('aborts the request at its limit, and waits for it no longer', async () => {
    const clock = new ManualClock();
    let signal: AbortSignal | undefined;
    const limited = withLimit(clock, 2_500, NEVER, (given) => {
      signal = given;
      return new Promise(() => {});
    });
    limited.catch(() => {});
    await clock.advance(2_499);
    assert.equal(signal!.aborted, false);
    await clock.advance(1);

    assert.equal(signal!.aborted, true);
    await assert.rejects(limited, { code: 'KUBERING_REQUEST_TIMEOUT', message: /in 2\.5 s/ });
    assert.equal(clock.pending, 0);
  });

  it('aborts the request with its signal, or does not even begin', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const reason = new Error('not needed');
    const limited = withLimit(clock, 1000, controller.signal, () => new Promise(() => {}));
    controller.abort(reason);
    await assert.rejects(limited, (error) => error === reason);
    await assert.rejects(
      withLimit(clock, 1000, controller.signal, () => assert.fail('was called')),
      (error) => error === reason,
    );
    assert.equal(clock.pending, 0);
  });
});
