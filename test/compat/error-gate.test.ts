import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { ErrorGate } from '../../src/compat/error-gate.ts';
import type { CompatError } from '../../src/compat/errors.ts';
import { InformerError, type SharedInformer } from '../../src/informer/index.ts';

describe('error gate', () => {
  it('tells the first error of an outage alone', (t) => {
    const { fail, log } = gateOf(t);
    fail(503);
    fail(503);

    assert.deepEqual(log, ['503']);
  });

  it('tells the next one after start()', (t) => {
    const { fail, log, gate } = gateOf(t);
    fail(503);
    gate.open();
    fail(500);
    fail(500);

    assert.deepEqual(log, ['503', '500']);
  });

  it('says when the server is heard again, and tells the next outage', (t) => {
    const { fail, log, look, health } = gateOf(t);
    fail(503);
    look();
    assert.deepEqual(log, ['503']);

    health.degraded = false;
    look();
    assert.deepEqual(log, ['503']);
    for (let looks = 0; looks < 5; looks++) look();
    fail(500);
    assert.deepEqual(log, ['503', 'recovered', '500']);
  });

  it('takes no answer for a recovery that turns out to be a refusal', (t) => {
    const { fail, log, look, health } = gateOf(t);
    fail(503);
    for (let tries = 0; tries < 5; tries++) {
      health.degraded = false;
      look();
      fail(503);
      health.degraded = true;
      look();
    }

    assert.deepEqual(log, ['503']);
  });

  it('leaves later outages to the latest of several that watch the same', (t) => {
    const { fail, log, look, health, gate } = gateOf(t, { isLatest: false });
    fail(503);
    health.degraded = false;
    look();
    look();
    fail(500);
    assert.deepEqual(log, ['503', 'recovered']);

    gate.open();
    fail(500);
    assert.deepEqual(log, ['503', 'recovered', '500']);
  });

  it('is silent about what client-node is silent about, and about what is tried again at once', (t) => {
    const { tell, fail, log } = gateOf(t);
    tell('expired', 410, 800);
    tell('short-watch', undefined, 800);
    tell('idle-timeout', undefined, 800);
    tell('bad-object', undefined, undefined);
    tell('unauthorized', 401, 0);
    assert.deepEqual(log, []);

    fail(503);
    assert.deepEqual(log, ['503']);
  });

  it('tells what nothing is tried against, such as full memory', (t) => {
    const { tell, log } = gateOf(t);
    tell('arena-full', undefined, undefined);

    assert.deepEqual(log, ['arena-full']);
  });

  it('tells and looks no more when it was closed', (t) => {
    const { fail, log, look, health, gate } = gateOf(t);
    fail(503);
    gate.close();
    gate.open();
    health.degraded = false;
    fail(503);
    look();
    look();

    assert.deepEqual(log, ['503']);
  });
});

function gateOf(t: TestContext, { isLatest = true } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const health = { connected: true, degraded: true };
  const informer = Object.assign(new EventEmitter(), { health: () => health });
  // An emitter throws errors that nobody listens to.
  informer.on('error', () => {});
  const log: string[] = [];
  const gate = new ErrorGate({
    informer: informer as unknown as SharedInformer,
    isLatest: () => isLatest,
    tell: (error: CompatError) => log.push(String(error.code)),
    onRecovered: () => log.push('recovered'),
  });
  const tell = (code: string, status: number | undefined, retryInMs: number | undefined) => {
    const details = {
      code,
      resource: 'pods',
      ...(status && { status }),
      ...(retryInMs !== undefined && { retryInMs }),
    };
    informer.emit('error', new InformerError('it failed', details));
  };
  return {
    gate,
    log,
    health,
    tell,
    fail: (status: number) => tell('server-error', status, 800),
    look: () => t.mock.timers.tick(250),
  };
}
