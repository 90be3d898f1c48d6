/** Starts the benchmark server in a process of its own, and leads it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChurnOrder, ChurnResult } from './churn.ts';
import type { FromServer, ServerCall, ServerUsage } from './messages.ts';
import type { ServerOptions, Truth } from './server.ts';

export type { ChurnOrder, ChurnResult } from './churn.ts';
export { hashOfObject } from './hash.ts';
export type { ServerUsage } from './messages.ts';
export {
  type BenchResource,
  OBJECT_BYTES,
  OBJECT_KINDS,
  type ObjectKind,
  pathOf,
  resourceOf,
} from './resources.ts';
export { MOST_KEPT_OBJECTS, type Truth } from './server.ts';
export { PAGE_OBJECTS, Texts } from './texts.ts';

const SCRIPT = fileURLToPath(new URL('./main.ts', import.meta.url));

export class BenchServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #nextId = 1;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.on('message', (message) => this.#settle(message as FromServer));
    child.on('exit', (code, signal) => {
      const error = new Error(`the benchmark server ended with ${code ?? signal}`);
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
    });
  }

  /** Resolves when all objects are built. @throws Error when it can't start, as when the port is taken */
  static async start(options: ServerOptions): Promise<BenchServerProcess> {
    const child = fork(SCRIPT, [JSON.stringify(options)], { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] });
    const ended = once(child, 'exit').then(([code, signal]): never => {
      throw new Error(`the benchmark server ended with ${code ?? signal} while it started`);
    });
    // It also ends when all is well, later.
    ended.catch(() => {});
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [FromServer];
    if ('ready' in message && message.ready) {
      const scheme = options.tls ? 'https' : 'http';
      return new BenchServerProcess(child, `${scheme}://127.0.0.1:${message.port}`);
    }
    child.kill();
    throw new Error(`the benchmark server did not start: ${'message' in message ? message.message : ''}`);
  }

  churn(order: ChurnOrder): Promise<ChurnResult> {
    return this.#call({ verb: 'churn', order }) as Promise<ChurnResult>;
  }

  /** Ends watches, answers 410 to older ones; one object changed. @returns the resourceVersion of the change */
  expire(): Promise<number> {
    return this.#call({ verb: 'expire' }) as Promise<number>;
  }

  truth(): Promise<Truth> {
    return this.#call({ verb: 'truth' }) as Promise<Truth>;
  }

  usage(): Promise<ServerUsage> {
    return this.#call({ verb: 'usage' }) as Promise<ServerUsage>;
  }

  /** Of the last churn: pairs of float64, resourceVersion and ms since the Unix epoch. */
  async writeSendTimes(path: string): Promise<void> {
    await this.#call({ verb: 'writeSendTimes', path });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }

  #call(call: ServerCall): Promise<unknown> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, answer);
    this.#child.send({ ...call, id });
    return answer.promise;
  }

  #settle(message: FromServer): void {
    if ('ready' in message) return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('error' in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.result);
  }
}
