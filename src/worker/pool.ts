/** The threads that host reflectors: a piscina pool with one endless task in each worker. */
import { Piscina } from 'piscina';
import type { HashSeed } from '../layout/key-hash.ts';
import { moduleUrl } from '../module-url.ts';
import { scannerModule } from '../scan/index.ts';
import type { WorkerLink } from './link.ts';
import type { HostTask } from './messages.ts';

export interface HostPoolOptions {
  readonly links: readonly WorkerLink[];
  readonly seed: HashSeed;
  /** Most bytes of the arena of each worker. */
  readonly arenaLimitBytes: number;
  /** A worker ended although nobody asked it to. */
  readonly onLost: (worker: number, error: Error) => void;
}

export class HostPool {
  readonly #pool: Piscina;
  readonly #tasks: Promise<void>[];
  readonly #links: readonly WorkerLink[];
  #isEnding = false;

  constructor(options: HostPoolOptions) {
    const { links, seed, arenaLimitBytes, onLost } = options;
    this.#links = links;
    this.#pool = new Piscina({
      filename: moduleUrl('./entry', import.meta.url).href,
      minThreads: links.length,
      maxThreads: links.length,
      idleTimeout: Number.POSITIVE_INFINITY,
      // An idle worker must not block in Atomics.wait: its sockets and timers would stop.
      atomics: 'async',
    });
    const wasm = scannerModule();
    this.#tasks = links.map((link) => {
      const task: HostTask = { ...link.taskPart(), wasm, seed, arenaLimitBytes };
      return this.#pool.run(task, { transferList: [task.port] }).then(
        () => {},
        (error: Error) => {
          if (!this.#isEnding) onLost(link.worker, error);
        },
      );
    });
  }

  /** Resolves when all reflectors have stopped, sockets are closed and the threads have ended. */
  async close(): Promise<void> {
    this.#isEnding = true;
    for (const link of this.#links) link.end();
    await Promise.all(this.#tasks);
    for (const link of this.#links) link.close();
    await this.#pool.destroy();
  }
}
