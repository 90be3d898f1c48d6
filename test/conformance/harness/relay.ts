/** Stands between an informer and the API server: writes down requests, cuts connections, changes questions. */

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What a test may do with a request before the API server gets it. */
export interface RelayOptions {
  /** Gives the path that is asked for instead. */
  readonly rewrite?: (path: string) => string;
  /** Holds a request up until it resolves. */
  readonly hold?: (path: string) => Promise<void>;
}

/** Speaks plain HTTP to informers; who asks is passed on as it comes. Bodies pass as the server sends them. */
export class Relay {
  /** Paths with queries, in order of arrival. */
  readonly requests: string[] = [];
  readonly url: string;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: { url: string; ca?: string };
  readonly #options: RelayOptions;
  #isCut = false;

  private constructor(http: Server, target: { url: string; ca?: string }, options: RelayOptions) {
    this.#http = http;
    this.#target = target;
    this.#options = options;
    this.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    http.on('request', (incoming, response) => void this.#pass(incoming, response));
    http.on('connection', (socket: Socket) => {
      if (this.#isCut) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(target: { url: string; ca?: string }, options: RelayOptions = {}): Promise<Relay> {
    const http = createServer().listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new Relay(http, target, options);
  }

  /** Requests that list, and those that watch. */
  get lists(): string[] {
    return this.requests.filter((path) => !path.includes('watch='));
  }

  get watches(): string[] {
    return this.requests.filter((path) => path.includes('watch='));
  }

  /** Breaks all connections, and lets nobody in until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await once(this.#http.close(), 'close');
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url!;
    this.requests.push(path);
    await this.#options.hold?.(path);
    const { hostname, port, protocol } = new URL(this.#target.url);
    const { ca } = this.#target;
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    const options: RequestOptions & { ca?: string } = {
      hostname,
      port,
      path: this.#options.rewrite?.(path) ?? path,
      method: incoming.method!,
      headers,
      agent: false,
      ...(ca !== undefined && { ca }),
    };
    const outgoing = protocol === 'https:' ? secureRequest(options) : request(options);
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
}
