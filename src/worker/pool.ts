/**
 * The threads that host reflectors. Each is a piscina pool of one thread: a pool of many would never replace a thread
 * that died while it started. Its task starts the host and is done. A task that lasts as long as the host would keep
 * the process alive, and piscina has no way to say that it must not; now only the link's port does.
 */
import { Piscina } from 'piscina';
import type { HashSeed } from '../layout/key-hash.ts';
import { moduleUrl } from '../module-url.ts';
import { transcoderModule } from '../records/index.ts';
import { scannerModule } from '../scan/index.ts';
import type { WorkerLink } from './link.ts';
import type { HostTask } from './messages.ts';

/** A worker that was asked to end closes its sockets in milliseconds; one that hangs is ended by force. */
const END_PATIENCE_MS = 5000;

const BYTES_PER_MEBIBYTE = 1024 * 1024;

/**
 * Of the heap, for what is new: three semi-spaces of 4 MiB. All of one may have to be kept at a time, and a heap at its limit
 * gets 16 MiB more to end its thread in; with V8's 48 MiB that may not do, and V8 ends the process.
 */
const MAX_YOUNG_MEBIBYTES = 12;

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
  readonly #transcoder = transcoderModule();
  readonly #running = new Map<WorkerLink, Running>();
  #isEnding = false;

  constructor(options: HostPoolOptions) {
    this.#options = options;
  }

  /** Starts a thread for a link. */
  run(link: WorkerLink): void {
    const { seed, arenaLimitBytes, tcpKeepAliveMs } = this.#options;
    const modules = { wasm: this.#wasm, transcoder: this.#transcoder };
    const task: HostTask = { ...link.taskPart(), ...modules, seed, arenaLimitBytes, tcpKeepAliveMs };
    const pool = new Piscina({
      filename: (this.#options.entry ?? moduleUrl('./entry', import.meta.url)).href,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // An idle worker must not block in Atomics.wait: its sockets and timers would stop.
      atomics: 'async',
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.heapLimitBytes / BYTES_PER_MEBIBYTE,
        maxYoungGenerationSizeMb: MAX_YOUNG_MEBIBYTES,
      },
    });
    const ended = Promise.withResolvers<void>();
    this.#running.set(link, { pool, ended: ended.promise });
    const lost = (error: Error) => {
      this.#lost(link, pool, error);
      ended.resolve();
    };
    // A thread that fails before the task is done makes `run` reject; later, the pool says it.
    pool.run(task, { transferList: [task.port] }).catch(lost);
    pool.on('error', lost);
    // All that is said of a thread that exits without an error. When there is one, it is told right after this.
    pool.on('workerDestroy', () => queueMicrotask(() => lost(new Error('the thread exited'))));
    void link.ended.then(() => {
      this.#running.delete(link);
      ended.resolve();
    });
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
    if (!this.#running.delete(link) || this.#isEnding) return;
    // The pool has a new thread by now, which nobody needs: the replacement gets a pool of its own.
    void pool.destroy();
    this.#options.onLost(link, error);
  }
}
