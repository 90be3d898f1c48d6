/** Requests of the tests themselves, to a real API server or to the fake one: nothing of kubering is in between. */
import { Agent, type Dispatcher, request } from 'undici';
import { EventLines } from './event-lines.ts';

/** Where a server is, and who asks. */
export interface Endpoint {
  readonly url: string;
  /** PEM of the authority that signed the server's certificate; none for plain HTTP. */
  readonly ca?: string;
  readonly token?: string;
  readonly client?: { readonly cert: string; readonly key: string };
}

/** JSON whose shape the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the assertions that read them
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Kubernetes takes another content type for each kind of patch. */
export const MERGE_PATCH = 'application/merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export class Connection {
  readonly #endpoint: Endpoint;
  readonly #agent: Agent;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    const { ca, client } = endpoint;
    this.#agent = new Agent({ connect: { ...(ca !== undefined && { ca }), ...client } });
  }

  /** Makes a request, whatever is answered. */
  async send(method: Method, path: string, options: SendOptions = {}): Promise<Answer> {
    const { statusCode, headers, body } = await this.#open(method, path, options);
    const bytes = Buffer.from(await body.arrayBuffer());
    return { status: statusCode, headers, bytes, text: bytes.toString() };
  }

  /** Starts a watch and reads it line by line. */
  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<EventLines> {
    return new EventLines(await this.#open('GET', path, { headers }));
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
    return this.#must('GET', path, { headers });
  }

  /** @param path - of the collection */
  create(path: string, object: unknown): Promise<Json> {
    return this.#must('POST', path, { body: object });
  }

  replace(path: string, object: unknown): Promise<Json> {
    return this.#must('PUT', path, { body: object });
  }

  patch(path: string, patch: unknown, type = MERGE_PATCH): Promise<Json> {
    return this.#must('PATCH', path, { body: patch, headers: { 'content-type': type } });
  }

  delete(path: string): Promise<Json> {
    return this.#must('DELETE', path);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** @throws Error when the answer is no success */
  async #must(method: Method, path: string, options: SendOptions = {}): Promise<Json> {
    const { status, text } = await this.send(method, path, options);
    if (status < 200 || status > 299)
      throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return JSON.parse(text);
  }

  #open(method: Method, path: string, options: SendOptions): Promise<Dispatcher.ResponseData> {
    const { token, url } = this.#endpoint;
    const { body, headers } = options;
    return request(`${url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
}
