/**
 * The threads that host reflectors. Each is a piscina pool of one thread with one endless task: a pool of many
 * would never replace a thread that died while it started.
 */
import { Piscina } from 'piscina';
import type { HashSeed } from '../layout/key-hash.ts';
import { moduleUrl } from '../module-url.ts';
import { scannerModule } from '../scan/index.ts';
import type { WorkerLink } from './link.ts';
import type { HostTask } from './messages.ts';

/** A worker that was asked to end closes its sockets in milliseconds; one that hangs is ended by force. */
const END_PATIENCE_MS = 5000;

const BYTES_PER_MEBIBYTE = 1024 * 1024;

export interface HostPoolOptions {
  readonly seed: HashSeed;
  /** Most bytes of the arena of each worker. */
  readonly arenaLimitBytes: number;
  readonly tcpKeepAliveMs: number | undefined;
  /** Most bytes of the heap of each worker; one that needs more is replaced. */
  readonly heapLimitBytes: number;
  /** Module that piscina loads in each thread, when it is not the part's own. For tests that make a worker fail. */
  readonly entry: URL | undefined;
  /** A worker ended although nobody asked it to. */
  readonly onLost: (link: WorkerLink, error: Error) => void;
}

interface Running {
  readonly pool: Piscina;
  readonly ended: Promise<void>;
}

export class HostPool {
  readonly #options: HostPoolOptions;
  readonly #wasm = scannerModule();
  readonly #running = new Map<WorkerLink, Running>();
  #isEnding = false;

  constructor(options: HostPoolOptions) {
    this.#options = options;
  }

  /** Starts a thread for a link. */
  run(link: WorkerLink): void {
    const { seed, arenaLimitBytes, tcpKeepAliveMs } = this.#options;
    const task: HostTask = { ...link.taskPart(), wasm: this.#wasm, seed, arenaLimitBytes, tcpKeepAliveMs };
    const pool = new Piscina({
      filename: (this.#options.entry ?? moduleUrl('./entry', import.meta.url)).href,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // An idle worker must not block in Atomics.wait: its sockets and timers would stop.
      atomics: 'async',
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapLimitBytes / BYTES_PER_MEBIBYTE },
    });
    // What a worker without a task throws is emitted here; what ends a task comes from `run`.
    pool.on('error', () => {});
    const ended = pool.run(task, { transferList: [task.port] }).then(
      () => {
        this.#running.delete(link);
      },
      (error: Error) => this.#lost(link, pool, error),
    );
    this.#running.set(link, { pool, ended });
  }

  /** Ends all threads as a crash would. For tests. */
  async kill(): Promise<void> {
    const threads = [...this.#running.values()].flatMap(({ pool }) => pool.threads);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  /** Resolves when all reflectors have stopped, sockets are closed and the threads have ended. */
  async close(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#running].map(([link, running]) => this.#end(link, running)));
  }

  async #end(link: WorkerLink, { pool, ended }: Running): Promise<void> {
    link.end();
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, END_PATIENCE_MS);
    await Promise.race([ended, patience.promise]);
    clearTimeout(timer);
    await pool.destroy();
  }

  #lost(link: WorkerLink, pool: Piscina, error: Error): void {
    this.#running.delete(link);
    if (this.#isEnding) return;
    // The pool has a new thread by now, which nobody needs: the replacement gets a pool of its own.
    void pool.destroy();
    this.#options.onLost(link, error);
  }
}
