import type { Dispatcher } from 'undici';
import type { Exchange, ResponseHandlers } from '../reflector/index.ts';
import { describeTransportError } from './describe-error.ts';
import { TransportError } from './errors.ts';
import { GunzipBody } from './gunzip-body.ts';

type Controller = Dispatcher.DispatchController;

/** From here on the status says what is wrong, and the body is for people. */
const FIRST_FAILURE_STATUS = 300;

/** Whoever is asked is told who asks, and says that this is not enough. */
const IDENTITY_STATUSES = [401, 403, 407];

/** Who is asked, as whom, for messages. */
export interface Peer {
  readonly server: string;
  /** Names of cluster and user, and the proxy; '' when they are not known. */
  readonly names: string;
  readonly isProxied: boolean;
}

/**
 * One request between undici and whoever asked for it. Can be paused and aborted at any time, also before undici knows
 * of it, and tells nothing after the end. Bodies are handed on decoded.
 */
export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #handlers: ResponseHandlers;
  readonly #onOver: (exchange: UndiciExchange) => void;
  /** For messages only. */
  #peer: Peer = { server: 'the API server', names: '', isProxied: false };
  #controller: Controller | undefined;
  /** Decodes the body; undefined when it comes as it is. */
  #decoder: GunzipBody | undefined;
  /** The body is in no form that we know. */
  #isUnreadable = false;
  #isPaused = false;
  /** The decoder can take no more. */
  #isBacklogged = false;
  /** undici is done with it; what it gave may still be in the decoder. */
  #isReceived = false;
  /** What comes behind all that is in the decoder. */
  #failure: Error | undefined;
  #isOver = false;

  constructor(handlers: ResponseHandlers, onOver: (exchange: UndiciExchange) => void) {
    this.#handlers = handlers;
    this.#onOver = onOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Hands the request to undici. */
  dispatch(dispatcher: Dispatcher, peer: Peer, options: Dispatcher.DispatchOptions): void {
    this.#peer = peer;
    try {
      dispatcher.dispatch(options, this);
    } catch (error) {
      this.fail(error);
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#decoder?.pause();
    this.#controller?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isOver) this.#decoder?.resume();
    this.#readOn();
  }

  abort(): void {
    if (this.#end()) this.#drop();
  }

  /** Ends with an error, once. */
  fail(error: unknown): void {
    if (this.#end())
      this.#handlers.onError(describeTransportError(error, this.#peer.server, this.#peer.names));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isPaused) controller.pause();
    if (this.#isOver) controller.abort(noLongerNeeded());
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx comes before the response.
    if (this.#isOver || status < 200) return;
    const { 'content-encoding': encoding = '', ...rest } = singleValues(headers);
    const form = encoding.trim().toLowerCase();
    if (form === 'gzip' || form === 'x-gzip') this.#decode();
    else this.#isUnreadable = form !== '' && form !== 'identity';
    if (this.#isUnreadable && status < FIRST_FAILURE_STATUS) this.#failEncoding(encoding);
    else this.#handlers.onResponse(status, rest, this.#namesFor(status));
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    if (this.#isOver || this.#isUnreadable) return;
    if (this.#decoder === undefined) {
      this.#handlers.onData(chunk);
    } else if (!this.#decoder.write(chunk)) {
      this.#isBacklogged = true;
      controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#isReceived = true;
    if (this.#isOver) return;
    if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#isReceived = true;
    if (this.#isOver) return;
    this.#failure = error;
    if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  /** Whom a refusal may be about, or whose proxy may have said it. */
  #namesFor(status: number): string {
    const { names, isProxied } = this.#peer;
    return isProxied || IDENTITY_STATUSES.includes(status) ? names : '';
  }

  #decode(): void {
    this.#decoder = new GunzipBody({
      onData: (chunk) => {
        if (!this.#isOver) this.#handlers.onData(chunk);
      },
      onDrain: () => {
        this.#isBacklogged = false;
        this.#readOn();
      },
      onEnd: () => this.#finish(),
      onError: (error) => this.#failDecoding(error),
    });
    if (this.#isPaused) this.#decoder.pause();
  }

  /** Lets undici read the socket again, when nobody needs it to wait. */
  #readOn(): void {
    // undici's parser can't be resumed from within a callback of another request's parser: not in this turn.
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#isBacklogged && !this.#isOver) this.#controller?.resume();
    });
  }

  /** All that came is handed on. */
  #finish(): void {
    if (this.#failure !== undefined) this.fail(this.#failure);
    else if (this.#end()) this.#handlers.onEnd();
  }

  #failDecoding(cause: Error): void {
    const message = `${this.#peer.server}: the compressed body can't be decoded: ${cause.message}; see whether a proxy changes bodies, or do without compression`;
    this.#failWith(new TransportError(message, { code: 'corrupt-encoding', cause }));
  }

  #failEncoding(encoding: string): void {
    const message = `${this.#peer.server}: the response has the content encoding ${JSON.stringify(encoding)}, which nobody asked for; see whether a proxy changes bodies`;
    this.#failWith(new TransportError(message, { code: 'unknown-encoding' }));
  }

  #failWith(error: TransportError): void {
    if (!this.#end()) return;
    this.#drop();
    this.#handlers.onError(error);
  }

  /** Lets go of the request: what still comes of it is for nobody. */
  #drop(): void {
    if (!this.#isReceived) this.#controller?.abort(noLongerNeeded());
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#decoder?.close();
    this.#onOver(this);
    return true;
  }
}

function noLongerNeeded(): Error {
  return new Error('the request is no longer needed');
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}
