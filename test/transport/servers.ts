import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Exchange, ResponseHandlers } from '../../src/reflector/index.ts';
import type { ConnectionInfo } from '../../src/transport/index.ts';
import { UndiciTransport } from '../../src/transport/index.ts';

/** A PEM file of the test certificates. */
export function pem(name: string): string {
  return readFileSync(new URL(`tls/${name}.pem`, import.meta.url), 'utf8');
}

/** A server on loopback that counts its sockets. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly server: http.Server;
  /** All sockets that were ever accepted. */
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

export async function serve(listener: http.RequestListener, tls?: https.ServerOptions): Promise<TestServer> {
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    server,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What came of one request. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** A transport that always uses the same connection. */
export function transportTo(info: Partial<ConnectionInfo> & { server: string }): UndiciTransport {
  return new UndiciTransport(async () => ({ headers: {}, tls: {}, ...info }));
}

/** Makes a request and collects its body; rejects with what `onError` was given. */
export function get(transport: UndiciTransport, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answer: Answer = { status: 0, headers: {}, body: '' };
    transport.open(
      { path, headers: { accept: 'application/json' } },
      {
        onResponse(status, headers) {
          Object.assign(answer, { status, headers });
        },
        onData(chunk) {
          answer.body += Buffer.from(chunk).toString('latin1');
        },
        onEnd: () => resolve(answer),
        onError: reject,
      },
    );
  });
}

/** Handlers that note what they were told, in order, and let a test wait for the next. */
export class Recorder implements ResponseHandlers {
  readonly told: string[] = [];
  /** Who was asked as whom, of each response. */
  readonly peers: string[] = [];
  bytes = 0;
  error: Error | undefined;
  readonly #over = Promise.withResolvers<void>();
  /** Resolves after `onEnd` or `onError`. */
  readonly over = this.#over.promise;
  #waiting: { count: number; resolve: () => void } | undefined;

  onResponse(status: number, _headers: Readonly<Record<string, string>>, peer = ''): void {
    this.peers.push(peer);
    this.#note(`response ${status}`);
  }
  onData(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.#note('data');
  }
  onEnd(): void {
    this.#note('end');
    this.#over.resolve();
  }
  onError(error: Error): void {
    this.error = error;
    this.#note('error');
    this.#over.resolve();
  }

  /** Resolves when `count` things were told. */
  async toldAtLeast(count: number): Promise<void> {
    if (this.told.length >= count) return;
    await new Promise<void>((resolve) => {
      this.#waiting = { count, resolve };
    });
  }

  #note(what: string): void {
    this.told.push(what);
    if (this.#waiting !== undefined && this.told.length >= this.#waiting.count) this.#waiting.resolve();
  }
}

export function open(transport: UndiciTransport, path = '/'): { recorder: Recorder; exchange: Exchange } {
  const recorder = new Recorder();
  return { recorder, exchange: transport.open({ path, headers: {} }, recorder) };
}
