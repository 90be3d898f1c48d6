/** An HTTP server whose bodies a test writes by itself, byte by byte if it likes. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import { kubeConfigOf } from './kube-config.ts';

export class RawServer {
  /** Watches that are open. */
  readonly watches: ServerResponse[] = [];
  /** Query strings of all requests. */
  readonly queries: string[] = [];
  readonly #server: Server;

  private constructor(answerList: (response: ServerResponse) => void) {
    this.#server = createServer((request, response) => {
      const { search, searchParams } = new URL(request.url ?? '', 'http://localhost');
      this.queries.push(search);
      response.writeHead(200, { 'content-type': 'application/json' });
      if (!searchParams.has('watch')) {
        answerList(response);
        return;
      }
      response.flushHeaders();
      this.watches.push(response);
      response.on('close', () => this.watches.splice(this.watches.indexOf(response), 1));
    });
  }

  static async start(answerList: (response: ServerResponse) => void): Promise<RawServer> {
    const raw = new RawServer(answerList);
    await new Promise<void>((resolve) => raw.#server.listen(0, '127.0.0.1', resolve));
    return raw;
  }

  kubeConfig(): KubeConfig {
    return kubeConfigOf(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Each piece is a chunk of its own, and a packet of its own. */
export async function writeInPieces(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(at, at + size), () => setImmediate(resolve));
    });
  }
}
