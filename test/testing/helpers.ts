import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Dispatcher, request } from 'undici';
import {
  FakeApiServer,
  type FakeApiServerOptions,
  type RemoteFakeApiServer,
  type SpawnOptions,
} from '../../src/testing/index.ts';

export const WIDGETS = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

/** JSON whose shape the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the assertions that read them
export type Json = any;

/** A server that is stopped when the test ends, however it ends. */
export async function startServer(
  t: TestContext,
  options: FakeApiServerOptions = {},
): Promise<FakeApiServer> {
  const server = await FakeApiServer.start(options);
  t.after(() => server.stop());
  return server;
}

export async function spawnServer(t: TestContext, options: SpawnOptions): Promise<RemoteFakeApiServer> {
  const server = await FakeApiServer.spawn(options);
  t.after(() => server.stop());
  return server;
}

export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
  json: Json;
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
}

export async function call(
  server: { url: string },
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { method = 'GET', body, headers = {} } = options;
  const response = await request(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers, connection: 'close' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** Reads a watch line by line. */
export class WatchReader {
  readonly response: Dispatcher.ResponseData;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest = '';

  constructor(response: Dispatcher.ResponseData) {
    this.response = response;
    this.#chunks = response.body[Symbol.asyncIterator]();
  }

  /** The next line, or undefined at a clean end. Rejects when the connection breaks. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end !== -1) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return line;
      }
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest += (value as Buffer).toString();
    }
  }

  async event(): Promise<Json> {
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** The next events in short: `ADDED a`. */
  async take(count: number): Promise<string[]> {
    const events: string[] = [];
    while (events.length < count) events.push(short(await this.event()));
    return events;
  }

  close(): void {
    this.response.body.on('error', () => {});
    this.response.body.destroy();
  }
}

export async function watch(server: { url: string }, path: string, headers = {}): Promise<WatchReader> {
  return new WatchReader(await request(`${server.url}${path}`, { headers }));
}

export function short(event: Json): string {
  if (event === undefined) return 'END';
  const { type, object } = event;
  return type === 'BOOKMARK'
    ? `BOOKMARK ${object.metadata.resourceVersion}`
    : `${type} ${object.metadata.name}`;
}

export function configMap(name: string, extra: Json = {}): Json {
  const { labels, ...rest } = extra;
  return { metadata: { name, namespace: 'default', ...(labels === undefined ? {} : { labels }) }, ...rest };
}

export function widget(name: string, spec: Json = { n: 1 }): Json {
  return { metadata: { name, namespace: 'default' }, spec };
}

export function names(list: Json): string[] {
  return list.items.map((item: Json) => item.metadata.name);
}

/** A body that a real API server sent. */
export function wire(name: string): string {
  return readFileSync(new URL(`../fixtures/wire/${name}.body`, import.meta.url), 'utf8');
}

export function fill(server: FakeApiServer, count: number): void {
  for (let i = 0; i < count; i++) server.create('configmaps', configMap(`c${String(i).padStart(3, '0')}`));
}
