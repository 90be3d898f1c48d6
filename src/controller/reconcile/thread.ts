/** One reconcile thread: a piscina pool of one, made anew when the thread has died. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Clock } from '../../workqueue/index.ts';
import { sleep } from '../timing.ts';
import { ReconcileModuleError, ReconcileTimeoutError } from './errors.ts';
import type { Attempt } from './reconciler.ts';
import type { Verdict } from './result.ts';
import {
  type AbortMessage,
  errorOf,
  type LoadReply,
  type LoadTask,
  plainError,
  type ReconcileReply,
  type ReconcileTask,
} from './thread-messages.ts';

/** Whoever goes on for so long after its time was up is ended together with its thread. */
const KILL_AFTER_MS = 1000;

/** How long to wait before a thread that died is replaced: longer each time until one has ended a reconcile. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 30_000;

export interface ThreadOptions {
  readonly module: URL;
  /** What the thread runs. */
  readonly entry: URL;
  /** Asked for each thread anew. */
  readonly handles: () => Pick<LoadTask, 'handle' | 'handles'>;
  readonly clock: Clock;
}

interface Running {
  readonly pool: Piscina;
  /** Aborts reconciles. */
  readonly port: MessagePort;
}

/** A thread was ended, by a crash or because it did not listen. */
export class ReconcileThreadError extends Error {
  override readonly name = 'ReconcileThreadError';
  readonly code = 'KUBERING_RECONCILE_THREAD';
}

export class ReconcileThread {
  readonly #options: ThreadOptions;
  #running: Running | undefined;
  #restartMs = 0;
  #taskId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** @throws ReconcileModuleError when the module can't be used */
  async start(): Promise<void> {
    const { module, entry, handles } = this.#options;
    const caches = handles();
    const { port1, port2 } = new MessageChannel();
    const task: LoadTask = { type: 'load', module: module.href, ...caches, port: port2 };
    const pool = new Piscina({
      filename: entry.href,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // An idle thread must not block in Atomics.wait: its sockets and timers, and news of the cache, would stop.
      atomics: 'async',
    });
    port1.unref();
    const running = { pool, port: port1 };
    this.#running = running;
    // Also when a thread without a task dies: the pool would have another one that has nothing loaded.
    pool.on('error', () => {});
    pool.on('workerDestroy', () => queueMicrotask(() => void this.#end(running)));
    try {
      const reply = (await pool.run(task, { transferList: [port2] })) as LoadReply;
      if (reply.type === 'unusable') throw unusable(module, reply);
    } catch (error) {
      await this.#end(running);
      if (error instanceof ReconcileModuleError) throw error;
      const details = { code: 'not-loaded', cause: error } as const;
      throw new ReconcileModuleError(`the thread of ${module.href} ended while it was loaded`, details);
    }
  }

  /** @throws what reconcile failed with; ReconcileThreadError when the thread died: the next call starts another one */
  async reconcile({ request, attempt, signal, record }: Attempt): Promise<Verdict> {
    if (this.#running === undefined) await this.#restart(signal);
    signal.throwIfAborted();
    const running = this.#running!;
    const id = ++this.#taskId;
    const guard = this.#guard(running, id, signal);
    try {
      const task: ReconcileTask = { type: 'reconcile', id, request, attempt };
      const { writes, outcome } = await this.#send(running, task, guard);
      this.#restartMs = 0;
      for (const write of writes) record(write);
      if (outcome.type === 'failed') throw errorOf(outcome.error);
      return outcome.verdict;
    } finally {
      guard.release();
    }
  }

  async close(): Promise<void> {
    if (this.#running !== undefined) await this.#end(this.#running);
  }

  /** What reconcile throws comes in the reply: a task that is rejected has lost its thread. */
  async #send({ pool, port }: Running, task: ReconcileTask, guard: Guard): Promise<ReconcileReply> {
    try {
      return (await pool.run(task)) as ReconcileReply;
    } catch (cause) {
      await this.#end({ pool, port });
      const how = guard.hasKilled ? 'was ended, because it did not listen to its signal' : 'has died';
      throw new ReconcileThreadError(`the thread that reconciled ${task.request.key} ${how}`, { cause });
    }
  }

  /** Passes the abort on, and ends the thread when that does not help. */
  #guard({ pool, port }: Running, id: number, signal: AbortSignal): Guard {
    const { clock } = this.#options;
    let cancelKill = () => {};
    const onAbort = () => {
      const message: AbortMessage = { id, reason: plainError(signal.reason) };
      port.postMessage(message);
      // Whoever is told to end because of a stop has the time that the stop gives.
      if (!(signal.reason instanceof ReconcileTimeoutError)) return;
      cancelKill = clock.setTimer(KILL_AFTER_MS, () => {
        guard.hasKilled = true;
        void pool.destroy();
      });
    };
    signal.addEventListener('abort', onAbort);
    const guard: Guard = {
      hasKilled: false,
      release: () => {
        signal.removeEventListener('abort', onAbort);
        cancelKill();
      },
    };
    return guard;
  }

  async #restart(signal: AbortSignal): Promise<void> {
    if (this.#restartMs > 0) await sleep(this.#options.clock, this.#restartMs, signal);
    signal.throwIfAborted();
    this.#restartMs = Math.min(MAX_RESTART_MS, this.#restartMs * 2 || FIRST_RESTART_MS);
    await this.start();
  }

  async #end({ pool, port }: Running): Promise<void> {
    if (this.#running?.pool === pool) this.#running = undefined;
    port.close();
    await pool.destroy();
  }
}

/** Watches over one task. */
interface Guard {
  /** It ended the thread. */
  hasKilled: boolean;
  release(): void;
}

function unusable(
  module: URL,
  { code, cause }: Extract<LoadReply, { type: 'unusable' }>,
): ReconcileModuleError {
  const why = {
    'not-loaded': `can't be loaded: ${cause?.message}`,
    'no-export': 'exports no function as `reconcile` or as its default',
    'not-attached': `can't read the caches in its thread: ${cause?.message}`,
  }[code];
  const details = cause === undefined ? { code } : { code, cause: errorOf(cause) };
  return new ReconcileModuleError(`the module ${module.href} ${why}`, details);
}
