import assert from 'node:assert/strict';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { SharedInformerFactory } from '../../../src/index.ts';
import { config } from '../../transport/kube-configs.ts';
import { until } from '../until.ts';
import { CONFIG_MAPS, Ward } from './ward.ts';

let ward: Ward;
before(async () => {
  ward = await Ward.open();
});
afterEach(() => ward.clear());
after(() => ward.close());

describe('connections', () => {
  it('are used again when a watch ends cleanly and when a token changes: one socket over TLS (B32)', async () => {
    const tokenFile = ward.folder.write('token', 'token 0');
    const watcher = ward.watch(ward.parts({ user: { tokenFile } }));
    const accepted = ward.gate.accepted;
    await watcher.start();
    for (let i = 1; i <= 3; i++) {
      await watcher.sees(`before-end-${i}`);
      ward.folder.write('token', `token ${i}`);
      ward.gate.api.closeWatches();
      await until('it watches again', () => ward.gate.visits.length === i + 2);
    }

    assert.equal(ward.gate.accepted - accepted, 1);
    assert.equal(ward.gate.visits.at(-1)!.authorization, 'Bearer token 3');
    assert.deepEqual(watcher.errors, []);
  });

  it('of several clusters and users are apart, in one worker', async () => {
    const other = await Ward.open();
    ward.atEnd(() => other.close());
    const factory = new SharedInformerFactory(config(ward.parts({ user: { token: 'ann' } })));
    ward.atEnd(() => factory.stop());
    const asBob = config(ward.parts({ user: { token: 'bob' } }));
    const elsewhere = config(other.parts({ user: { token: 'eve' } }));
    const informers = [undefined, asBob, elsewhere].map((kubeConfig) =>
      factory.informerFor(CONFIG_MAPS, kubeConfig === undefined ? {} : { kubeConfig }),
    );
    assert.equal(factory.informerFor(CONFIG_MAPS, { kubeConfig: asBob }), informers[1]);
    ward.gate.create('here');
    other.gate.create('there');
    await factory.start();
    await until('all watch', () => ward.gate.visits.length === 4 && other.gate.visits.length === 2);

    const tokens = (one: Ward) =>
      [...new Set(one.gate.visits.map(({ authorization }) => authorization))].sort();
    assert.deepEqual([tokens(ward), tokens(other)], [['Bearer ann', 'Bearer bob'], ['Bearer eve']]);
    assert.deepEqual([ward.gate.open.size, other.gate.open.size], [2, 1]);
    assert.deepEqual(
      informers.map(({ lister }) => [lister.has('default/here'), lister.has('default/there')]),
      [
        [true, false],
        [true, false],
        [false, true],
      ],
    );
    assert.equal(informers[0]!.lister.size, informers[1]!.lister.size);
  });

  it('of one cluster that has no credentials keep none of another from its objects', async () => {
    const factory = new SharedInformerFactory(config(ward.parts()));
    ward.atEnd(() => factory.stop());
    const good = factory.informerFor(CONFIG_MAPS);
    const kubeConfig = config(ward.parts({ user: { tokenFile: '/nowhere/token' } }));
    const bad = factory.informerFor(CONFIG_MAPS, { kubeConfig });
    const codes: string[] = [];
    bad.on('error', ({ code }) => codes.push(code));
    factory.start().catch(() => {});
    await good.synced;
    await until('the other one failed', () => codes.length > 0);

    assert.deepEqual([codes[0], bad.hasSynced], ['file-unreadable', false]);
  });

  it('that a tunnel’s proxy cuts when they are idle are replaced, and nothing is listed (B13)', async () => {
    const proxy = await IdleTunnels.start();
    ward.atEnd(() => proxy.stop());
    const watcher = ward.watch(
      ward.parts({ cluster: { server: ward.gate.url, proxyUrl: `http://127.0.0.1:${proxy.port}` } }),
    );
    await watcher.start();
    for (let cut = 1; cut <= 2; cut++) {
      proxy.cutOneAfter(100);
      await until('the proxy cut it', () => proxy.cuts === cut);
      await watcher.sees(`after-cut-${cut}`);
    }

    assert.deepEqual(
      ward.gate.visits.map(({ verb }) => verb),
      ['list', 'watch', 'watch', 'watch'],
    );
    assert.ok(watcher.errors.every(({ message }) => /through the proxy 127\.0\.0\.1/.test(message)));
  });
});

/** A proxy for tunnels that cuts one on which nothing was said for a while. */
class IdleTunnels {
  cuts = 0;
  readonly #server: Server = net.createServer((client) => this.#join(client));
  readonly #clients = new Set<Socket>();
  #idleMs = 0;

  static async start(): Promise<IdleTunnels> {
    const proxy = new IdleTunnels();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The first that is quiet for so long is cut, and no other. */
  cutOneAfter(idleMs: number): void {
    this.#idleMs = idleMs;
    for (const client of this.#clients) client.setTimeout(idleMs);
  }

  stop(): void {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    this.#clients.add(client);
    client.setTimeout(this.#idleMs);
    client.on('error', () => {});
    client.once('data', () => {
      const target = net.connect(ward.gate.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      target.on('error', () => client.destroy());
      client.on('close', () => target.destroy());
    });
    client.on('timeout', () => {
      this.cuts++;
      this.cutOneAfter(0);
      client.destroy();
    });
    client.on('close', () => this.#clients.delete(client));
  }
}
