/** The TLS front of a fake API server: it sees who asks, decides whether they may, and passes requests on. */
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { FakeApiServer } from '../../../src/testing/index.ts';
import type { Identity } from '../../transport/certificates.ts';

/** Who asked, and how: what is empty did not come. */
export interface Visit {
  readonly verb: 'list' | 'watch';
  readonly authorization?: string;
  /** Common name of the client certificate. */
  readonly certificate?: string;
  /** Name that the client asked for in TLS. */
  readonly servername?: string;
  readonly impersonate?: Record<string, string | string[]>;
}

export interface GateOptions {
  readonly identity: Identity;
  /** PEM of the authority of client certificates. */
  readonly clientCa: string;
}

export class Gate {
  readonly api: FakeApiServer;
  readonly visits: Visit[] = [];
  /** Sockets that were accepted so far, and those that are open. */
  accepted = 0;
  readonly open = new Set<Socket>();
  /** Who gets in. Others get 401. */
  admits: (visit: Visit) => boolean = () => true;
  readonly #server: https.Server;

  private constructor(api: FakeApiServer, { identity, clientCa }: GateOptions) {
    this.api = api;
    const tls = { ...identity, ca: clientCa, requestCert: true, rejectUnauthorized: false };
    this.#server = https.createServer(tls, (request, response) => this.#receive(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.accepted++;
      this.open.add(socket);
      socket.on('close', () => this.open.delete(socket));
    });
  }

  static async start(options: GateOptions): Promise<Gate> {
    const gate = new Gate(await FakeApiServer.start({ seed: 7 }), options);
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** From now on the server shows another certificate to those who connect. */
  present(identity: Identity): void {
    this.#server.setSecureContext(identity);
  }

  create(name: string): void {
    this.api.create('configmaps', { metadata: { name, namespace: 'default' } });
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.open) socket.destroy();
    await this.api.stop();
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    const visit = visitOf(request);
    this.visits.push(visit);
    if (this.admits(visit)) this.#passOn(request, response);
    else response.writeHead(401, { 'content-type': 'application/json' }).end(UNAUTHORIZED);
  }

  #passOn(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { accept } = request.headers;
    const options = { port: this.api.port, path: request.url, headers: { ...(accept && { accept }) } };
    const inner = http.get({ ...options, host: '127.0.0.1', agent: false }, (answer) => {
      // The inner connection ends with its response; the outer one need not.
      const { connection: _inner, ...headers } = answer.headers;
      response.writeHead(answer.statusCode!, headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    inner.on('error', () => response.destroy());
    response.on('close', () => inner.destroy());
  }
}

const UNAUTHORIZED = JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
});

function visitOf(request: http.IncomingMessage): Visit {
  const socket = request.socket as TLSSocket;
  const { authorization } = request.headers;
  const certificate = socket.getPeerCertificate().subject?.CN as string | undefined;
  const impersonate = impersonationOf(request.rawHeaders);
  return {
    verb: request.url!.includes('watch=') ? 'watch' : 'list',
    ...(authorization !== undefined && { authorization }),
    ...(certificate !== undefined && { certificate }),
    ...(socket.servername && { servername: socket.servername }),
    ...(Object.keys(impersonate).length > 0 && { impersonate }),
  };
}

/** Node joins headers of one name; a Kubernetes API server counts them. */
function impersonationOf(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const found: Record<string, string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!];
    if (name.startsWith('impersonate-')) found[name] = [...(found[name] ?? []), value];
  }
  return found;
}
