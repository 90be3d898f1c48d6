/** The API servers that the reflectors of one worker talk to: the connections to each, and how many at a time. */
import { type Clock, ConnectBudget } from '../reflector/index.ts';
import { type ConnectionInfo, UndiciTransport } from '../transport/index.ts';

export interface ServersOptions {
  readonly clock: Clock;
  /** Silence on a socket after which TCP probes the other end; the transport's default when absent. */
  readonly tcpKeepAliveMs: number | undefined;
  /** Asks the home thread how to reach a cluster. */
  readonly connect: (cluster: number, refresh: boolean) => Promise<ConnectionInfo>;
}

interface Server {
  readonly transport: UndiciTransport;
  readonly budget: ConnectBudget;
}

export class Servers {
  readonly #options: ServersOptions;
  readonly #byCluster = new Map<number, Server>();

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  /** @param cluster - its number at the home thread */
  of(cluster: number): Server {
    const known = this.#byCluster.get(cluster);
    if (known !== undefined) return known;
    const { clock, tcpKeepAliveMs, connect } = this.#options;
    const server = {
      transport: new UndiciTransport((refresh) => connect(cluster, refresh), { keepAliveMs: tcpKeepAliveMs }),
      budget: new ConnectBudget({ clock, random: Math.random }),
    };
    this.#byCluster.set(cluster, server);
    return server;
  }

  /** Ends all requests silently and closes all sockets. */
  async close(): Promise<void> {
    await Promise.all([...this.#byCluster.values()].map(({ transport }) => transport.close()));
  }
}
