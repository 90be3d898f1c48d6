/** Asks a server all questions, and takes out of the answers what can't be the same twice. */
import { gunzipSync } from 'node:zlib';
import type { Connection, Json } from '../harness/connection.ts';
import type { Question } from './questions/index.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Masked JSON, events of a watch, or text. */
  readonly body: Json;
}

/** Others are about the connection, or change with each request. */
const HEADERS = [
  'cache-control',
  'content-type',
  'content-encoding',
  'retry-after',
  'vary',
  'x-content-type-options',
];

/** Values of these keys differ; that they are there must not. */
const MASKED = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'continue']);

export class Interview {
  readonly #connection: Connection;
  readonly #known: Record<string, string>;

  constructor(connection: Connection, namespace: string) {
    this.#connection = connection;
    this.#known = { ns: namespace, token: '', version: '', uid: '' };
  }

  async ask(question: Question): Promise<Reply> {
    const { method, body, headers = {}, isWatch } = question;
    const path = question.path.replace(/\{(\w+)\}/g, (_, name: string) => this.#known[name]!);
    const answer = await this.#connection.send(method, path, { body, headers });
    const bytes = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(answer.bytes) : answer.bytes;
    const text = bytes.toString();
    const isStream = isWatch === true && answer.status === 200;
    return {
      status: answer.status,
      headers: pick(answer.headers),
      body: isStream ? this.#events(text) : this.#read(text, String(answer.headers['content-type'])),
    };
  }

  #events(text: string): Json[] {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => this.#mask(JSON.parse(line)));
  }

  #read(text: string, contentType: string): Json {
    if (!contentType.startsWith('application/json')) return this.#maskText(text);
    const json = JSON.parse(text);
    const { resourceVersion, continue: token } = json.metadata ?? {};
    if (json.items !== undefined) this.#known.version = resourceVersion;
    if (token !== undefined && token !== '') this.#known.token = token;
    return this.#mask(json);
  }

  #mask(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.#mask(item));
    if (typeof value === 'string') return this.#maskText(value);
    if (typeof value !== 'object' || value === null) return value;
    const masked: Json = {};
    for (const [key, field] of Object.entries(value)) {
      // Who wrote which field is not kept by the fake server, and says so in its documentation.
      if (key === 'managedFields') continue;
      // An empty token is no token.
      masked[key] = MASKED.has(key) && field !== '' ? `<${key}>` : this.#mask(field);
    }
    return masked;
  }

  /** Messages name versions and uids. */
  #maskText(text: string): string {
    return text
      .replaceAll(this.#known.ns!, '<namespace>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
      .replace(/(resource version: )\d+( \(|, current: )\d+/g, '$1<version>$2<version>')
      .replace(/(ResourceVersion in record \()\d+/g, '$1<version>');
  }
}

function pick(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    HEADERS.map((name) => [name, headers[name]]).filter(([, value]) => value !== undefined),
  );
}
