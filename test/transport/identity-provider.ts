import type { Identity } from './certificates.ts';
import { serve, type TestServer } from './servers.ts';

/** A token that nobody checks, but that says when it ends. */
export function idToken(endsMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ exp: endsMs / 1000 })}.signature`;
}

/** An identity provider that gives tokens for an hour. */
export class Provider {
  /** Bodies of the requests for tokens. */
  readonly grants: string[] = [];
  authorization: string | undefined;
  status = 200;
  body: string | undefined;
  #server: TestServer | undefined;

  /** @param nowMs - the time from which its tokens count */
  static async start(identity: Identity, nowMs: number, metadata: object = {}): Promise<Provider> {
    const provider = new Provider();
    provider.#server = await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        const { url } = provider;
        response.end(JSON.stringify({ issuer: url, token_endpoint: `${url}/token`, ...metadata }));
        return;
      }
      let grant = '';
      provider.authorization = request.headers.authorization;
      request.on('data', (chunk) => {
        grant += chunk;
      });
      request.on('end', () => {
        provider.grants.push(grant);
        const tokens = {
          id_token: idToken(nowMs + 3_600_000),
          refresh_token: `refresh-${provider.grants.length + 1}`,
        };
        response.writeHead(provider.status).end(provider.body ?? JSON.stringify(tokens));
      });
    }, identity);
    return provider;
  }

  get url(): string {
    return this.#server!.url;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}
