import type { Dispatcher } from 'undici';
import type { Exchange, ResponseHandlers } from '../reflector/index.ts';
import { describeTransportError } from './describe-error.ts';

type Controller = Dispatcher.DispatchController;

/**
 * One request between undici and whoever asked for it. Can be paused and aborted at any time, also before undici knows
 * of it, and tells nothing after the end.
 */
export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #handlers: ResponseHandlers;
  readonly #onOver: (exchange: UndiciExchange) => void;
  /** For messages only. */
  #server = 'the API server';
  #controller: Controller | undefined;
  #isPaused = false;
  #isOver = false;

  constructor(handlers: ResponseHandlers, onOver: (exchange: UndiciExchange) => void) {
    this.#handlers = handlers;
    this.#onOver = onOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Hands the request to undici. */
  dispatch(dispatcher: Dispatcher, server: string, options: Dispatcher.DispatchOptions): void {
    this.#server = server;
    try {
      dispatcher.dispatch(options, this);
    } catch (error) {
      this.fail(error);
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    // undici's parser can't be resumed from within a callback of another request's parser: not in this turn.
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#isOver) this.#controller?.resume();
    });
  }

  abort(): void {
    if (!this.#end()) return;
    this.#controller?.abort(noLongerNeeded());
  }

  /** Ends with an error, once. */
  fail(error: unknown): void {
    if (this.#end()) this.#handlers.onError(describeTransportError(error, this.#server));
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
    this.#handlers.onResponse(status, singleValues(headers));
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    if (!this.#isOver) this.#handlers.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#end()) this.#handlers.onEnd();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error);
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
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
