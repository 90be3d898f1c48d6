import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import type { ConnectionInfo } from '../../src/transport/index.ts';
import { CredentialsBroker, CredentialsError } from '../../src/transport/index.ts';

describe('CredentialsBroker', () => {
  it('asks once for all questions that come together', async () => {
    const { broker, reads } = setUp();
    const kubeConfig = new KubeConfig();
    const answers = Array.from({ length: 10 }, () => broker.connectionInfo(kubeConfig, false));
    reads[0]!.answer('one');

    assert.deepEqual(await tokens(answers), Array(10).fill('one'));
    assert.equal(reads.length, 1);
  });

  it('asks again for a question that comes later', async () => {
    const { broker, reads } = setUp();
    const kubeConfig = new KubeConfig();
    for (const token of ['one', 'two']) {
      const answer = broker.connectionInfo(kubeConfig, false);
      reads.at(-1)!.answer(token);
      assert.deepEqual(await tokens([answer]), [token]);
    }
  });

  it('asks for each KubeConfig by itself', () => {
    const { broker, reads } = setUp();
    broker.connectionInfo(new KubeConfig(), false);
    broker.connectionInfo(new KubeConfig(), false);

    assert.equal(reads.length, 2);
  });

  it('does not answer a question for new credentials with those under way', async () => {
    const { broker, reads } = setUp();
    const kubeConfig = new KubeConfig();
    const plain = broker.connectionInfo(kubeConfig, false);
    const renewed = broker.connectionInfo(kubeConfig, true);
    reads[0]!.answer('old');
    assert.deepEqual(await tokens([plain]), ['old']);
    await turn();
    reads[1]!.answer('new');

    assert.deepEqual(await tokens([renewed]), ['new']);
    assert.deepEqual(
      reads.map(({ refresh }) => refresh),
      [false, true],
    );
  });

  it('renews once when many were refused one after the other, and again after a while', async () => {
    const { broker, reads, clock } = setUp();
    const kubeConfig = new KubeConfig();
    for (const now of [0, 9_999, 10_000]) {
      clock.now = now;
      const answer = broker.connectionInfo(kubeConfig, true);
      reads.at(-1)!.answer('x');
      await answer;
    }

    assert.deepEqual(
      reads.map(({ refresh }) => refresh),
      [true, false, true],
    );
  });

  it('gives an error to all who wait, and asks anew afterwards', async () => {
    const { broker, reads } = setUp();
    const kubeConfig = new KubeConfig();
    const answers = [broker.connectionInfo(kubeConfig, false), broker.connectionInfo(kubeConfig, false)];
    reads[0]!.fail(new CredentialsError('no', { code: 'exec-failed' }));
    for (const answer of answers) await assert.rejects(answer, { code: 'exec-failed' });

    const later = broker.connectionInfo(kubeConfig, false);
    reads[1]!.answer('yes');
    assert.deepEqual(await tokens([later]), ['yes']);
  });

  it('gives up on an answer that does not come, and asks anew afterwards', async () => {
    const { broker, reads, clock } = setUp();
    const kubeConfig = new KubeConfig();
    const answer = broker.connectionInfo(kubeConfig, false);
    clock.fire();
    await assert.rejects(answer, { code: 'credentials-timeout' });

    const later = broker.connectionInfo(kubeConfig, false);
    reads[1]!.answer('yes');
    assert.deepEqual(await tokens([later]), ['yes']);
  });
});

interface Read {
  readonly refresh: boolean;
  answer(token: string): void;
  fail(error: Error): void;
}

function setUp() {
  const reads: Read[] = [];
  const timers = new Set<() => void>();
  const clock = {
    now: 0,
    fire: () => {
      for (const callback of timers) callback();
    },
  };
  const read = (_kubeConfig: KubeConfig, { refresh = false }: { refresh?: boolean }) => {
    const { promise, resolve, reject } = Promise.withResolvers<ConnectionInfo>();
    reads.push({
      refresh,
      answer: (token) =>
        resolve({ server: 'https://example.com', headers: { Authorization: token }, tls: {} }),
      fail: reject,
    });
    return promise;
  };
  const setTimer = (_delayMs: number, callback: () => void) => {
    timers.add(callback);
    return () => timers.delete(callback);
  };
  return { broker: new CredentialsBroker({ read, clock: { now: () => clock.now, setTimer } }), reads, clock };
}

async function tokens(answers: Promise<ConnectionInfo>[]): Promise<unknown[]> {
  return (await Promise.all(answers)).map(({ headers }) => headers.Authorization);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
