/** A TCP proxy that does what load balancers and NAT do to connections on which nothing was said for a while. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import { kubeConfigOf } from './kube-config.ts';

/** What happens to an idle connection: closed, or forgotten, so that nothing passes any more and nobody is told. */
type Fate = 'closed' | 'forgotten';

export class IdleProxy {
  /** Connections that were given up. */
  givenUp = 0;
  readonly #targetPort: number;
  readonly #fate: Fate;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #idleMs = 0;

  private constructor(targetPort: number, fate: Fate) {
    this.#targetPort = targetPort;
    this.#fate = fate;
    this.#server = createServer((client) => this.#join(client));
  }

  static async start(targetPort: number, fate: Fate): Promise<IdleProxy> {
    const proxy = new IdleProxy(targetPort, fate);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  kubeConfig(): KubeConfig {
    return kubeConfigOf(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** From now on connections that are quiet for so long are given up; 0 for none, as at first. */
  giveUpAfter(idleMs: number): void {
    this.#idleMs = idleMs;
    for (const client of this.#clients) client.setTimeout(idleMs);
  }

  stop(): void {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    const server = connect(this.#targetPort, '127.0.0.1');
    this.#clients.add(client);
    client.on('error', () => {});
    server.on('error', () => {});
    client.pipe(server).pipe(client);
    client.on('close', () => {
      this.#clients.delete(client);
      server.destroy();
    });
    server.on('close', () => {
      if (!client.isPaused()) client.destroy();
    });
    // Whatever passes in either direction passes through this socket.
    client.setTimeout(this.#idleMs);
    client.on('timeout', () => this.#giveUp(client, server));
  }

  #giveUp(client: Socket, server: Socket): void {
    this.givenUp++;
    client.setTimeout(0);
    if (this.#fate === 'closed') {
      client.destroy();
      return;
    }
    client.unpipe(server);
    client.pause();
    server.unpipe(client);
    server.destroy();
  }
}
