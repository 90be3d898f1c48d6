/** The API servers that the reflectors of one worker talk to: the connections to each, and how many at a time. */
import { type Clock, ConnectBudget, type Transport } from '../reflector/index.ts';
import { type ConnectionInfo, UndiciTransport } from '../transport/index.ts';

/** Where requests to one API server go. */
export interface ServerTransport extends Transport {
  /** Ends all requests silently. */
  close(): Promise<void>;
}

/** Makes the transport of a server; `connect` says how to reach it. */
export type OpenTransport = (connect: (refresh: boolean) => Promise<ConnectionInfo>) => ServerTransport;

export interface ServersOptions {
  readonly clock: Clock;
  readonly openTransport: OpenTransport;
  /** Asks the home thread how to reach a cluster. */
  readonly connect: (cluster: number, refresh: boolean) => Promise<ConnectionInfo>;
}

interface Server {
  readonly transport: ServerTransport;
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
    const { clock, openTransport, connect } = this.#options;
    const server = {
      transport: openTransport((refresh) => connect(cluster, refresh)),
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

/**
 * Sockets of this thread.
 *
 * @param tcpKeepAliveMs - silence on a socket after which TCP probes the other end; the transport's default when absent
 */
export function undiciTransport(tcpKeepAliveMs: number | undefined): OpenTransport {
  return (connect) => new UndiciTransport(connect, { keepAliveMs: tcpKeepAliveMs });
}
