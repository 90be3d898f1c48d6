/** The threads that host reflectors: a piscina pool with one endless task in each worker. */
import { Piscina } from 'piscina';
import type { HashSeed } from '../layout/key-hash.ts';
import { moduleUrl } from '../module-url.ts';
import { scannerModule } from '../scan/index.ts';
import type { WorkerLink } from './link.ts';
import type { HostTask } from './messages.ts';

export interface HostPoolOptions {
  readonly threads: number;
  readonly seed: HashSeed;
  /** Most bytes of the arena of each worker. */
  readonly arenaLimitBytes: number;
  /** A worker ended although nobody asked it to. Its thread is replaced; `run` a new link in it. */
  readonly onLost: (link: WorkerLink, error: Error) => void;
}

export class HostPool {
  readonly #options: HostPoolOptions;
  readonly #pool: Piscina;
  readonly #wasm = scannerModule();
  readonly #running = new Map<WorkerLink, Promise<void>>();
  #isEnding = false;

  constructor(options: HostPoolOptions) {
    this.#options = options;
    this.#pool = new Piscina({
      filename: moduleUrl('./entry', import.meta.url).href,
      minThreads: options.threads,
      maxThreads: options.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      // An idle worker must not block in Atomics.wait: its sockets and timers would stop.
      atomics: 'async',
    });
    // Piscina emits the errors of workers that have no task; there is nothing to tell that `onLost` does not.
    this.#pool.on('error', () => {});
  }

  /** Starts the host task of a link in a thread that has none. */
  run(link: WorkerLink): void {
    const { seed, arenaLimitBytes, onLost } = this.#options;
    const task: HostTask = { ...link.taskPart(), wasm: this.#wasm, seed, arenaLimitBytes };
    const ended = this.#pool.run(task, { transferList: [task.port] }).then(
      () => {
        this.#running.delete(link);
      },
      (error: Error) => {
        this.#running.delete(link);
        if (!this.#isEnding) onLost(link, error);
      },
    );
    this.#running.set(link, ended);
  }

  /** Ends a worker's thread as a crash would. For tests. */
  async kill(): Promise<void> {
    await Promise.all(this.#pool.threads.map((thread) => thread.terminate()));
  }

  /** Resolves when all reflectors have stopped, sockets are closed and the threads have ended. */
  async close(): Promise<void> {
    this.#isEnding = true;
    for (const link of this.#running.keys()) link.end();
    await Promise.all(this.#running.values());
    await this.#pool.destroy();
  }
}
