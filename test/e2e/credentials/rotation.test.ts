import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { SharedInformerFactory } from '../../../src/index.ts';
import { Authority } from '../../transport/certificates.ts';
import { config } from '../../transport/kube-configs.ts';
import { until } from '../until.ts';
import type { Visit } from './gate.ts';
import { CONFIG_MAPS, Ward } from './ward.ts';

let ward: Ward;
before(async () => {
  ward = await Ward.open();
});
afterEach(() => ward.clear());
after(() => ward.close());

describe('credentials that change while a watch is open', () => {
  it('are those of the token file when the next watch begins, and no list is made (B53)', async () => {
    const tokenFile = ward.folder.write('token', 'one\n');
    const watcher = ward.watch(ward.parts({ user: { tokenFile } }));
    admitOnly('one');
    await watcher.start();
    await watcher.sees('before-the-token-rotated');

    ward.folder.write('token', 'another\n');
    admitOnly('another');
    ward.gate.api.closeWatches();
    await watcher.sees('after-the-token-rotated');

    assert.deepEqual(authorizations(), ['list Bearer one', 'watch Bearer one', 'watch Bearer another']);
    assert.deepEqual(watcher.errors, []);
  });

  it('leave the watch alone that is open', async () => {
    const tokenFile = ward.folder.write('token', 'one');
    const watcher = ward.watch(ward.parts({ user: { tokenFile } }));
    await watcher.start();
    ward.folder.write('token', 'another');
    admitOnly('another');

    await watcher.sees('while-it-is-open');
    assert.equal(ward.gate.visits.length, 2);
  });

  it('are those of the certificate files, over new connections, and the old ones go', async () => {
    const write = async (name: string) => {
      const { cert, key } = await ward.clientCa.issue(name);
      return {
        certFile: ward.folder.write('client.crt', cert),
        keyFile: ward.folder.write('client.key', key),
      };
    };
    const watcher = ward.watch(ward.parts({ user: await write('one') }));
    await watcher.start();
    await watcher.sees('before-the-certificate-rotated');

    await write('another');
    ward.gate.api.closeWatches();
    await watcher.sees('after-the-certificate-rotated');

    assert.deepEqual(
      ward.gate.visits.map(({ verb, certificate }) => `${verb} ${certificate}`),
      ['list one', 'watch one', 'watch another'],
    );
    assert.deepEqual(watcher.errors, []);
    await until('the old connection is closed', () => ward.gate.open.size === 1);
  });

  it('are those of a CA file, when the server has a certificate of another CA', async () => {
    const caFile = ward.folder.write('ca.crt', ward.serverCa.cert);
    const watcher = ward.watch({ cluster: { server: ward.gate.url, caFile } });
    await watcher.start();
    await watcher.sees('before-the-ca-rotated');

    const newCa = await Authority.create('another CA');
    ward.gate.present(await newCa.issue('server', { isServer: true }));
    ward.folder.write('ca.crt', newCa.cert);
    for (const socket of ward.gate.open) socket.destroy();
    await watcher.sees('after-the-ca-rotated');

    assert.deepEqual(
      watcher.errors.map(({ code }) => code),
      ['connection-reset'],
    );
  });
});

describe('credentials that end while a watch is open', () => {
  it('are renewed before the next watch when the plugin said when they end (B52)', async () => {
    const { exec, runs } = ward.folder.plugin(
      `credential({ token: 'run-' + run, expirationTimestamp: new Date(Date.now() + 60_000).toISOString() });`,
    );
    const watcher = ward.watch(ward.parts({ user: { exec } }));
    admitOnly('run-1');
    await watcher.start();
    await watcher.sees('before-the-end');
    // Half a minute before the end is late enough.
    mockLater(40_000);
    admitOnly('run-2');
    ward.gate.api.closeWatches();
    await watcher.sees('after-the-end');

    assert.deepEqual(authorizations(), ['list Bearer run-1', 'watch Bearer run-1', 'watch Bearer run-2']);
    assert.equal(runs(), 2);
    assert.deepEqual(watcher.errors, []);
  });

  it('are renewed once and at once after a 401, and the watch goes on where it was (B52)', async () => {
    const { exec, runs } = ward.folder.plugin(`credential({ token: 'run-' + run });`);
    const watcher = ward.watch(ward.parts({ user: { exec } }));
    await watcher.start();
    await watcher.sees('before-the-401');
    admitOnly('run-2');
    ward.gate.api.closeWatches();
    await watcher.sees('after-the-401');

    assert.deepEqual(authorizations(), [
      'list Bearer run-1',
      'watch Bearer run-1',
      'watch Bearer run-1',
      'watch Bearer run-2',
    ]);
    assert.equal(runs(), 2);
    assert.deepEqual(
      watcher.errors.map(({ code, status, retryInMs }) => [code, status, retryInMs]),
      [['unauthorized', 401, 0]],
    );
    assert.match(
      watcher.errors[0]!.message,
      /^watch of configmaps failed: the server says 401: Unauthorized \(cluster test, user ann\); check that the credentials/,
    );
  });

  it('are asked for with growing delays when new ones are refused too', async () => {
    const { exec, runs } = ward.folder.plugin(`credential({ token: 'run-' + run });`);
    const watcher = ward.watch(ward.parts({ user: { exec } }));
    ward.gate.admits = () => false;
    watcher.factory.start().catch(() => {});
    await until('it gave up twice', () => watcher.errors.length >= 3);

    const [first, second, third] = watcher.errors;
    assert.deepEqual([first!.retryInMs, second!.retryInMs! > 0], [0, true]);
    assert.ok(third!.retryInMs! > second!.retryInMs! / 2);
    // New ones a moment later would be refused as well.
    assert.equal(runs(), 2);
    ward.gate.admits = () => true;
    await watcher.factory.waitForCacheSync();
  });
});

describe('a plugin', () => {
  it('that ten reflectors on two workers ask at once runs once (B52)', async () => {
    const { exec, runs } = ward.folder.plugin(`credential({ token: 'run-' + run });`);
    const factory = new SharedInformerFactory(config(ward.parts({ user: { exec } })), { workers: 2 });
    ward.atEnd(() => factory.stop());
    for (let i = 0; i < 10; i++) factory.informerFor({ ...CONFIG_MAPS, namespace: `n${i}` });
    await factory.start();
    await until('all watch', () => ward.gate.visits.length === 20);

    assert.equal(runs(), 1);
  });

  it('whose token ten reflectors had when it was refused runs once more', async () => {
    const { exec, runs } = ward.folder.plugin(`credential({ token: 'run-' + run });`);
    const factory = new SharedInformerFactory(config(ward.parts({ user: { exec } })), { workers: 2 });
    ward.atEnd(() => factory.stop());
    for (let i = 0; i < 10; i++) factory.informerFor({ ...CONFIG_MAPS, namespace: `n${i}` });
    admitOnly('run-2');
    await factory.start();

    assert.equal(runs(), 2);
  });
});

function admitOnly(token: string): void {
  ward.gate.admits = ({ authorization }: Visit) => authorization === `Bearer ${token}`;
}

function authorizations(): string[] {
  return ward.gate.visits.map(({ verb, authorization }) => `${verb} ${authorization}`);
}

/** Lets the time of day of this thread be later until the end of the test. */
function mockLater(laterMs: number): void {
  const { now } = Date;
  Date.now = () => now() + laterMs;
  ward.atEnd(() => {
    Date.now = now;
  });
}
