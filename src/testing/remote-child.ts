import { type ChildProcess, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../module-url.ts';
import type { ChildOptions } from './options.ts';
import type { FromChild, RpcResponse } from './rpc.ts';
import { ApiStatusError, type StatusBody } from './status.ts';

const ENTRY = moduleUrl('./child', import.meta.url);

/** Thrown when the server's process or thread is not there any more, or could not start. */
export class RemoteServerError extends Error {
  override readonly name = 'RemoteServerError';
  readonly code = 'ERR_REMOTE_SERVER';
}

/** A process or a thread, as far as they are alike. */
interface Host {
  send(message: unknown): void;
  ref(): void;
  unref(): void;
  kill(): void;
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The other end of `child.ts`: calls its methods and knows when it ends. */
export class Child {
  url = '';
  port = 0;
  readonly ended: Promise<void>;
  readonly #host: Host;
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 1;
  #hasEnded = false;
  #markEnded: () => void = () => {};

  constructor(host: Host) {
    this.#host = host;
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  /** Calls a method of the server. It keeps this process alive until the answer is there. */
  call<T>(method: string, ...args: unknown[]): Promise<T> {
    if (this.#hasEnded) return Promise.reject(gone());
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#host.ref();
      this.#host.send({ id, method, args });
    });
  }

  /** Asks the server to stop, and waits for the end of its process or thread. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    // The process may end before its answer is through: what counts is that it has ended.
    await this.call('stop').catch(() => {});
    this.#host.ref();
    await this.ended;
  }

  /** Handles an answer. */
  settle(response: RpcResponse): void {
    const call = this.#pending.get(response.id);
    if (call === undefined) return;
    this.#pending.delete(response.id);
    if (this.#pending.size === 0) this.#host.unref();
    if (response.error === undefined) call.resolve(response.result);
    else call.reject(toError(response.error));
  }

  /** Fails all calls that are under way. */
  end(): void {
    this.#hasEnded = true;
    for (const call of this.#pending.values()) call.reject(gone());
    this.#pending.clear();
    this.#markEnded();
  }

  kill(): void {
    this.#host.kill();
  }
}

/** Starts `child.ts` and waits until its server listens. */
export function startChild(place: 'process' | 'worker', options: ChildOptions): Promise<Child> {
  const source = place === 'process' ? forkProcess(options) : startWorker(options);
  const child = new Child(source.host);
  return new Promise((resolve, reject) => {
    source.listen((message) => {
      if ('ready' in message) {
        child.url = message.ready.url;
        child.port = message.ready.port;
        source.host.unref();
        resolve(child);
      } else if ('failed' in message) {
        child.kill();
        reject(new RemoteServerError(`the fake API server could not start: ${message.failed}`));
      } else {
        child.settle(message);
      }
    });
    source.onEnd((why) => {
      child.end();
      reject(new RemoteServerError(`the fake API server ended before it listened: ${why}`));
    });
  });
}

interface Source {
  host: Host;
  listen(listener: (message: FromChild) => void): void;
  onEnd(listener: (why: string) => void): void;
}

function forkProcess(options: ChildOptions): Source {
  const child: ChildProcess = fork(ENTRY, [JSON.stringify(options)], {
    // Flags of this process, such as those of a debugger or a test runner, are not for the server.
    execArgv: [],
    // Unlike JSON, this keeps undefined apart from null.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const host: Host = {
    send: (message) => child.send(message as object),
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    kill: () => child.kill(),
  };
  return {
    host,
    listen: (listener) => child.on('message', (message) => listener(message as FromChild)),
    onEnd: (listener) => {
      child.on('error', (error) => listener(error.message));
      child.on('exit', (code, signal) => listener(`exit code ${code ?? signal}`));
    },
  };
}

function startWorker(options: ChildOptions): Source {
  const worker = new Worker(ENTRY, { workerData: options, execArgv: [] });
  const host: Host = {
    send: (message) => worker.postMessage(message),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    kill: () => void worker.terminate(),
  };
  return {
    host,
    listen: (listener) => worker.on('message', (message: FromChild) => listener(message)),
    onEnd: (listener) => {
      worker.on('error', (error) => listener((error as Error).message));
      worker.on('exit', (code) => listener(`exit code ${code}`));
    },
  };
}

function toError(error: NonNullable<RpcResponse['error']>): Error {
  if (error.status !== undefined) return new ApiStatusError(error.status as StatusBody);
  const copy = new RemoteServerError(error.message);
  copy.cause = error;
  return copy;
}

function gone(): RemoteServerError {
  return new RemoteServerError('the fake API server has ended; start a new one');
}
