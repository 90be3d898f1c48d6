import type { ApiRequest, Exchange, ResponseHandlers, Transport } from '../../src/reflector/index.ts';

/** A request as a test sees it: what was asked, and ways to answer. */
export class FakeRequest implements Exchange {
  readonly request: ApiRequest;
  readonly isWatch: boolean;
  /** A watch that begins with all objects. */
  readonly isStream: boolean;
  readonly #handlers: ResponseHandlers;
  isPaused = false;
  isAborted = false;
  /** It got an end or an error. */
  isOver = false;

  constructor(request: ApiRequest, handlers: ResponseHandlers) {
    this.request = request;
    this.#handlers = handlers;
    this.isWatch = this.query('watch') === '1';
    this.isStream = this.query('sendInitialEvents') === 'true';
  }

  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  abort(): void {
    this.isAborted = true;
  }

  get path(): string {
    return this.request.path.split('?', 1)[0]!;
  }

  /** One parameter of the query; undefined when it is not there. */
  query(name: string): string | undefined {
    return new URLSearchParams(this.request.path.split('?')[1]).get(name) ?? undefined;
  }

  respond(status: number, headers: Record<string, string> = { 'content-type': 'application/json' }): this {
    this.#tell(() => this.#handlers.onResponse(status, headers));
    return this;
  }
  data(text: string): this {
    this.#tell(() => this.#handlers.onData(Buffer.from(text)));
    return this;
  }
  end(): this {
    this.#tell(() => this.#handlers.onEnd(), true);
    return this;
  }
  error(message = 'connection reset', code = 'connection-reset'): this {
    this.#tell(() => this.#handlers.onError(Object.assign(new Error(message), { code })), true);
    return this;
  }

  /** A whole response. */
  reply(status: number, body: unknown, headers?: Record<string, string>): this {
    return this.respond(status, { 'content-type': 'application/json', ...headers })
      .data(typeof body === 'string' ? body : JSON.stringify(body))
      .end();
  }

  /** An error with a Status, as API servers send it. */
  refuse(code: number, reason = '', rest: object = {}, headers?: Record<string, string>): this {
    return this.reply(code, statusOf(code, reason, rest), headers);
  }

  /** A whole list. */
  list(names: readonly string[], resourceVersion: string, metadata: object = {}): this {
    return this.reply(200, listOf(names, resourceVersion, metadata));
  }

  /** Events of a watch; the response begins with the first. */
  event(type: string, object: object): this {
    return this.data(`${JSON.stringify({ type, object })}\n`);
  }
  bookmark(resourceVersion: string): this {
    return this.event('BOOKMARK', { metadata: { resourceVersion } });
  }
  /** The bookmark that ends initial events. */
  marker(resourceVersion: string, value: unknown = 'true'): this {
    const annotations = { 'k8s.io/initial-events-end': value };
    return this.event('BOOKMARK', { metadata: { resourceVersion, annotations } });
  }
  added(name: string, resourceVersion: string): this {
    return this.event('ADDED', { metadata: { name, resourceVersion } });
  }

  /** A real transport says nothing after an abort or the end. */
  #tell(tell: () => void, isOver = false): void {
    if (this.isAborted || this.isOver) return;
    this.isOver = isOver;
    tell();
  }
}

/** Notes requests; a test answers them by hand, or gives a function that does. */
export class FakeTransport implements Transport {
  readonly requests: FakeRequest[] = [];
  answer: ((request: FakeRequest) => void) | undefined;
  onOpen: (() => void) | undefined;

  open(request: ApiRequest, handlers: ResponseHandlers): Exchange {
    const made = new FakeRequest(request, handlers);
    this.requests.push(made);
    this.onOpen?.();
    this.answer?.(made);
    return made;
  }

  get last(): FakeRequest {
    return this.requests.at(-1)!;
  }
  get lists(): FakeRequest[] {
    return this.requests.filter((request) => !request.isWatch);
  }
  /** Those that begin with all objects are not among them. */
  get watches(): FakeRequest[] {
    return this.requests.filter((request) => request.isWatch && !request.isStream);
  }
  get streams(): FakeRequest[] {
    return this.requests.filter((request) => request.isStream);
  }
}

export function statusOf(code: number, reason = '', rest: object = {}): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message: `${reason} ${code}`.trim(),
    ...rest,
  };
}

export function listOf(names: readonly string[], resourceVersion: string, metadata: object = {}): object {
  const items = names.map((name) => ({ metadata: { name } }));
  return { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion, ...metadata }, items };
}
