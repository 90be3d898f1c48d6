import type { Dispatcher } from 'undici';
import { Pool, ProxyAgent } from 'undici';
import { socksConnector } from './socks-connector.ts';
import type { ConnectionInfo, TlsMaterial } from './types.ts';

/** Below the idle time-outs of load balancers (60 s is the shortest that is common), so that flows stay known. */
export const KEEP_ALIVE_MS = 30_000;

/** A server that does not accept a connection in this time is as good as down. */
const CONNECT_LIMIT_MS = 10_000;

/** How long a socket waits for its next request: from one page or watch to the next it should not close. */
const IDLE_SOCKET_MS = 10_000;

/**
 * The connections to one server as one identity. Replaced only when server, proxy or TLS material change; what runs on
 * replaced ones runs to its end.
 */
export class Dispatchers {
  #identity = '';
  #current: Dispatcher | undefined;
  /** Replaced ones that still have requests. */
  readonly #leaving = new Set<Dispatcher>();
  readonly #keepAliveMs: number;

  /** @param keepAliveMs - silence on a socket after which TCP probes it; 0 never */
  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs;
  }

  /** The dispatcher for a connection: the same one as long as they are equal by value. */
  for(info: ConnectionInfo): Dispatcher {
    const identity = identityOf(info);
    if (this.#current !== undefined && identity === this.#identity) return this.#current;
    this.#retire();
    this.#identity = identity;
    this.#current = createDispatcher(info, this.#keepAliveMs);
    return this.#current;
  }

  /** Closes all sockets, used or not. */
  async destroy(): Promise<void> {
    const all = [...this.#leaving];
    if (this.#current !== undefined) all.push(this.#current);
    this.#leaving.clear();
    this.#current = undefined;
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  #retire(): void {
    const leaving = this.#current;
    if (leaving === undefined) return;
    this.#leaving.add(leaving);
    const gone = () => this.#leaving.delete(leaving);
    leaving.close().then(gone, gone);
  }
}

function identityOf({ server, tls, proxyUrl }: ConnectionInfo): string {
  const pfx = tls.pfx === undefined ? '' : Buffer.from(tls.pfx).toString('base64');
  return JSON.stringify([
    new URL(server).origin,
    proxyUrl ?? '',
    [tls.ca, tls.cert, tls.key, pfx, tls.passphrase, tls.servername, tls.rejectUnauthorized],
  ]);
}

function createDispatcher({ server, tls, proxyUrl }: ConnectionInfo, keepAliveMs: number): Dispatcher {
  const probes = { keepAlive: keepAliveMs > 0, keepAliveInitialDelay: keepAliveMs };
  const options = {
    // One watch occupies one HTTP/1.1 connection; there must be as many as there are watches.
    allowH2: false,
    pipelining: 1,
    connections: null,
    // The reflector knows when silence is wrong: while it paused a socket, it is not.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: CONNECT_LIMIT_MS,
    keepAliveTimeout: IDLE_SOCKET_MS,
  };
  const target = { ...probes, ...tlsOptions(tls), timeout: CONNECT_LIMIT_MS, allowH2: false };
  const { origin } = new URL(server);
  if (proxyUrl === undefined) return new Pool(origin, { ...options, connect: target });
  if (new URL(proxyUrl).protocol.startsWith('socks')) {
    return new Pool(origin, { ...options, connect: socksConnector(proxyUrl, target) });
  }
  return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: target, proxyTls: probes });
}

function tlsOptions(tls: TlsMaterial) {
  const { pfx, ...texts } = tls;
  // Only a Buffer is one for Node's TLS; structured clone makes a Uint8Array of it.
  return pfx === undefined ? texts : { ...texts, pfx: Buffer.from(pfx) };
}
