import type { ApiRequest, Exchange, ResponseHandlers, Transport } from '../reflector/index.ts';
import { Dispatchers, KEEP_ALIVE_MS } from './dispatchers.ts';
import { CredentialsError, safeCause, TransportError } from './errors.ts';
import type { ConnectionInfo, ConnectionProvider } from './types.ts';
import { type Peer, UndiciExchange } from './undici-exchange.ts';

/** Tells the server's audit log who is asking. */
const USER_AGENT = 'kubering';

/** All fields are optional. */
export interface TransportOptions {
  /**
   * Silence on a socket after which TCP probes whether the other end is still there, in milliseconds; 0 never. Without
   * probes a load balancer forgets a quiet watch, and a server that has gone is noticed late.
   * @default 30 s
   */
  readonly keepAliveMs?: number | undefined;
}

/**
 * Requests over HTTP/1.1 with undici's dispatch interface: chunks go from the socket to the reader as they come, and
 * those of a compressed body as they can be decoded. Asks for compression only when the request's headers do.
 * It has no time-outs besides that for connecting; limits are the reflector's.
 */
export class UndiciTransport implements Transport {
  readonly #provider: ConnectionProvider;
  readonly #dispatchers: Dispatchers;
  readonly #open = new Set<UndiciExchange>();
  #isClosed = false;

  /** @param provider - asked before each request, so that every request has valid credentials */
  constructor(provider: ConnectionProvider, { keepAliveMs = KEEP_ALIVE_MS }: TransportOptions = {}) {
    this.#provider = provider;
    this.#dispatchers = new Dispatchers(keepAliveMs);
  }

  open(request: ApiRequest, handlers: ResponseHandlers): Exchange {
    const exchange = new UndiciExchange(handlers, (over) => this.#open.delete(over));
    this.#open.add(exchange);
    void this.#start(request, exchange);
    return exchange;
  }

  /** Ends all requests silently and closes all sockets. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of [...this.#open]) exchange.abort();
    await this.#dispatchers.destroy();
  }

  async #start(request: ApiRequest, exchange: UndiciExchange): Promise<void> {
    try {
      const info = await this.#connection(request.refreshCredentials === true);
      // undici gives a socket back in the turn after its response ended; a request that follows at once must not
      // open another one.
      await new Promise(setImmediate);
      if (!exchange.isOver) this.#dispatch(request, exchange, info);
    } catch (error) {
      exchange.fail(error);
    }
  }

  async #connection(refresh: boolean): Promise<ConnectionInfo> {
    if (this.#isClosed)
      throw new TransportError('the transport was closed; make a new one', { code: 'closed' });
    try {
      return await this.#provider(refresh);
    } catch (error) {
      if (error instanceof TransportError || error instanceof CredentialsError) throw error;
      const cause = safeCause(error);
      throw new TransportError(`no credentials: ${cause.message}`, { code: 'credentials-failed', cause });
    }
  }

  #dispatch(request: ApiRequest, exchange: UndiciExchange, info: ConnectionInfo): void {
    const { origin, pathname } = new URL(info.server);
    const prefix = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
    exchange.dispatch(this.#dispatchers.for(info), peerOf(info, origin), {
      origin,
      path: prefix + request.path,
      method: 'GET',
      // Said here too, because a plain-http proxy connection does not inherit them.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: { 'user-agent': USER_AGENT, ...info.headers, ...request.headers },
    });
  }
}

function peerOf({ names = '', proxyUrl }: ConnectionInfo, origin: string): Peer {
  if (proxyUrl === undefined) return { server: origin, names, isProxied: false };
  const proxy = `through the proxy ${new URL(proxyUrl).host}`;
  return { server: origin, names: names === '' ? proxy : `${names}, ${proxy}`, isProxied: true };
}
