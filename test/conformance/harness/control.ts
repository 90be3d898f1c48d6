/** Lets test processes break and mend the cluster that `run.ts` owns, over HTTP on the loopback interface. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import type { Cluster } from './cluster.ts';
import type { ClusterAccess, UserToken } from './cluster-access.ts';

/** Test processes find it here. */
const VARIABLE = 'KUBERING_CONFORMANCE_CONTROL';

type Verb =
  | 'access'
  | 'startApiServer'
  | 'killApiServer'
  | 'restore'
  | 'pauseEtcd'
  | 'resumeEtcd'
  | 'compact'
  | 'setTokens';

/** Serves the verbs. @returns the server, and the environment in which tests find it */
export async function serveControl(
  cluster: Cluster,
): Promise<{ server: Server; env: Record<string, string> }> {
  const verbs: Record<Verb, (argument: unknown) => unknown> = {
    access: () => cluster.access,
    startApiServer: () => cluster.startApiServer(),
    killApiServer: () => cluster.killApiServer(),
    restore: () => cluster.restore(),
    pauseEtcd: () => cluster.pauseEtcd(),
    resumeEtcd: () => cluster.resumeEtcd(),
    compact: () => cluster.compact(),
    setTokens: (tokens) => cluster.setTokens(tokens as UserToken[]),
  };
  const server = createServer(async (incoming, response) => {
    try {
      const chunks = await incoming.toArray();
      const argument = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
      const verb = verbs[(incoming.url ?? '').slice(1) as Verb];
      const result = await verb(argument);
      response.end(JSON.stringify(result ?? null));
    } catch (error) {
      response.writeHead(500).end((error as Error).message);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, env: { [VARIABLE]: url } };
}

/** The other end, in a test process. */
export class ClusterControl {
  readonly #url: string;

  /** @throws Error when the tests were not started by `run.ts` */
  constructor() {
    const url = process.env[VARIABLE];
    if (url === undefined) throw new Error('there is no cluster: use `npm run test:conformance -- FILE`');
    this.#url = url;
  }

  access(): Promise<ClusterAccess> {
    return this.#call('access') as Promise<ClusterAccess>;
  }

  async startApiServer(): Promise<void> {
    await this.#call('startApiServer');
  }

  async killApiServer(): Promise<void> {
    await this.#call('killApiServer');
  }

  /** Mends what is broken; does nothing when nothing is. */
  async restore(): Promise<void> {
    await this.#call('restore');
  }

  async pauseEtcd(): Promise<void> {
    await this.#call('pauseEtcd');
  }

  async resumeEtcd(): Promise<void> {
    await this.#call('resumeEtcd');
  }

  compact(): Promise<string> {
    return this.#call('compact') as Promise<string>;
  }

  async setTokens(tokens: readonly UserToken[]): Promise<void> {
    await this.#call('setTokens', tokens);
  }

  async #call(verb: Verb, argument?: unknown): Promise<unknown> {
    const { statusCode, body } = await request(`${this.#url}/${verb}`, {
      method: 'POST',
      // An API server that starts on a busy machine takes a while.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(argument !== undefined && { body: JSON.stringify(argument) }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${verb}: ${text}`);
    return JSON.parse(text);
  }
}
