/** A server in a process of its own, whose output goes to a file and which never outlives this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A server that was asked to end and does not is killed after so long. */
const END_LIMIT_MS = 10_000;

/** What is shown of a log when something failed. */
const TAIL_LINES = 40;

const running = new Set<ServerProcess>();

// The last resort, for example after an error that nobody caught: nothing asynchronous can run any more.
process.on('exit', () => {
  for (const server of running) server.signal('SIGKILL');
});

export class ServerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #logPath: string;
  readonly #ended: Promise<unknown>;

  constructor(name: string, program: string, args: readonly string[], logPath: string) {
    this.name = name;
    this.#logPath = logPath;
    const log = openSync(logPath, 'a');
    this.#child = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    running.add(this);
    this.#ended = once(this.#child, 'exit').finally(() => running.delete(this));
    this.#ended.catch(() => {});
  }

  get isRunning(): boolean {
    return running.has(this);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child.kill(signal);
  }

  /** As a crash: nothing is written or said any more. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }

  /** Asks it to end, and kills it when it does not. */
  async end(): Promise<void> {
    // A stopped process would not hear what it is asked.
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), END_LIMIT_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** The last lines that it wrote. */
  get logTail(): string {
    const lines = readFileSync(this.#logPath, 'utf8').trimEnd().split('\n');
    return [`--- the last lines of ${this.name}:`, ...lines.slice(-TAIL_LINES)].join('\n');
  }
}
